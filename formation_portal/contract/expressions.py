"""Compile and evaluate expressions of the Common Expression Language (INTERFACE.md, "Validations").

The limits keep a hostile schema from doing harm. The library stops an evaluation after 10,000 steps and a parse at 32
levels by itself, and its regular expressions take linear time.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cel_expr_python import cel

MAX_LENGTH = 1000

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
    _compiled: Any

    def holds(self, values: Values) -> bool:
        """Return the result for the values. Raises MissingAnswer, or ExpressionError for another result."""
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
        compiled = _ENVIRONMENT.compile(text)
    except Exception as error:
        # The library raises RuntimeError for what does not parse, and TypeError for a text that is no Unicode.
        raise ExpressionError(_first_line(error)) from error
    if compiled.return_type() not in (_Type.BOOL, _Type.DYN):
        raise ExpressionError(f"its result is {compiled.return_type().name().lower()}, not true or false")
    return Expression(names, compiled)


def _scan(text: str) -> frozenset[str]:
    """Return the names of values in the text. Raises ExpressionError for a macro inside a macro."""
    names: set[str] = set()
    # For each open bracket, whether a macro has opened it.
    brackets: list[bool] = []
    for token in _TOKEN.finditer(text):
        if token["macro"]:
            if any(brackets):
                raise ExpressionError("it has a macro inside a macro")
            brackets.append(True)
        elif token["open"]:
            brackets.append(False)
        elif token["close"] and brackets:
            brackets.pop()
        elif token["name"] in _NAMES:
            names.add(token["name"])
    return frozenset(names)


def _first_line(error: Exception | str) -> str:
    """Return the reason in the library's error, with the place if it has one, as one line."""
    line = re.sub(r"^[A-Z_]+: (?:ERROR: )?|\s*\(in container ''\)|\s*\[[A-Z_]+\]$", "", str(error).partition("\n")[0])
    return re.sub(r"^<input>:(-?\d+):(-?\d+):", r"line \1, character \2:", line)


def _distinct(members: list[Any]) -> list[Any]:
    """Return the members without repetitions. Lists and maps, which cannot be hashed, are compared as texts."""
    return list({repr(member) if isinstance(member, list | dict) else member: member for member in members}.values())


def _sum(members: list[Any]) -> float:
    return float(sum(members))


_ENVIRONMENT = cel.NewEnv(
    variables=_NAMES,
    functions=[
        cel.FunctionDecl("distinct", [cel.Overload("distinct_list", _LIST, [_LIST], False, _distinct)]),
        cel.FunctionDecl("sum", [cel.Overload("sum_list", _Type.DOUBLE, [_LIST], False, _sum)]),
    ],
)
