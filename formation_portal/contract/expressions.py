"""Compile and evaluate expressions of the Common Expression Language (INTERFACE.md, "Validations").

The limits keep a hostile schema from doing harm. The library stops an evaluation after 10,000 steps and a parse at 32
levels by itself. One step may still compare whole lists or search a long text, so that there are limits for these too.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cel_expr_python import cel

MAX_LENGTH = 1000
# The most characters of texts times characters of patterns in one evaluation, about a fiftieth of a second.
_MAX_MATCHING = 1_000_000
_MAX_NAMES_IN_MACRO = 30

_Type = cel.Type
_LIST = _Type.List(_Type.DYN)
_NAMES = {
    "entity": _Type.Map(_Type.STRING, _Type.DYN),
    "parties": _Type.List(_Type.Map(_Type.STRING, _Type.DYN)),
    "share_classes": _Type.List(_Type.Map(_Type.STRING, _Type.DYN)),
    "holdings": _Type.List(_Type.Map(_Type.STRING, _Type.DYN)),
    "today": _Type.STRING,
}
# Comments and texts, which hide what looks like code; macros with their bracket; other brackets; names.
_TOKEN = re.compile(
    r"""(?P<skipped>//[^\n]*|[rRbB]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))"""
    r"|(?P<macro>\.\s*(?:all|exists|exists_one|map|filter)\s*\()|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)
# What follows the name of a list of which a member is read, and that of a function; and the size of a list.
_MEMBER = re.compile(r"\s*[.\[]")
_CALL = re.compile(r"\s*\(")
_SIZE = re.compile(r"size\s*\(\s*(\w+)\s*\)")
# A repetition in a regular expression, like {2} or {1,20}.
_REPETITION = re.compile(r"\{(\d*),?(\d*)\}")
_LISTS = ("parties", "share_classes", "holdings")
# The name of the function that searches texts within a limit, as the environment knows it.
_MATCHES = "limited_matches"
# The library's errors about an answer that is missing, which they name.
_MISSING = re.compile(r'(?:Key not found in map : |No value with name )"(.*)"', re.DOTALL)


class ExpressionError(Exception):
    """An expression that cannot be judged. The message says why, in one line of English."""


class MissingAnswer(Exception):
    """An expression reads an answer that is missing. The argument names it, as far as the library tells."""


class Values:
    """Values by name, for any number of expressions: the library converts each once, when it is first read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.activation = _ENVIRONMENT.Activation(data=dict(values))


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression with the names of the values that it may read."""

    names: frozenset[str]
    # Whether it can make long texts or lists, which the values would keep.
    concatenates: bool
    _compiled: Any

    def holds(self, values: Values) -> bool:
        """Return the result for the values. Raises MissingAnswer, or ExpressionError for another result."""
        _matching.remaining = _MAX_MATCHING
        try:
            result = self._compiled.eval(activation=values.activation)
        except Exception as error:
            # The library raises RuntimeError for an evaluation that takes too many steps.
            raise ExpressionError(_first_line(error)) from error
        if result.type() == _Type.ERROR:
            message = str(result.value())
            if missing := _MISSING.search(message):
                raise MissingAnswer(missing[1])
            raise ExpressionError(_first_line(message))
        if result.type() != _Type.BOOL:
            raise ExpressionError(f"its result is {result.type().name().lower()}, not true or false")
        return bool(result.value())


def compile_expression(text: str) -> Expression:
    """Compile an expression. Raises ExpressionError for one that is over the limits or does not parse."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"it has more than {MAX_LENGTH} characters")
    names = _scan(text)
    try:
        compiled = _ENVIRONMENT.compile(_with_limited_matches(text))
    except Exception as error:
        # The library raises RuntimeError for what does not parse, and TypeError for a text that is no Unicode.
        raise ExpressionError(_first_line(error)) from error
    if compiled.return_type() not in (_Type.BOOL, _Type.DYN):
        raise ExpressionError(f"its result is {compiled.return_type().name().lower()}, not true or false")
    return Expression(names, "+" in text, compiled)


def _scan(text: str) -> frozenset[str]:
    """Return the names of values in the text. Raises ExpressionError for what could do too much in one step."""
    names: set[str] = set()
    sized = {match.start(1) for match in _SIZE.finditer(text)}
    # What has opened each open bracket: "macro", "distinct" or the bracket itself; and what the last one closed.
    brackets: list[str] = []
    last_closed = ""
    names_in_macro = 0
    for token in _TOKEN.finditer(text):
        if token["macro"]:
            if "macro" in brackets:
                raise ExpressionError("it has a macro inside a macro")
            if "[" in brackets or "{" in brackets:
                raise ExpressionError("it has a macro inside a list or map")
            if text[: token.start()].rstrip().endswith(")") and last_closed == "(":
                raise ExpressionError("it has a macro behind a bracket")
            brackets.append("macro")
            names_in_macro = 0
        elif token["open"]:
            is_distinct = token["open"] == "(" and text[: token.start()].rstrip().endswith("distinct")
            brackets.append("distinct" if is_distinct else token["open"])
        elif token["close"] and brackets:
            last_closed = brackets.pop()
        elif token["name"]:
            names_in_macro += 1
            if "macro" in brackets and names_in_macro > _MAX_NAMES_IN_MACRO:
                raise ExpressionError(f"it has more than {_MAX_NAMES_IN_MACRO} names inside a macro")
            if token["name"] in _NAMES:
                names.add(token["name"])
                is_whole = token["name"] in _LISTS and not _MEMBER.match(text, token.end())
                if is_whole and token.start() not in sized and not {"macro", "[", "{"}.isdisjoint(brackets):
                    raise ExpressionError(f"it names all {token['name']} inside a macro, list or map")
    return frozenset(names)


def _with_limited_matches(text: str) -> str:
    """Return the text with the library's function for regular expressions replaced by the limited one."""
    parts = []
    end = 0
    for token in _TOKEN.finditer(text):
        if token["name"] == "matches" and _CALL.match(text, token.end()):
            parts += [text[end : token.start()], _MATCHES]
            end = token.end()
    return "".join((*parts, text[end:]))


def _first_line(error: Exception | str) -> str:
    """Return the reason in the library's error, with the place if it has one, as one line."""
    line = re.sub(r"^[A-Z_]+: (?:ERROR: )?|\s*\(in container ''\)|\s*\[[A-Z_]+\]$", "", str(error).partition("\n")[0])
    return re.sub(r"^<input>:(-?\d+):(-?\d+):", r"line \1, character \2:", line)


def _distinct(members: list[Any]) -> list[Any]:
    """Return the members without repetitions. Lists and maps, which cannot be hashed, are compared as texts."""
    return list({repr(member) if isinstance(member, list | dict) else member: member for member in members}.values())


def _sum(members: list[Any]) -> float:
    return float(sum(members))


class _Matching(threading.local):
    """Count how much more the evaluation of a thread may search with regular expressions."""

    remaining = _MAX_MATCHING


def _matches(text: str, pattern: str) -> bool:
    """Search a text as the library does, within the limit. That takes time in proportion to both lengths."""
    size = len(pattern) + 1
    for repetition in _REPETITION.finditer(pattern):
        size *= max(int(digits or 1) for digits in repetition.groups()) or 1
    _matching.remaining -= size * (len(text) + 1)
    if _matching.remaining < 0:
        raise ValueError("its regular expressions take too long")
    result = _MATCH.eval(data={"text": text, "pattern": pattern})
    if result.type() == _Type.ERROR:
        raise ValueError(_first_line(str(result.value())))
    return bool(result.value())


_matching = _Matching()
_MATCH = cel.NewEnv(variables={"text": _Type.STRING, "pattern": _Type.STRING}).compile("text.matches(pattern)")
_TWO_TEXTS = [_Type.STRING, _Type.STRING]
_ENVIRONMENT = cel.NewEnv(
    variables=_NAMES,
    functions=[
        cel.FunctionDecl("distinct", [cel.Overload("distinct_list", _LIST, [_LIST], False, _distinct)]),
        cel.FunctionDecl("sum", [cel.Overload("sum_list", _Type.DOUBLE, [_LIST], False, _sum)]),
        cel.FunctionDecl(
            _MATCHES,
            [
                cel.Overload("limited_matches_of_text", _Type.BOOL, _TWO_TEXTS, True, _matches),
                cel.Overload("limited_matches", _Type.BOOL, _TWO_TEXTS, False, _matches),
            ],
        ),
    ],
)
