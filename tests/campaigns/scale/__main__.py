"""`make scale`: a small cluster under load, measured and disturbed; `name value unit` a line each.

The exit code is 1 where a goal is missed; each that is missed is named. `--only` runs one part, `--minutes` shortens
those that are long.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from . import disturbed, mixed, throughput
from .results import Result

PARTS: dict[str, Callable[[Path, argparse.Namespace], Iterator[Result]]] = {
    "throughput": throughput.measure,
    "kills": disturbed.kills,
    "outages": disturbed.outages,
    "restart": disturbed.restart,
    "mixed": mixed.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.scale", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be given several times")
    parser.add_argument("--minutes", type=float, help="of kills (10), and of mixed load (60)")
    parser.add_argument("--seconds", type=float, default=10, help="of each round of a measurement")
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement; they take turns")
    parser.add_argument("--share", type=float, default=0.2, help="of a core, that each web process may use")
    parser.add_argument("--customers", type=int, default=6)
    parser.add_argument("--agents", type=int, default=2)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="leave logs and samples in this folder")
    asked = parser.parse_args()
    # Ended in order, nothing of it stays behind: neither nodes nor servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    missed = list[str]()
    for name in asked.only or PARTS:
        with tempfile.TemporaryDirectory(prefix=f"scale-{name}-") as made:
            folder = asked.keep / name if asked.keep else Path(made)
            folder.mkdir(parents=True, exist_ok=True)
            for result in PARTS[name](folder, asked):
                sys.stdout.write(f"{result.line}\n")
                sys.stdout.flush()
                if result.is_missed:
                    missed.append(f"{name}: {result.line}, where the goal is {result.goal}")
                    sys.stderr.writelines(f"  {sentence}\n" for sentence in result.sentences)
    for sentence in missed:
        sys.stderr.write(f"missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
