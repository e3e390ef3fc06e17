"""Each operator changes a small text as it says, and a change is found again after the lines around it have moved."""

import ast
from pathlib import Path

import pytest

from . import operators, scripts, templates

_ENUMS = [("State", ["DRAFT", "SENT"]), ("Right", ["VIEW", "EDIT"])]


@pytest.mark.parametrize(
    ("operator", "text", "changed"),
    [
        ("compare", "ä = a < b", {"ä = (a <= b)", "ä = (a >= b)"}),
        ("condition", "ä = a and b", {"ä = (a or b)", "ä = a", "ä = b"}),
        ("drop-call", "row.save()", {"pass"}),
        ("drop-filter", "rows.filter(account=own, pk=1)", {"rows.filter(pk=1)", "rows.filter(account=own)"}),
        ("drop-lock", "rows.select_for_update().get(pk=1)", {"rows.all().get(pk=1)"}),
        ("drop-atomic", "@atomic\ndef f(): ...", {"@(lambda function: function)\ndef f(): ..."}),
        ("enum", "x = State.SENT", {"x = State.DRAFT"}),
        ("minor-units", "x = 10**places", {"x = 10 ** 2"}),
        ("number", "rows[:20]", {"rows[:21]"}),
        ("on-commit", "x = on_commit(tidy)", {"x = (tidy)()"}),
        ("permission", "@opens(Opens.QUEUE)\ndef f(): ...", {"@(lambda view: view)\ndef f(): ..."}),
        ("permission", "x = user.has_perm(Right.VIEW)", {"x = True", "x = user.has_perm(Right.EDIT)"}),
        ("return", "def f() -> bool:\n    return True", {"def f() -> bool:\n    return False"}),
        ("reverse-order", "rows.order_by('a', 'b')", {"rows.order_by('-a', 'b')", "rows.order_by('a', '-b')", "rows"}),
        ("reverse-order", "class Meta:\n    ordering = ('-a',)", {"class Meta:\n    ordering = ('a',)"}),
        ("swap-arguments", "x = f(a, b)", {"x = f(b, a)"}),
        ("swap-columns", "def f(row):\n    x = row.a\n    y = row.b", {
            "def f(row):\n    x = row.b\n    y = row.b", "def f(row):\n    x = row.a\n    y = row.a",
        }),
        ("time-zone", "x = localdate(at)", {"x = (at).date()"}),
        ("unescape", "f'<b>{escape(label)} ä</b>'", {"f'<b>{label} ä</b>'"}),
    ],
)  # fmt: skip
def test_python_is_changed(operator: str, text: str, changed: set[str]) -> None:
    mutations = operators.mutations(Path("module.py"), text, _ENUMS)
    sources = {mutation.apply(text) for mutation in mutations if mutation.operator == operator}
    for source in sources:
        ast.parse(source)
    assert sources - {"pass"} == changed - {"pass"}
    assert operator != "drop-call" or "pass" in sources


@pytest.mark.parametrize("text", ["log.info('a')", "assert a == b", "x = 'a == b'", 'def f(a: "a == b") -> None: ...'])
def test_no_log_no_assertion_and_no_text_is_changed(text: str) -> None:
    assert not operators.mutations(Path("module.py"), text, _ENUMS)


@pytest.mark.parametrize(
    ("operator", "text", "changed"),
    [
        ("condition", "{% if a and b %}", {"{% if a %}", "{% if b %}", "{% if True %}", "{% if not a and b %}"}),
        ("drop-attribute", '<a href="{% url "x" %}" id="y">', {'<a  id="y">', '<a href="{% url "x" %}" >'}),
        ("drop-filter", "{{ day|date }}", {"{{ day }}"}),
        ("drop-include", "{% include 'a.html' %}", {""}),
        ("drop-token", "{% csrf_token %}", {""}),
        ("empty-loop", "{% for a, b in rows %}", {"{% for a, b in '' %}"}),
        ("reverse-order", "{% for a in rows %}", {"{% for a in rows reversed %}"}),
        ("swap-address", "{% url 'a' x %}{% url 'b' y %}", {
            "{% url 'b' x %}{% url 'b' y %}", "{% url 'a' x %}{% url 'a' y %}",
        }),
        ("swap-arguments", "{% url 'a' x y %}", {"{% url 'a' y x %}"}),
        ("swap-columns", "{{ row.a }}{{ row.b }}", {"{{ row.b }}{{ row.b }}", "{{ row.a }}{{ row.a }}"}),
        ("unescape", "{{ label }}", {"{{ label|safe }}"}),
        ("condition", "{# {% if a %} #}", set()),
    ],
)  # fmt: skip
def test_a_template_is_changed(operator: str, text: str, changed: set[str]) -> None:
    mutations = templates.mutations(Path("page.html"), text)
    assert {mutation.apply(text) for mutation in mutations if mutation.operator == operator} == changed


def test_a_script_is_changed() -> None:
    text = "if (isHeld) stop(); // a && b"
    changed = {mutation.apply(text) for mutation in scripts.mutations(Path("script.js"), text)}
    assert changed == {"if (!(isHeld)) stop(); // a && b"}


def test_a_change_is_found_again_after_its_lines_have_moved() -> None:
    tree, path = Path("tree"), Path("tree/module.py")
    text = "def f(a, b):\n    g(a)\n    g(a)\n"
    moved = "import x\n\n\ndef h():\n    pass\n\n\n" + text
    keys = {mutation.key(tree, text) for mutation in operators.mutations(path, text, _ENUMS)}
    assert keys == {
        ("module.py", "f", "drop-call", "g(a)", "pass", 0),
        ("module.py", "f", "drop-call", "g(a)", "pass", 1),
    }
    assert keys == {mutation.key(tree, moved) for mutation in operators.mutations(path, moved, _ENUMS)}
