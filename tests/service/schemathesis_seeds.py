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
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

_PROJECT = Path(__file__).resolve().parents[2]
_TEST = "tests/service/test_openapi.py::test_the_service_keeps_its_own_document"
_RUNS = 2
# Kinds of failures that are asked for by name, and how schemathesis calls those that belong to them.
_KINDS = {
    "server_errors": ("server error",),
    "authorization_bypasses": ("authorization", "authentication"),
}
_OTHERS = "schema_breaches"


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="make schemathesis")
    parser.add_argument("--cases", type=int, default=2500)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    results = _PROJECT / "test-results"
    results.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "results.xml"
        said = results / "schemathesis.txt"
        counts = {"SCHEMATHESIS_CASES": str(given.cases), "SCHEMATHESIS_SEEDS": str(given.seeds)}
        command = [sys.executable, "-m", "pytest", "-m", "long", "-q", "-o", "junit_family=xunit1"]
        command += [f"--junit-xml={report}", _TEST]
        with said.open("w") as output:
            done = subprocess.run(command, cwd=_PROJECT, env=os.environ | counts, stdout=output, check=False)
        cases, failures = summed_up(report.read_text()) if report.exists() else ({}, {})
    is_short = False
    for seed in range(1, given.seeds + 1):
        is_short |= cases.get(seed, 0) < given.cases * _RUNS
        sys.stdout.write(f"seed_{seed}_cases {cases.get(seed, 0)}\n")
        for name in (*_KINDS, _OTHERS):
            sys.stdout.write(f"seed_{seed}_{name} {failures.get(seed, {}).get(name, 0)}\n")
    if done.returncode:
        sys.stdout.write(f"  what was found: {said.relative_to(_PROJECT)}\n")
    return int(bool(done.returncode) or is_short)


def summed_up(report: str) -> tuple[dict[int, int], dict[int, Counter[str]]]:
    """Cases and failures by seed, from pytest's own report."""
    cases: Counter[int] = Counter()
    failures: dict[int, Counter[str]] = {}
    for properties in _properties(report):
        seed = int(properties["seed"])
        cases[seed] += int(properties["cases"])
        for kind, number in json.loads(properties["failures"]).items():
            failures.setdefault(seed, Counter())[_name(kind)] += number
    return dict(cases), failures


def _properties(report: str) -> Iterator[Mapping[str, str]]:
    for case in ElementTree.fromstring(report).iter("testcase"):
        found = {one.get("name", ""): one.get("value", "") for one in case.iter("property")}
        # A test that ended before its run was over has none.
        if "seed" in found:
            yield found


def _name(kind: str) -> str:
    words = kind.lower()
    return next((name for name, parts in _KINDS.items() if any(part in words for part in parts)), _OTHERS)


if __name__ == "__main__":
    sys.exit(main())
