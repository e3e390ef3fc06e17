"""`make choices`: lines of `name value`; exit 1 where a page ended otherwise than the server would draw it."""

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
    os.environ |= {"CHOICES_SEQUENCES": str(arguments.sequences), "CHOICES_SEED": str(arguments.seed)}
    begun = time.monotonic()
    code = pytest.main(["-q", "-m", "long", "-p", "no:cacheprovider", "--no-header", str(Path(__file__).parent)])
    from .test_sequences import TALLY

    lines = {
        "seed": arguments.seed,
        "sequences": TALLY.count,
        **{f"sequences_{way}": count for way, count in TALLY.sequences.items()},
        "choices": TALLY.choices,
        "regions": TALLY.regions,
        "different": len(TALLY.different),
        "seconds": round(time.monotonic() - begun),
    }
    for name, value in lines.items():
        sys.stdout.write(f"{name} {value}\n")
    return int(code)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.choices", description=main.__doc__)
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31), help="to do the same again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
