"""`make typing`: lines of `name value`; exit 1 where a letter was lost, or the page moved while somebody typed."""

import argparse
import os
import random
import sys
import time
from pathlib import Path

import pytest


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    os.environ |= {"TYPING_RUNS": str(arguments.runs), "TYPING_SEED": str(arguments.seed)}
    begun = time.monotonic()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", str(Path(__file__).parent)])
    from .test_fast_typing import TALLY

    lines = {
        "seed": arguments.seed,
        "runs": TALLY.runs,
        "characters": TALLY.characters,
        "updates": TALLY.updates,
        "lost_characters": TALLY.lost,
        "moved": len(TALLY.moved),
        "seconds": round(time.monotonic() - begun),
    }
    for name, value in lines.items():
        sys.stdout.write(f"{name} {value}\n")
    return int(code)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fast_typing", description=main.__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31), help="to do the same again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
