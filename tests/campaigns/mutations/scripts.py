"""The ways to break a script of the pages, found in its text: so few need no parser."""

import re
from collections.abc import Iterator
from pathlib import Path

from .mutation import Mutation, number

# Comments, and strings on one line. They are blanked out, so that every place stays where it is.
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


def mutations(path: Path, text: str) -> list[Mutation]:
    code = _NO_CODE.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)

    def change(operator: str, start: int, end: int, source: str) -> Mutation:
        return Mutation(path, operator, "", text.count("\n", 0, start) + 1, start, end, source)

    def changes() -> Iterator[Mutation]:
        for match in _OPERATOR.finditer(code):
            for turned in _TURNED[match[0]]:
                yield change("compare", match.start(), match.end(), turned)
        for match in _DENIAL.finditer(code):
            yield change("condition", match.start(), match.end(), "")
        for match in _CONDITION.finditer(code):
            yield change("condition", match.start(), match.end(), f"(!{text[match.start() : match.end()]})")
        for match in _STATEMENT.finditer(code):
            if match[1].count("(") == match[1].count(")"):
                yield change("drop-call", match.start(1), match.end(1), ";")

    return number(changes(), text)
