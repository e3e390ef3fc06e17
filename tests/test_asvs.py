"""deploy/ASVS.md: every requirement that was chosen has a row, and whatever a row names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
# Chapter by chapter: the requirement, and its level.
_CHAPTERS = """
1.2.1/1 1.3.6/2 1.3.7/2 1.3.12/3
2.2.3/2 2.3.1/1 2.3.3/2 2.3.4/2 2.4.1/2
3.2.1/1 3.3.1/1 3.3.3/2 3.3.4/2 3.4.1/1 3.4.3/2 3.4.6/2 3.4.8/3 3.5.1/1 3.7.2/2
4.1.3/2 4.1.5/3
5.1.1/2 5.2.1/1 5.2.2/1 5.2.4/3 5.2.6/3 5.3.2/1 5.4.1/2 5.4.3/2
6.2.4/1 6.3.1/1 6.3.3/2 6.3.4/2 6.3.8/3 6.4.3/2 6.5.1/2
7.2.4/1 7.3.1/2 7.3.2/2 7.4.2/1
8.2.1/1 8.2.2/1 8.2.3/2 8.4.1/2
11.3.3/2 12.3.2/2 13.2.4/2 13.2.6/3 13.3.1/2 13.4.2/2
14.2.1/1 14.2.6/3 14.2.7/3 14.2.8/3 14.3.2/2
15.1.2/2 15.3.2/2 15.3.3/2 15.3.4/2 15.4.2/3
16.2.5/2 16.3.2/2 16.4.2/2 16.5.1/2 16.5.3/2
"""
CHOSEN = _CHAPTERS.split()
_LINES = (PROJECT / "deploy/ASVS.md").read_text().splitlines()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in _LINES if re.match(r"\| \d", line)]


def test_every_requirement_has_one_row_in_its_order() -> None:
    assert len(CHOSEN) == 65
    assert [f"{row[0]}/{row[1]}" for row in ROWS] == CHOSEN


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
