"""Each operator changes what it says and nothing else; a change of a tiny module is found, or named."""

import ast
import shutil
import tempfile
from pathlib import Path

import pytest

from . import operators, scripts
from .__main__ import Run, sample

_MEMBERS = [("State", ["DRAFT", "SENT"])]


def _broken(text: str) -> set[str]:
    places = operators.mutations(Path("module.py"), text, _MEMBERS)
    changed = {one.applied(text) for ways in places for one in ways}
    for one in changed:
        ast.parse(one)
    return changed


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("rows.filter(account=own, pk=1)", {"rows.filter(pk=1)", "rows.filter(account=own)"}),
        ("rows.exclude(sent=True)", {"rows.exclude()"}),
        ("rows.get(pk=1, account=own)", {"rows.get(pk=1)", "rows.get(account=own)"}),
        ("escape(label)", {"label"}),
        ("f'<b>{escape(label)} ä</b>'", {"f'<b>{label} ä</b>'"}),
        ("a < b", {"(a <= b)", "(a >= b)"}),
        ("a == b", {"(a != b)"}),
        ("a in b", {"(a not in b)"}),
        ("a and b", {"(a or b)", "a", "b"}),
        ("not a", {"a"}),
        ("rows[:20]", {"rows[:21]"}),
        ("State.SENT", {"State.DRAFT"}),
        ("lock(f'ä')", set()),
        ("'a string'", set()),
    ],
)  # fmt: skip
def test_an_expression_is_broken(text: str, broken: set[str]) -> None:
    assert _broken(f"ä = {text}") == {f"ä = {one}" for one in broken}


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("row.save()", {"pass"}),
        ("transaction.on_commit(tidy)", {"pass", "(tidy)()"}),
        ("log.info('sent')", set()),
        ("assert a == b", set()),
        ("def f() -> bool:\n    return True", {"def f() -> bool:\n    return False"}),
        ("def f() -> str:\n    return name", {"def f() -> str:\n    return ''"}),
        ("def __str__(self) -> str:\n    return self.name", set()),
        ('def f(a: "a == b") -> None:\n    """Not a == b."""', set()),
        ("class A:\n    class Meta:\n        of = a == b", set()),
        ("if is_open:\n    a", {"if (not is_open):\n    a"}),
    ],
)
def test_a_statement_is_broken(text: str, broken: set[str]) -> None:
    assert _broken(text) == broken


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("if (isHeld) stop();", {"if (!(isHeld)) stop();", ";"}),
        ("x = a === b;", {"x = a !== b;", ";"}),
        ("const x = !a && b;", {"const x = a && b;", "const x = !a || b;"}),
        ("  // x = a === b;", set()),
        ('const x = "a && b";', set()),
    ],
)
def test_a_script_is_broken(text: str, broken: set[str]) -> None:
    places = scripts.mutations(Path("script.js"), text)
    assert {one.applied(text) for ways in places for one in ways} == broken


def test_a_seed_draws_the_same_again(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    mail = Path("formation_portal/mail")
    shutil.copytree(Path(__file__).resolve().parents[2] / mail, tree / mail)
    assert sample(tree, "mail", 5, 1) == sample(tree, "mail", 5, 1) != sample(tree, "mail", 5, 2)
    assert {one.path.name for one in sample(tree, "mail", 5, 1, "outbox")} == {"outbox.py"}


@pytest.mark.long
def test_a_change_is_found_by_the_tests_that_run_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tree = tmp_path / "tree"
    files = {
        "formation_portal/__init__.py": "",
        "formation_portal/tiny/__init__.py": "def is_full(count):\n    return count >= 3\n",
        "tests/__init__.py": "",
        "tests/tiny/__init__.py": "",
        "tests/tiny/test_tiny.py": (
            "from formation_portal.tiny import is_full\n"
            "def test_full():\n    assert is_full(4) and not is_full(1)\n"
            "def test_nothing():\n    pass\n"
        ),
        "tests/mutations/__init__.py": "",
        "tests/mutations/plugin.py": Path(__file__).with_name("plugin.py").read_text(),
        "pytest.ini": "[pytest]\naddopts = -p no:django\nmarkers =\n    browser: x\n    long: x\n",
    }
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    run = Run(tree, ["tests/tiny"], "tiny")
    unbroken = run.unbroken()
    assert unbroken["lines"]["formation_portal/tiny/__init__.py"]["2"] == ["tests/tiny/test_tiny.py::test_full"]
    module = tree / "formation_portal/tiny/__init__.py"
    for source, found_by in (("count >= 9", "tests/tiny/test_tiny.py::test_full"), ("count >= 4", "")):
        module.write_text(module.read_text().replace("count >= 3", source))
        assert run.found_by({"tests/tiny/test_tiny.py::test_full": 1.0}) == found_by
        module.write_text(files["formation_portal/tiny/__init__.py"])
