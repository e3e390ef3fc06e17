"""The benchmark: `make bench` prints lines of `name value unit`. Units: ms, x, kB (1,000 bytes), MB, s, calls,
things, times."""

import sys

Measure = tuple[str, float, str]


def say(name: str, value: float, unit: str) -> None:
    """Print a figure, as soon as it is there."""
    sys.stdout.write(f"{name} {value:.3g} {unit}\n" if value < 1000 else f"{name} {value:.0f} {unit}\n")
    sys.stdout.flush()
