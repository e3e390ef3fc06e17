"""The command of a campaign that is one test with a number and a seed: figures a line each, the test's exit code."""

import argparse
import importlib
import os
import random
import sys
import time
from pathlib import Path

import pytest


def count(default: int) -> int:
    """How much the command asks for; the ordinary run asks for the default."""
    return int(os.environ.get("CAMPAIGN_COUNT", default))


def seed() -> int:
    return int(os.environ.get("CAMPAIGN_SEED", "1"))


def main(test: str, *, counted: str, default: int) -> int:
    """Run the test of a module, whose TALLY has the figures. Return the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {test.rpartition('.')[0]}")
    parser.add_argument(f"--{counted}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31), help="to do the same again")
    given = vars(parser.parse_args())
    os.environ |= {"CAMPAIGN_COUNT": str(given[counted]), "CAMPAIGN_SEED": str(given["seed"])}
    begun = time.monotonic()
    file = Path(*test.split(".")).with_suffix(".py")
    code = pytest.main(["-q", "-m", "", "-p", "no:cacheprovider", "-p", "no:logging", "--no-header", str(file)])
    figures = importlib.import_module(test).TALLY.figures()
    for name, value in {"seed": given["seed"], **figures, "seconds": round(time.monotonic() - begun)}.items():
        sys.stdout.write(f"{name} {value}\n")
    return int(code)
