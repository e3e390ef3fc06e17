"""Which tests run which functions and templates, and how long each takes: measured once for each test file."""

import ast
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Place = tuple[str, str]  # file, qualified name of a function; "" for a template


@dataclass
class Measured:
    """The measurements in a folder, a file of JSON for each test file, valid until the test file changes.

    A measurement outlives changes of the code: an old one only makes the choice of tests less exact.
    """

    tree: Path
    folder: Path
    tests: dict[Place, set[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def load(self, test_files: Iterable[str]) -> None:
        for test_file in test_files:
            for in_browser in (False, True):
                if (path := self._path(test_file, in_browser)).exists():
                    self._add(json.loads(path.read_text()))

    def has(self, test_file: str, in_browser: bool) -> bool:
        return self._path(test_file, in_browser).exists()

    def touching(self, module: str, function: str, *, is_wide: bool) -> set[str]:
        """Return the tests that run a function; if `is_wide` and there are none, those that run others beside it."""
        tests = set(self.tests.get((module, function), ()))
        if not tests and is_wide:
            for (other_module, other), others in self.tests.items():
                if other_module == module and other.startswith(function.rpartition(".")[0]):
                    tests |= others
        return tests

    def add(self, test_file: str, in_browser: bool, answer: dict[str, Any]) -> None:
        measurement = {"tests": [], "seconds": [], "failed": [], "places": {}} | answer
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(test_file, in_browser).write_text(json.dumps(measurement))
        self._add(measurement)

    def _add(self, measurement: dict[str, Any]) -> None:
        tests, failed = measurement["tests"], set(measurement["failed"])
        for test, seconds in zip(tests, measurement["seconds"], strict=True):
            if test not in failed:
                self.seconds[test] = seconds
        for name, indexes in measurement["places"].items():
            file, _, function = name.partition("::")
            self.tests.setdefault((file, function), set()).update(tests[index] for index in indexes)

    def _path(self, test_file: str, in_browser: bool) -> Path:
        digest = hashlib.sha256((self.tree / test_file).read_bytes()).hexdigest()[:8]
        kind = ".browser" if in_browser else ""
        return self.folder / f"{test_file.replace('/', '.')}.{digest}{kind}.json"


def by_function(tree: Path, module: str, contexts: Mapping[int, Iterable[str]]) -> dict[str, set[str]]:
    """Return the tests that run each function of a module, from those that run each line.

    A function is named by its module and its qualified name: the innermost function or class around the line.
    """
    names: dict[int, str] = {}
    _name_lines(ast.parse((tree / module).read_text()), "", names)
    functions: dict[str, set[str]] = {}
    for line, tests in contexts.items():
        functions.setdefault(f"{module}::{names.get(line, '')}", set()).update(tests)
    return functions


def _name_lines(node: ast.AST, name: str, names: dict[int, str]) -> None:
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{name}.{child.name}".removeprefix(".")
            first = min(line.lineno for line in (child, *child.decorator_list))
            names.update(dict.fromkeys(range(first, (child.end_lineno or first) + 1), inner))
        _name_lines(child, inner, names)
