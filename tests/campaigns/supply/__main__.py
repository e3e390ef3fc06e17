"""`make supply`: what we ship (SBOM), its licences, and weak places in our code; lines of `name value`.

Its tools have an environment of their own (SUPPLY_PYTHON). It asks nobody: semgrep has the rules of this folder alone.
Exit 1 where something was found, where the SBOM lacks a package, and where a rule no longer finds its sample. Whether
a package is known to be vulnerable needs a source of advisories, which is not asked here: that is "not run".
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PROJECT = Path(__file__).parents[3]
LOCK = PROJECT / "requirements.txt"


def pinned(lock: Path = LOCK) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)(?:\[[a-z0-9,-]+\])?==(\S+)", lock.read_text(), re.MULTILINE))


_RESULTS = PROJECT / "test-results"
_CODE = ("formation_portal", "templates", "static/js")
_SAMPLES = PROJECT / "tests/campaigns/supply/samples"
_RULES = PROJECT / "tests/campaigns/supply/rules.yaml"
# What may be shipped with a product without opening its source. Of those that are given under several, one is enough.
_ALLOWED = re.compile(
    r"\b(0BSD|Apache|BSD|CC0|ISC|MIT|MPL|Mozilla Public|PSF|Python Software Foundation|Unlicense|Zope Public)",
    re.IGNORECASE,
)
# Read by hand, where a package's own word is not enough: the library's own linking exception (LGPL), used unchanged.
_READ = {"psycopg", "psycopg-binary"}


def main() -> int:
    tools = Path(os.environ["SUPPLY_PYTHON"]).parent
    _RESULTS.mkdir(exist_ok=True)
    failed = False
    for name, found in (
        ("sbom_missing", _missing_in_sbom(tools)),
        ("bandit_findings", _bandit(tools)),
        ("semgrep_findings", _semgrep(tools)),
        ("licences_refused", _licences(tools)),
    ):
        lines = list(found)
        sys.stdout.write(f"{name} {len(lines)}\n")
        sys.stdout.writelines(f"  {line}\n" for line in lines)
        failed |= bool(lines)
    sys.stdout.write("known_vulnerabilities not run: no source of advisories is asked; run pip-audit where one is\n")
    return int(failed)


def _run(*command: str | Path, codes: Iterable[int] = (0,)) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=PROJECT, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode not in codes:
        raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _missing_in_sbom(tools: Path) -> list[str]:
    """Writes the SBOM; what is pinned and not in it."""
    path = _RESULTS / "sbom.json"
    _run(tools / "cyclonedx-py", "requirements", "requirements.txt", "--pyproject", "pyproject.toml", "-o", path)
    listed = {f"{one['name'].lower()}=={one['version']}" for one in json.loads(path.read_text())["components"]}
    return sorted({f"{name}=={version}" for name, version in pinned().items()} - listed)


def _bandit(tools: Path) -> Iterator[str]:
    found = _run(
        tools / "bandit", "-q", "-r", "formation_portal", "-ll", "-f", "json", "-x", "*/migrations/*", codes=(0, 1)
    )
    for one in json.loads(found)["results"]:
        yield f"{one['filename']}:{one['line_number']} {one['test_id']} {one['issue_text']}"


def _semgrep(tools: Path) -> Iterator[str]:
    """What the rules find in the code; and what they don't find in the samples, or find where all is well."""
    found: set[tuple[str, str, int]] = set()
    with TemporaryDirectory() as folder:
        # Elsewhere, since semgrep leaves out folders of tests.
        shutil.copytree(_SAMPLES, Path(folder) / "samples")
        options = ("--metrics", "off", "--disable-version-check", "--no-git-ignore", "--quiet", "--json")
        said = _run(tools / "semgrep", "scan", *options, "--config", _RULES, *_CODE, f"{folder}/samples")
        answer: dict[str, Any] = json.loads(said)
        for error in answer["errors"]:
            yield f"semgrep: {error.get('message', '')[:200]}"
        for one in answer["results"]:
            rule, path, line = one["check_id"].rpartition(".")[2], Path(one["path"]), one["start"]["line"]
            if path.is_relative_to(folder):
                found.add((path.name, rule, line))
            else:
                yield f"{path}:{line} {rule}: {one['extra']['message']}"
    wanted = set(_samples())
    for name, rule, line in sorted(wanted - found):
        yield f"{name}:{line} {rule} no longer finds its sample"
    for name, rule, line in sorted((found - wanted) & set(_samples("ok"))):
        yield f"{name}:{line} {rule} finds what is right"
    for rule in sorted(rules() - {rule for _, rule, _ in wanted}):
        yield f"{rule} has no sample"


def rules() -> set[str]:
    return set(re.findall(r"^  - id: (\S+)$", _RULES.read_text(), re.MULTILINE))


def _samples(mark: str = "ruleid") -> Iterator[tuple[str, str, int]]:
    """File, rule and line of each sample: the line after its mark."""
    for path in sorted(_SAMPLES.iterdir()):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if said := re.search(rf"\b{mark}: ([\w-]+)", line):
                yield path.name, said[1], number + 1


def _licences(tools: Path) -> Iterator[str]:
    """Packages that we ship whose licence nobody has allowed; all of them are listed in test-results."""
    options = ("--python", sys.executable, "--from", "mixed", "--with-system", "--format", "json")
    packages = json.loads(_run(tools / "pip-licenses", *options))
    own = {name: one for one in packages if (name := normalised(one["Name"])) in pinned()}
    lines = [f"{name} {own[name]['Version']}: {own[name]['License']}\n" for name in sorted(own)]
    (_RESULTS / "licences.txt").write_text("".join(lines))
    for name in sorted(pinned()):
        if name not in own:
            yield f"{name}: not installed"
        elif name not in _READ and not _ALLOWED.search(own[name]["License"]):
            yield f"{name}: {own[name]['License']}"


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
