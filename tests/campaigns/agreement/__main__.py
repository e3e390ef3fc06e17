"""`make agreement`: lines of `name value`; exit 1 where two places differ about what is needed."""

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
    os.environ |= {"AGREEMENT_DRAFTS": str(arguments.drafts), "AGREEMENT_SEED": str(arguments.seed)}
    begun = time.monotonic()
    plain = ("-q", "-p", "no:cacheprovider", "-p", "no:logging", "--no-header")
    code = pytest.main([*plain, str(Path(__file__).parent)])
    from .test_needs_agree import TALLY

    lines = {
        "seed": arguments.seed,
        "drafts": TALLY.drafts,
        "products": len(TALLY.products),
        "ready": TALLY.ready,
        "different": len(TALLY.different),
        **{f"only_here_{code}": count for code, count in sorted(TALLY.only_here.items())},
        "seconds": round(time.monotonic() - begun),
    }
    for name, value in lines.items():
        sys.stdout.write(f"{name} {value}\n")
    return int(code)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.agreement", description=main.__doc__)
    parser.add_argument("--drafts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31), help="to do the same again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
