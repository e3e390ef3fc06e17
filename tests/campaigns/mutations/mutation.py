"""One change of one source file, and the key that finds it again after other lines have moved."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

Key = tuple[str, str, str, str, str, int]


@dataclass(frozen=True)
class Mutation:
    """Replace the characters from `start` to `end` of a file by `source`."""

    path: Path
    operator: str
    function: str  # qualified name of the enclosing function or class; a template's block; "" at the top of the file
    line: int
    start: int
    end: int
    source: str
    at_import: bool = False  # the line runs once, when its module is imported
    is_cached: bool = False  # the function keeps its results from test to test
    first_lines: tuple[int, ...] = ()  # of the enclosing functions, the outermost first
    nth: int = 0  # among equal changes of the function

    def apply(self, text: str) -> str:
        return text[: self.start] + self.source + text[self.end :]

    def before(self, text: str) -> str:
        return " ".join(text[self.start : self.end].split())

    @property
    def after(self) -> str:
        return " ".join(self.source.split())

    def show(self, text: str) -> str:
        begin = text.rfind("\n", 0, self.start) + 1
        end = text.find("\n", self.end) % (len(text) + 1)
        before, after = text[begin:end], text[begin : self.start] + self.source + text[self.end : end]
        return f"{' '.join(before.split())} → {' '.join(after.split())}"

    def key(self, tree: Path, text: str) -> Key:
        module = self.path.relative_to(tree).as_posix()
        return module, self.function, self.operator, self.before(text), self.after, self.nth


def number(mutations: Iterable[Mutation], text: str) -> list[Mutation]:
    """Number equal changes of one function, and leave out those that change nothing."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    numbered = []
    for mutation in mutations:
        before = mutation.before(text)
        if before == mutation.after:
            continue
        equal = (mutation.function, mutation.operator, before, mutation.after)
        numbered.append(replace(mutation, nth=counts[equal]))
        counts[equal] += 1
    return numbered
