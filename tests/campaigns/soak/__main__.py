"""`make soak`: figures a line each at the end; exit 1 where something has grown by more than 5 percent."""

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    with _folder(arguments.keep) as folder:
        # Nothing of Django may be loaded before its environment is set.
        from .environment import set_up

        ports = set_up(folder)
        from .soak import Soak

        soak = Soak(
            ports,
            folder,
            minutes=arguments.minutes,
            share=arguments.faults,
            customers=arguments.customers,
            rate=arguments.rate,
        )
        report = soak.run()
        for line in report.lines():
            sys.stdout.write(f"{line}\n")
        broken = report.broken()
        for sentence in broken:
            sys.stderr.write(f"{sentence}\n")
    return 1 if broken else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.soak", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--faults", type=float, default=0.05, help="the share of the documented POSTs that go wrong")
    parser.add_argument("--customers", type=int, default=3, help="how many are at work at once")
    parser.add_argument("--rate", type=float, default=5, help="applications that are begun in a minute")
    parser.add_argument("--keep", type=Path, help="leave databases, samples and logs in this folder")
    return parser.parse_args()


@contextlib.contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept:
        kept.mkdir(parents=True)
        yield kept.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="soak-") as made:
            yield Path(made)


if __name__ == "__main__":
    sys.exit(main())
