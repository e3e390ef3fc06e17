"""The ways in which a script of the pages is broken, found in its text: no parser is needed for so few."""

import re
from collections.abc import Iterator
from pathlib import Path

from .operators import Mutation

# What is no code: comments, and strings on one line. It is blanked out, so that every place stays where it is.
_NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.S)
_TURNED = {
    "===": ("!==",), "!==": ("===",), "&&": ("||",), "||": ("&&",),
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
}  # fmt: skip
_OPERATOR = re.compile(r"(?<= )(?:===|!==|&&|\|\||<=|>=|<|>)(?= )")
_DENIAL = re.compile(r"(?<![\w!])!(?=[\w(])")
_CONDITION = re.compile(r"(?<=if )\((?=[^()]*(?:\([^()]*\)[^()]*)*\))[^()]*(?:\([^()]*\)[^()]*)*\)")
_STATEMENT = re.compile(
    r"^[ \t]*(?!const |let |var |return|import |export |break|continue|throw )([^\s{}][^\n{}]*;)$", re.M
)


def mutations(path: Path, text: str) -> list[list[Mutation]]:
    """For each place of the script that can be broken, the ways to break it."""
    code = _NO_CODE.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), text)

    def changed(start: int, end: int, source: str) -> Mutation:
        line = text.count("\n", 0, start) + 1
        return Mutation(path, line, line, start, end, source, at_import=True)

    def places() -> Iterator[list[Mutation]]:
        for found in _OPERATOR.finditer(code):
            yield [changed(found.start(), found.end(), other) for other in _TURNED[found[0]]]
        for found in _DENIAL.finditer(code):
            yield [changed(found.start(), found.end(), "")]
        for found in _CONDITION.finditer(code):
            yield [changed(found.start(), found.end(), f"(!{text[found.start() : found.end()]})")]
        for found in _STATEMENT.finditer(code):
            if found[1].count("(") == found[1].count(")"):
                yield [changed(found.start(1), found.end(1), ";")]

    return list(places())
