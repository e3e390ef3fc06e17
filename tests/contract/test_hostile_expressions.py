"""Whatever a schema gives as a rule: it is judged, or left out, within a second (INTERFACE.md, "Validations")."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from formation_portal.contract.needs import needs
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema_check import check_schema

from .builders import entity, form, question, record, role

_OPERATORS = [
    "&&",
    "||",
    "!",
    "-",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "*",
    "/",
    "%",
    "?",
    ":",
    " in ",
    ".",
    ",",
    ";",
]
_BRACKETS = ["(", ")", "[", "]", "{", "}", "[?", ".?"]
_NAMES = [
    "entity",
    "parties",
    "share_classes",
    "holdings",
    "today",
    "p",
    "answers",
    "capital",
    "amount",
    "roles",
    "text",
]
_CALLS = [
    "size(", "distinct(", "sum(", "has(", "type(", "int(", "uint(", "double(", "string(", "bytes(", "bool(", "dyn(",
    "duration(", "timestamp(", ".matches(", ".contains(", ".startsWith(", ".endsWith(", ".getFullYear(", ".split(",
    ".all(p,", ".exists(p,", ".exists_one(p,", ".map(p,", ".filter(p,", "cel.bind(", "math.greatest(", "optional.of(",
]  # fmt: skip
_LITERALS = [
    "true", "false", "null", "0", "1", "-1", "2.5", "1e400", "1u", "0xFFFFFFFFFFFFFFFF", "9223372036854775807",
    '"CHF"', "'x'", '"""', "'''", 'r"\\', 'b"\\xff"', '"\\u0000"', '"(a+)+$"', '"(a{1000}){1000}"', "[]", "{}",
    "as", "break", "const", "for", "function", "import", "let", "loop", "package", "namespace", "return", "var", "void",
    "//", "\n", "\t", " ", "\x00", "\ud800", "é", "𝔘", "\u202e", "google.protobuf.Any{", "a.b.c{d:", "#", "@", "$", "~",
    "1e-400", "\\", "`",
]  # fmt: skip
_TOKENS = st.sampled_from([*_OPERATORS, *_BRACKETS, *_NAMES, *_CALLS, *_LITERALS])

_SOUP = st.lists(_TOKENS, max_size=200).map("".join)


@st.composite
def _nested(draw: st.DrawFn) -> str:
    """Draw a text that opens, joins or closes the same tokens again and again."""
    before = draw(st.lists(_TOKENS, min_size=1, max_size=3).map("".join))
    after = draw(st.lists(_TOKENS, max_size=3).map("".join))
    count = draw(st.integers(1, 600))
    return before * count + draw(_expressions) + after * count


_VALUES = st.sampled_from(
    ["true", "1", "2.5", '"CHF"', "[]", "{}", *_NAMES[:5], "entity.capital.amount", "parties[0].age"]
)
_expressions = st.recursive(
    _VALUES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(_OPERATORS[4:14] + _OPERATORS[:2]), inner).map("".join),
        st.tuples(st.sampled_from(["!", "-"]), inner).map("".join),
        inner.map("({})".format),
        st.lists(inner, max_size=4).map(lambda members: f"[{', '.join(members)}]"),
        st.tuples(inner, inner, inner).map(lambda parts: "{} ? {} : {}".format(*parts)),
        st.tuples(st.sampled_from(_CALLS[:12]), inner).map(lambda parts: "".join(parts) + ")"),
        st.tuples(inner, st.sampled_from(_CALLS[14:18]), inner).map(lambda parts: "".join(parts) + ")"),
        st.tuples(inner, st.sampled_from(_CALLS[20:25]), inner).map(lambda parts: "".join(parts) + ")"),
        st.tuples(inner, inner).map(lambda parts: "{}[{}]".format(*parts)),
    ),
    max_leaves=40,
)  # fmt: skip


class Process:
    """A process that compiles and evaluates one text after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.contract.expression_process"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.outcomes: Counter[str] = Counter()

    def judge(self, text: str) -> None:
        """Fail if the text ends the process, takes more than a second of it, or raises another error."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"The process ended with {self._process.wait()}"
        outcome, seconds = json.loads(line)
        assert outcome in ("not compiled", "not judged", "True", "False")
        assert seconds < 1
        self.outcomes[outcome] += 1

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    process = Process()
    yield process
    process.end()
    # Not only texts that do not parse were tried.
    assert set(process.outcomes) == {"not compiled", "not judged", "True", "False"}


@settings(max_examples=300)
@example('parties.exists(p, entity.text.matches("(a?){500}(b?){400}c"))')
@example(" || ".join(['entity.text.matches("(a?){900}b")'] * 25))
@example("parties.all(p, " + "parties == parties && " * 40 + "true)")
@example("parties.map(p, [" + "p, " * 200 + "p]).all(x, " + "x == x && " * 30 + "true)")
@example("(parties + parties).all(p, " + "p == p && " * 90 + "true)")
@given(text=st.one_of(_SOUP, _nested(), _expressions).map(lambda text: text[:1200]))
def test_any_text_is_judged_or_left_out_within_a_second(process: Process, text: str) -> None:
    process.judge(text)


# Each is wrong in a way of its own, however the application is answered.
_WRONG_RULES = [
    # What does not parse.
    "", " ", "=", "= =", "entity.", "..entity", "(true", "true)", "[true", "{true", "true]", "true false", "true &&",
    "|| true", "true and true", "not true", "if true", "true;", "true,", "#", "@", "a ? b", "? true : false", "1..2",
    '"open', "'''open", "// only a comment", "x := 1", "true\x00", "\ud800", "\\", "`entity`", "true\u200b", "“true”",
    "entity->town", "$x == 1",
    # What it names does not exist.
    "town", "Entity.town == 1", "party.age > 18", "now()", "len(parties) > 1", "parties.any(p, true)", "self.x",
    "size() > 1", "size(parties, parties) > 1", "sum() > 1.0", "distinct(parties, 1) == []", "os.system('x')",
    "parties.all(true)", "parties.all(p.id, true)", "parties.all(p, q, r, true)", "has(entity)", "has(1)", "google.x{}",
    # It is no question that can be true or false.
    "1", "1.5", "1u", "null", '"true"', 'b"true"', "[true]", '{"a": true}', "size(parties)", "type(1)", "today",
    "entity", "parties", '1 + "1" == 2', "!1", "-true", "true + true", "1 && true", '"a" < 1', "[1] < [2]", "1 in 1",
    "(true)(true)", "true ? 1 : 2",
    # It is over a limit.
    "true && " * 125 + "true", "x" * 100_000, "(" * 400 + "true" + ")" * 400, "!(" * 300 + "true" + ")" * 300,
    "[" * 400 + "]" * 400 + " == []", "parties.all(p, parties.all(q, true))", "parties.map(p, parties.map(q, q)) == []",
    "1 + " * 240 + "1 > 0", "true ? " * 99 + "true" + " : false" * 20, "entity" + ".x" * 490,
    # It fails when it is judged.
    "1 / 0 == 1", "1 % 0 == 1", "parties[999].id == ''", "[1][1] == 1", 'int("x") == 1', '"x".matches("(")',
    'sum(["x"]) > 1.0', '"x".matches("(a{1000}){1000}")', 'timestamp("x") == timestamp("y")', "int(1e400) > 0",
    "9223372036854775807 + 1 > 0",
]  # fmt: skip
_WRONG_SHAPES = [
    None, True, 3, "true", [], ["true"], {}, {"rule": "false"}, {"message": "M"}, {"rule": None, "message": "M"},
    {"rule": ["false"], "message": "M"}, {"rule": {"a": 1}, "message": "M"}, {"rule": "false", "message": None},
    {"rule": "false", "message": ["M"]}, {"rule": "false", "message": "M", "level": "fatal"},
    {"rule": "false", "message": "M", "level": None}, {"rule": "false", "message": "M", "level": ["error"]},
]  # fmt: skip


def test_a_form_of_which_all_rules_but_one_are_wrong_is_offered_and_that_one_is_judged() -> None:
    wrong = [{"rule": rule, "message": "M", "field": "town"} for rule in _WRONG_RULES] + _WRONG_SHAPES
    assert len(wrong) > 99
    for rules in (wrong[:99], wrong[-99:]):
        rules.append({"rule": "false", "message": "Right", "field": "town"})
        schema = form(entity(question("town")), role("director"), validations=rules)
        told = record(schema, town="Zug")
        *verdicts, right = evaluate(schema, told).validations.verdicts()

        assert check_schema(schema).faults == ()
        assert [verdict.validation.stated.rule for verdict in verdicts if not verdict.fault] == []
        assert right.holds is False
        assert [need.text for need in needs(schema, told)] == ["Right"]
