"""A short soak: it comes to an end, and leaves no file and no socket open."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_a_short_soak_leaves_no_file_and_comes_to_rest(tmp_path: Path) -> None:
    how = ("--minutes", "0.02", "--customers", "1", "--faults", "0", "--keep", str(tmp_path / "soak"))
    command = [sys.executable, "-m", "tests.campaigns.soak", *how]
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    results = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert results["temp_files_growth"] == "0.0 percent", done.stderr
    assert results["sockets_growth"] == "0.0 percent", done.stderr
    assert int(results["applications"]) > 0
    assert int(results["calls"]) > 0
    # So short a time says nothing about memory, which has hardly been used by then.
    assert {line.partition(":")[0] for line in done.stderr.splitlines()} <= {"memory_growth", "descriptors_growth"}
