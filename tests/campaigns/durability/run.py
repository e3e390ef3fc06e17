"""Runs the command at its small size, as the tests read it."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


def measure(part: str, *, seed: int) -> dict[str, str]:
    """The lines that it prints, by name. It must end well, and say nothing else."""
    # The command makes its own settings; those of the test run are not its own.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    command = [sys.executable, "-m", "tests.campaigns.durability", part, "--small", "--seed", str(seed)]
    run = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return dict(line.split(" ", 1) for line in run.stdout.splitlines())
