"""Runs a campaign for a test, as `make faults` does, and reads its lines."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[3]
_SECONDS = 2_000


@dataclass(frozen=True)
class Ran:
    """How it ended: the exit code, the results by name, and everything that was printed."""

    code: int
    results: dict[str, int]
    output: str


def run(mode: str, *arguments: str) -> Ran:
    """One mode of it."""
    command = [sys.executable, "-m", "tests.campaigns.faults", "--mode", mode, *arguments]
    ran = subprocess.run(command, cwd=_PROJECT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    pairs = [line.rsplit(" ", 1) for line in ran.stdout.splitlines()]
    results = {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}
    return Ran(ran.returncode, results, ran.stdout + ran.stderr)
