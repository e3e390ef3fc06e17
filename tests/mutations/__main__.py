"""`make mutations`: breaks the code in small ways, one at a time, and says by package how many the tests found.

    make mutations ARGS="--package contract --count 60 --seed 1"

The tree is copied, and only the copy is broken. The tests of a package are asked first, then rings of those that walk
through it; of each ring those that run the changed line, the quickest first. Which those are is measured by coverage,
and kept beside the system's temporary files until the code or the ring changes. A run that doesn't end has found the
change. Each change that no test found is printed: file, line, before → after; exit 1 where there is one.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import operators, scripts
from .operators import Mutation

PROJECT = Path(__file__).resolve().parents[2]
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "var", "__pycache__", ".*_cache", ".hypothesis", "node_modules")

# Where a package's tests are, and then those that walk through it. Any other package: its own, then portal and desk.
RINGS = {
    "accounts": ("accounts", "access management mail portal/site", "desk portal"),
    "applications": ("applications", "documents invitations relay", "portal reviews", "desk"),
    "contract": ("contract", "applications service gateway ui", "portal desk"),
    "desk": ("desk", "reviews accounts statistics", "portal"),
    # What runs in the sandbox's process is measured by no coverage, so all that sends files there is in the first ring.
    "documents": ("documents portal/documents/test_upload_corpus.py", "applications", "portal/documents reviews"),
    "gateway": ("gateway", "relay", "portal service"),
    "js": ("portal desk", "journeys"),
    "relay": ("relay", "gateway applications desk/deliveries desk/decisions", "portal desk"),
    "reviews": ("reviews", "desk", "portal relay"),
    "service": ("service", "gateway relay"),
}


@dataclass
class Tried:
    """A change, and the test that found it (or "time")."""

    mutation: Mutation
    found_by: str = ""


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    survivors = 0
    for package in arguments.package or sorted(RINGS):
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
            copy = Path(folder, "tree")
            shutil.copytree(PROJECT, copy, ignore=_NOT_COPIED)
            tried = [Tried(one) for one in sample(copy, package, arguments.count, arguments.seed, arguments.module)]
            for ring in RINGS.get(package, (package, "portal desk"))[: arguments.rings]:
                _try_ring(copy, package, ring, tried)
            for one in tried:
                if not one.found_by:
                    mutation = one.mutation
                    place = f"{mutation.path.relative_to(copy)}:{mutation.line}"
                    _say(f"not found {place}: {mutation.shown(mutation.path.read_text())}")
        found = sum(bool(one.found_by) for one in tried)
        survivors += len(tried) - found
        _say(f"{package} found {found} of {len(tried)}, {time.monotonic() - begun:.0f} seconds")
    return int(survivors > 0)


def sample(tree: Path, package: str, count: int, seed: int, module: str = "*") -> list[Mutation]:
    """As many places of the package, or of one module, as asked for, drawn by the seed; and one way to break each."""
    if package == "js":
        places = [
            ways
            for path in sorted((tree / "static/js").rglob("*.js"))
            for ways in scripts.mutations(path, path.read_text())
        ]
    else:
        known = operators.enums(sorted((tree / "formation_portal").rglob("*.py")))
        paths = [
            path
            for path in sorted((tree / "formation_portal" / package).rglob(f"{module}.py"))
            if "migrations" not in path.parts
        ]
        places = [ways for path in paths for ways in operators.mutations(path, path.read_text(), known)]
    draw = random.Random(f"{seed} {package}")
    return [draw.choice(ways) for ways in draw.sample(places, min(count, len(places)))]


def _try_ring(copy: Path, package: str, ring: str, tried: list[Tried]) -> None:
    """Have the changes that are left tried by a ring of tests."""
    left = [one for one in tried if not one.found_by]
    if not left:
        return
    run = Run(copy, [f"tests/{folder}" for folder in ring.split()], package)
    unbroken = run.unbroken()
    seconds = {test: took for test, took in unbroken["seconds"].items() if test not in unbroken["failed"]}
    _say(f"{package}: {len(seconds)} tests of {ring}, {len(left)} changes")
    for one in left:
        mutation, text = one.mutation, one.mutation.path.read_text()
        lines = unbroken["lines"].get(str(mutation.path.relative_to(copy)), {})
        touching = {test for line in range(mutation.line, mutation.last_line + 1) for test in lines.get(str(line), ())}
        chosen = seconds
        if not mutation.at_import and "" not in touching:
            # What no test runs in this process may run in a child of one: those beside the module are asked.
            mirror = f"tests/{mutation.path.relative_to(copy / 'formation_portal').parent}/"
            asked = touching or {test for test in seconds if test.startswith(mirror)}
            chosen = {test: seconds[test] for test in asked & seconds.keys()}
        if chosen:
            _write(mutation.path, mutation.applied(text))
            one.found_by = run.found_by(chosen)
            _write(mutation.path, text)
        mark = one.found_by or f"not found by {len(chosen)} tests"
        _say(f"  {mutation.path.name}:{mutation.line} {mutation.shown(text)}: {mark}")


@dataclass
class Run:
    """The tests of a ring, asked about a package of a copied tree."""

    copy: Path
    folders: list[str]
    package: str

    def __post_init__(self) -> None:
        read = hashlib.sha256(f"{sys.version} {self.folders} {self.package}".encode())
        kinds = ("formation_portal/**/*.py", "templates/**/*.html", "static/**/*.js", "tests/*.py")
        for pattern in (*kinds, *(f"{folder}/**/*.py" for folder in self.folders)):
            for path in sorted(self.copy.glob(pattern)):
                read.update(path.read_bytes())
        self.kept = Path(tempfile.gettempdir(), f"mutations-of-{os.getuid()}-{read.hexdigest()[:16]}")
        self.kept.mkdir(exist_ok=True)

    def unbroken(self) -> dict[str, Any]:
        """How long each test takes, which fail, and for each line of the package the tests that run it."""
        report = self.kept / "unbroken.json"
        if not report.exists():
            shown, _ = self._pytest(self.folders, None, report, None)
            if not report.exists():
                raise SystemExit(shown)
        return dict(json.loads(report.read_text()))

    def found_by(self, chosen: dict[str, float]) -> str:
        """The test that failed, of these with their seconds; "" where all passed."""
        modules = sorted({test.split("::")[0] for test in chosen})
        report = self.copy.parent / "broken.json"
        report.unlink(missing_ok=True)
        try:
            _, code = self._pytest(
                modules, sorted(chosen, key=chosen.__getitem__), report, 60 + 3 * sum(chosen.values())
            )
        except subprocess.TimeoutExpired:
            return "time"
        failed = json.loads(report.read_text())["failed"] if report.exists() else []
        return "" if code in {0, 5} else next(iter(failed), "import")

    def _pytest(self, paths: list[str], chosen: list[str] | None, report: Path, limit: float | None) -> tuple[str, int]:
        """What pytest printed, and its code. Raises TimeoutExpired after `limit` seconds."""
        traced = None if chosen or self.package == "js" else f"{self.copy}/formation_portal/{self.package}/*"
        run = {
            "tree": str(self.copy),
            "traced": traced,
            "chosen": chosen,
            "report": str(report),
            "kept": str(self.kept),
        }
        (self.copy.parent / "run.json").write_text(json.dumps(run))
        marks = f"not long and {'browser' if self.package == 'js' else 'not browser'}"
        options = ["-q", "-p", "no:cacheprovider", "-p", "tests.mutations.plugin", "-m", marks]
        options += ["--basetemp", f"{self.copy.parent}/temp", *(["-x"] if chosen else [])]
        ran = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *paths],
            cwd=self.copy,
            env=os.environ | {"MUTATIONS_RUN": f"{self.copy.parent}/run.json"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            shown, _ = ran.communicate(timeout=limit)
        finally:
            if ran.poll() is None:
                os.killpg(ran.pid, 9)
                ran.communicate()
        return shown, ran.returncode


def _write(path: Path, text: str) -> None:
    """What was compiled goes too: it is told from the new text by its second and its length alone."""
    path.write_text(text)
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutations", description="Break the code; count what is found."
    )
    parser.add_argument(
        "--package", action="append", help=f"again for each: a package, or js; without, {' '.join(sorted(RINGS))}"
    )
    parser.add_argument("--module", default="*", help="of the package, by its name without .py; without, all")
    parser.add_argument("--count", type=int, default=60, help="changes in each package")
    parser.add_argument("--rings", type=int, default=3, help="1: the package's own tests alone")
    parser.add_argument("--seed", type=int, default=1, help="to draw the same again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
