"""`make mutations`: break the code in small ways, one at a time, and keep a list of which test finds each (README)."""

import argparse
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scratch_postgres import KEYS, scratch_cluster, server_programs

from . import operators, scripts, templates
from .kept import Kept, Row
from .measured import Measured
from .mutation import Mutation

PROJECT = Path(__file__).resolve().parents[3]
CACHE = PROJECT / ".mutations_cache"
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "var", "__pycache__", ".*_cache", ".hypothesis", "node_modules")

# The folders of tests beside a package's own that walk through it. All that was measured for others counts too.
NEIGHBOURS = {
    "accounts": "access management mail portal/site",
    "applications": "documents invitations relay portal/applications portal/submission",
    "audit": "desk/audit privacy",
    "contract": "applications ui portal/sections portal/shares",
    "core": "management",
    "desk": "access",
    "documents": "portal/documents applications",
    "gateway": "relay",
    "invitations": "portal/sharing portal/applications mail",
    "js": "portal desk journeys",
    "mail": "accounts invitations management portal/applications portal/site",
    "management": "core",
    "portal": "access ui",
    "privacy": "portal/privacy accounts",
    "relay": "gateway applications desk/deliveries desk/decisions",
    "reviews": "desk",
    "service": "gateway relay",
    "statistics": "desk/statistics reviews",
    "templates": "portal desk accounts mail",
    "ui": "portal/sections portal/parties desk/case",
}
# Campaigns: they take long, and run no code that other tests don't.
_LEFT_OUT = ("campaigns",)
_MOST_TESTS = 100
_LOCKS = {"drop-lock", "drop-atomic"}
# The table of who may open what: it takes longer than the limit, and finds a wrong right where nothing else does.
_TABLE_OF_ACCESS = "tests/access/test_table.py"
# Reads the source of every template, and renders none.
_SOURCES_OF_TEMPLATES = "tests/ui/test_templates.py"


def main() -> int:
    arguments = _arguments()
    packages = arguments.package or sorted(NEIGHBOURS)
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        copy = Path(folder, "tree")
        shutil.copytree(PROJECT, copy, ignore=_NOT_COPIED, symlinks=True)
        begun = time.monotonic()
        campaign = Campaign(copy, arguments.found_by or [], arguments.seconds)
        _say(
            f"collected {sum(map(len, campaign.server.modules.values()))} tests, {time.monotonic() - begun:.0f} seconds"
        )
        missed = 0
        for package in packages:
            kept = Kept.read(package)
            mutations = find_mutations(copy, package)
            if arguments.measure:
                campaign.measure(package, [""])
                continue
            if arguments.found_by:
                rows = [row for row in kept.rows.values() if row.found_by.startswith(tuple(arguments.found_by))]
            elif arguments.again:
                rows = [row for row in kept.rows.values() if row.found_by]
            elif arguments.missed:
                rows = [row for row in kept.rows.values() if not row.found_by and not row.note]
            else:
                rows = draw(copy, kept, mutations, arguments.count, arguments.seed)
            missed += campaign.run(kept, mutations, rows)
    return int(missed > 0)


def find_mutations(tree: Path, package: str) -> list[Mutation]:
    """Return every change of a package's modules, of the templates, or of the scripts. Root modules count as core's."""
    if package == "js":
        paths = sorted((tree / "static/js").rglob("*.js"))
        return [mutation for path in paths for mutation in scripts.mutations(path, path.read_text())]
    if package == "templates":
        folders = (tree / "templates", *(tree / "formation_portal").glob("*/templates"))
        paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in {".html", ".txt"}]
        return [mutation for path in paths for mutation in templates.mutations(path, path.read_text())]
    known = operators.enums(sorted((tree / "formation_portal").rglob("*.py")))
    paths = sorted((tree / "formation_portal" / package).rglob("*.py"))
    if package == "core":
        paths += sorted((tree / "formation_portal").glob("*.py"))
    modules = [path for path in paths if "migrations" not in path.parts]
    return [mutation for path in modules for mutation in operators.mutations(path, path.read_text(), known)]


def draw(tree: Path, kept: Kept, mutations: list[Mutation], count: int, seed: int) -> list[Row]:
    """Draw changes by the seed, one a place, and return those that the list doesn't hold yet.

    An operator is drawn by the root of the number of its changes: else the rare ones would hardly be drawn at all.
    """
    by_operator: dict[str, list[Mutation]] = {}
    for mutation in mutations:
        by_operator.setdefault(mutation.operator, []).append(mutation)
    names = sorted(by_operator)
    weights = [len(by_operator[name]) ** 0.5 for name in names]
    generator = random.Random(f"{seed} {kept.package}")
    drawn: dict[tuple[Path, int, int], Mutation] = {}
    for _ in range(count * 20):
        if len(drawn) == count:
            break
        mutation = generator.choice(by_operator[generator.choices(names, weights)[0]])
        drawn.setdefault((mutation.path, mutation.start, mutation.end), mutation)
    keys = [mutation.key(tree, mutation.path.read_text()) for mutation in drawn.values()]
    return [Row(key, seed) for key in keys if key not in kept.rows]


@dataclass
class Campaign:
    """Tries changes of a copied tree, each with tests of so many seconds, without those named in `without`."""

    tree: Path
    without: list[str]
    seconds: float
    server: "Server" = field(init=False)
    measured: Measured = field(init=False)
    passed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.server = Server(self.tree)
        self.measured = Measured(self.tree, CACHE / "tests")
        self.measured.load(self.server.modules)

    def run(self, kept: Kept, mutations: list[Mutation], rows: list[Row]) -> int:
        """Try the changes of the rows, keep the list, and return how many were not found."""
        located = {mutation.key(self.tree, mutation.path.read_text()): mutation for mutation in mutations}
        present = [row for row in rows if row.key in located]
        if present:
            self.measure(kept.package, [kept.package, *NEIGHBOURS.get(kept.package, "").split()])
        begun, missed = time.monotonic(), 0
        for row in present:
            mutation, text = located[row.key], located[row.key].path.read_text()
            found_by, number = self._try(mutation, text, kept.package, row.found_by)
            place = f"{mutation.path.relative_to(self.tree)}:{mutation.line} {mutation.operator}"
            mark = found_by or f"not found by {number} tests"
            _say(f"  {place}: {mutation.show(text)}: {mark}")
            missed += not found_by
            if found_by or not self.without:
                row.found_by = found_by
                kept.rows[row.key] = row
                kept.write()
        gone = f", {len(rows) - len(present)} no longer in the code" if len(rows) > len(present) else ""
        _say(
            f"{kept.package}: found {len(present) - missed} of {len(present)}{gone},"
            f" {time.monotonic() - begun:.0f} seconds"
        )
        return missed

    def measure(self, package: str, folders: list[str]) -> None:
        """Measure the tests of some folders that aren't measured yet; "" for all."""
        prefixes = tuple(f"tests/{folder}/".replace("//", "/") for folder in folders)
        for test_file, tests in self.server.modules.items():
            if not test_file.startswith(prefixes):
                continue
            in_browser = [test for test in tests if "browser" in self.server.marks.get(test, ())]
            chosen = in_browser if package == "js" else [test for test in tests if test not in in_browser]
            if chosen and not self.measured.has(test_file, package == "js"):
                begun = time.monotonic()
                self.measured.add(test_file, package == "js", self.server.measure(chosen))
                _say(f"  measured {test_file}, {time.monotonic() - begun:.0f} seconds")

    def _try(self, mutation: Mutation, text: str, package: str, first: str) -> tuple[str, int]:
        """Return the test that finds a change ("" for none), and how many tests were chosen."""
        chosen = self._choose(mutation, package, first)
        number = len(chosen)
        found_by = ""
        while chosen:
            found_by = self._try_tests(mutation, text, chosen)
            if found_by not in chosen or self._passes(found_by):
                break
            del chosen[chosen.index(found_by)]
            found_by = ""
        if not found_by and mutation.operator in _LOCKS:
            with written(mutation.path, text, mutation.apply(text)):
                found_by = self._try_on_postgres()
        return found_by, number

    def _passes(self, test: str) -> bool:
        if test not in self.passed and self._request([test], "", "", None, 300) == "":
            self.passed.add(test)
        return test in self.passed

    def _try_tests(self, mutation: Mutation, text: str, chosen: list[str]) -> str:
        changed = mutation.apply(text)
        limit = 60 + 20 * sum(self.measured.seconds.get(test, 1) for test in chosen)
        with written(mutation.path, text, changed):
            found_by = self._request(chosen, text, changed, mutation, limit)
            if found_by is None or (not found_by and mutation.at_import):
                found_by = self.server.run_afresh(chosen, limit + 60)
        return found_by

    def _try_on_postgres(self) -> str:
        """Return the first test of two connections that fails on PostgreSQL: SQLite ignores a row's lock."""
        chosen = [
            test
            for test_file, tests in self.server.modules.items()
            if "postgresql_only" in (self.tree / test_file).read_text()
            for test in tests
            if not test.startswith((*self.without, "no test"))
        ]
        if server_programs() is None:
            _say("  not run: PostgreSQL")
            return ""
        with scratch_cluster() as url:
            databases = {"DATABASE_URL": f"{url}/portal", "SERVICE_DATABASE_URL": f"{url}/formation"}
            return self.server.run_afresh(chosen, 600, KEYS | databases)

    def _request(
        self, tests: list[str], before: str, after: str, mutation: Mutation | None, limit: float
    ) -> str | None:
        request = {
            "do": "try",
            "tests": tests,
            "path": str(mutation.path) if mutation else "",
            "line": mutation.line if mutation else 0,
            "before": before,
            "after": after,
            "functions": mutation.first_lines if mutation and not mutation.at_import else (),
            "limit": limit,
        }
        answer = self.server.request(request)["found_by"]
        return None if answer is None else str(answer)

    def _mirror(self, module: str) -> str:
        """Return the innermost folder of tests that mirrors a module's folder and has measured tests."""
        folder = Path("tests", *Path(module).parent.parts[1:])
        while folder.name != "tests":
            if any(test.startswith(f"{folder}/") for test in self.measured.seconds):
                return f"{folder}/"
            folder = folder.parent
        return "no folder"

    def _choose(self, mutation: Mutation, package: str, first: str) -> list[str]:
        """Return the tests that run a change's function or template: those beside it first, the quickest first."""
        module = mutation.path.relative_to(self.tree).as_posix()
        mirror = self._mirror(module)
        marks, seconds = self.server.marks, self.measured.seconds
        if package == "js":
            touching = {test for test, names in marks.items() if "browser" in names}
        else:
            touching = self.measured.touching(module, mutation.function, is_wide=mutation.at_import)
        if mutation.is_cached or mutation.at_import or not touching:
            # Other processes that tests start are not measured, and a cached result is measured for one test alone.
            touching |= {test for test in seconds if test.startswith(mirror)}
        touching -= {test for test, names in marks.items() if "postgres" in names}
        if self.without:
            touching = {test for test in touching if not test.startswith(tuple(self.without))}
        ordered = sorted(
            touching & seconds.keys(), key=lambda test: (test != first, not test.startswith(mirror), seconds[test])
        )
        chosen = _up_to_the_limits(ordered, seconds, self.seconds)
        more = {"permission": _TABLE_OF_ACCESS, "unescape": _SOURCES_OF_TEMPLATES, "drop-token": _SOURCES_OF_TEMPLATES}
        if mutation.operator in more:
            chosen += [test for test in self.server.modules.get(more[mutation.operator], ()) if test not in chosen]
        return chosen


def _up_to_the_limits(tests: list[str], seconds: dict[str, float], most: float) -> list[str]:
    chosen: list[str] = []
    total = 0.0
    for test in tests[:_MOST_TESTS]:
        total += seconds[test]
        if chosen and total > most:
            break
        chosen.append(test)
    return chosen


class Server:
    """A process of pytest that has collected every test, and forks for each request (plugin.py)."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.modules: dict[str, list[str]] = {}
        self.marks: dict[str, list[str]] = {}
        self.log = tree.parent / "server.log"
        (tree.parent / "databases").mkdir()
        self._start()

    def _start(self) -> None:
        ours, theirs = os.pipe(), os.pipe()
        paths = [path for path in sorted((self.tree / "tests").iterdir()) if path.name not in _LEFT_OUT]
        folders = [str(path.relative_to(self.tree)) for path in paths if path.is_dir() and path.name[0].isalpha()]
        environment = {"MUTATIONS_PIPES": f"{ours[0]},{theirs[1]}"}
        with self.log.open("w") as log:
            subprocess.Popen(
                self._command([*folders, "tests/campaigns/mutations/warm_up.py"], "server"),
                cwd=self.tree,
                env=self._environment(environment),
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(ours[0], theirs[1]),
            )
        os.close(ours[0])
        os.close(theirs[1])
        self.requests, self.answers = os.fdopen(ours[1], "w"), os.fdopen(theirs[0])
        collected = self._answer()
        self.modules, self.marks = collected["modules"], collected["marks"]

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.write(json.dumps(request) + "\n")
        self.requests.flush()
        return self._answer()

    def measure(self, tests: list[str]) -> dict[str, Any]:
        return self.request({"do": "measure", "tests": tests, "limit": 1200})

    def run_afresh(self, tests: list[str], limit: float, more: dict[str, str] | None = None) -> str:
        """Return the first test that fails in a new process; "import" if none could start, "" if all pass."""
        listed = self.tree.parent / "tests.json"
        listed.write_text(json.dumps(tests))
        failed = listed.with_suffix(".failed")
        failed.unlink(missing_ok=True)
        modules = sorted({test.split("::")[0] for test in tests})
        try:
            process = subprocess.run(
                [*self._command(modules, "afresh"), "-x"],
                cwd=self.tree,
                env=self._environment({"MUTATIONS_TESTS": str(listed)} | (more or {})),
                capture_output=True,
                timeout=limit,
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            return "time"
        if process.returncode in {0, 5}:
            return ""
        names = json.loads(failed.read_text()) if failed.exists() else []
        return names[0] if names else "import"

    def _command(self, paths: Iterable[str], name: str) -> list[str]:
        options = ["-q", "-p", "no:cacheprovider", "-p", "tests.campaigns.mutations.plugin", "-m", "not long"]
        return [sys.executable, "-m", "pytest", *options, "--basetemp", f"{self.tree.parent}/{name}", *paths]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        return os.environ | {"MUTATIONS_DATABASES": f"{self.tree.parent}/databases"} | more

    def _answer(self) -> dict[str, Any]:
        line = self.answers.readline()
        if not line:
            raise SystemExit(self.log.read_text()[-4000:])
        return dict(json.loads(line))


@contextmanager
def written(path: Path, text: str, changed: str) -> Iterator[None]:
    """Write a changed file, and the unchanged one again at the end. Its compiled form goes, too: only its second and
    its length would tell it from the other."""
    compiled = Path(importlib.util.cache_from_source(str(path)))
    path.write_text(changed)
    compiled.unlink(missing_ok=True)
    try:
        yield
    finally:
        path.write_text(text)
        compiled.unlink(missing_ok=True)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.mutations", description="Break the code; keep what is found."
    )
    parser.add_argument("--package", action="append", help=f"again for each; without, {' '.join(sorted(NEIGHBOURS))}")
    parser.add_argument("--count", type=int, default=60, help="places of each package")
    parser.add_argument("--seed", type=int, default=1, help="to draw the same again; what is in the list is left out")
    parser.add_argument("--seconds", type=float, default=15, help="of one core, for each change that no test finds")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--measure", action="store_true", help="only measure all tests: an hour or more of one core")
    modes.add_argument("--again", action="store_true", help="try the changes that were found")
    modes.add_argument("--missed", action="store_true", help="try the changes that were not found")
    modes.add_argument("--found-by", action="append", metavar="TESTS", help="try what these tests found, without them")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
