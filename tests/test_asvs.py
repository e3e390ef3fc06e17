"""deploy/ASVS.md: whatever a row names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
_LINES = (PROJECT / "deploy/ASVS.md").read_text().splitlines()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in _LINES if re.match(r"\| \d", line)]


def test_every_requirement_is_there_once() -> None:
    assert len({row[0] for row in ROWS}) == len(ROWS) == 65


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_a_row_names_exists(row: list[str]) -> None:
    _, _, asks, verdict, shown = row
    names = re.findall(r"`([^`]+)`", shown)
    assert asks
    assert re.fullmatch(r"met|open: [a-z -]+", verdict)
    # Without a test or a document nothing is met; what is open says in words what is missing.
    assert names if verdict == "met" else re.sub(r"`[^`]+`", "", shown).strip()
    for name in names:
        path, _, test = name.partition("::")
        test = test.rpartition("::")[2]  # without the class that it may stand in
        path, _, heading = path.partition("#")
        assert (PROJECT / path).is_file(), name
        assert not test or test in names_of(path), name
        assert not heading or heading in headings_of(path), name


@cache
def names_of(path: str) -> set[str]:
    tree = ast.parse((PROJECT / path).read_text())
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")}


@cache
def headings_of(path: str) -> set[str]:
    """As links name them: in small letters, with hyphens for spaces and without signs."""
    found = re.findall(r"^#+ (.+)$", (PROJECT / path).read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in found}


def test_links_between_the_documents_for_operators_lead_somewhere() -> None:
    for document in ("deploy/SECURITY.md", "deploy/README.md"):
        for target in re.findall(r"\]\(([^)]+)\)", (PROJECT / document).read_text()):
            path, _, heading = target.partition("#")
            file = (PROJECT / document).parent / path if path else PROJECT / document
            assert file.exists(), target
            assert not heading or heading in headings_of(str(file.resolve().relative_to(PROJECT))), target
