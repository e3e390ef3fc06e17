"""`make schemathesis`: the embedded service against its own document, with three seeds; lines of `name value`.

Each seed has two runs with all of schemathesis' checks, on a service that holds nothing yet and on one with records to
aim at, as one account that another may see nothing of. `--cases` is what a run makes at least, `--seeds` how many seeds
there are. Exit 1 where anything was found, and where a seed made fewer cases than the two runs of it should.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[2]
_TEST = "tests/service/test_openapi.py::test_the_service_keeps_its_own_document"
_RUNS = 2
# Kinds of failures that are asked for by name, and how schemathesis calls those that belong to them.
_KINDS = {"server_errors": ("server error",), "authorization_bypasses": ("authorization", "authentication")}
_OTHERS = "schema_breaches"


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="make schemathesis")
    parser.add_argument("--cases", type=int, default=2500)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    output = _PROJECT / "test-results/schemathesis.txt"
    output.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures"
        settings = {"CASES": str(given.cases), "SEEDS": str(given.seeds), "FIGURES": str(figures)}
        environment = os.environ | {f"SCHEMATHESIS_{name}": value for name, value in settings.items()}
        command = [sys.executable, "-m", "pytest", "-m", "long", "-q", _TEST]
        with output.open("w") as file:
            done = subprocess.run(command, cwd=_PROJECT, env=environment, stdout=file, check=False)
        runs = [json.loads(line) for line in figures.read_text().splitlines()] if figures.exists() else []
    is_short = False
    for seed in range(1, given.seeds + 1):
        cases = sum(run["cases"] for run in runs if run["seed"] == seed)
        is_short |= cases < given.cases * _RUNS
        sys.stdout.write(f"seed_{seed}_cases {cases}\n")
        failures = Counter(dict.fromkeys((*_KINDS, _OTHERS), 0))
        for run in runs:
            for kind, number in run["failures"].items() if run["seed"] == seed else ():
                failures[_name(kind)] += number
        for name, number in failures.items():
            sys.stdout.write(f"seed_{seed}_{name} {number}\n")
    if done.returncode:
        sys.stdout.write(f"  what was found: {output.relative_to(_PROJECT)}\n")
    return int(bool(done.returncode) or is_short)


def _name(kind: str) -> str:
    return next((name for name, parts in _KINDS.items() if any(part in kind.lower() for part in parts)), _OTHERS)


if __name__ == "__main__":
    sys.exit(main())
