"""Part of pytest in `make mutations`: collects every test once, and then forks for each measurement and each change.

A child is a copy of the process with everything imported: it changes one function in its memory, runs the chosen tests
and ends. Requests and answers are lines of JSON on the pipes that MUTATIONS_PIPES names. Where MUTATIONS_TESTS names a
file instead, the process runs the tests listed there once, in their order, and writes which of them failed first.
"""

import ast
import contextlib
import functools
import gc
import inspect
import json
import os
import select
import shutil
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest
from django.core.management.commands.migrate import Command
from django.db import connections
from django.template import engines
from django.template.base import Template
from django.test.signals import template_rendered
from django.urls import URLResolver, get_resolver

from tests.campaigns.mutations.measured import by_function
from tests.migrated import migrate_or_copy

_RENDERING = "formation_portal.ui.forms.rendering"

failures: list[str] = []
Command.handle = migrate_or_copy(Path(os.environ["MUTATIONS_DATABASES"]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        failures.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if path := os.environ.get("MUTATIONS_TESTS"):
        order = {test: index for index, test in enumerate(json.loads(Path(path).read_text()))}
        chosen = [item for item in items if item.nodeid in order]
        items[:] = sorted(chosen, key=lambda item: (_is_last(item), order[item.nodeid]))


def pytest_sessionfinish() -> None:
    if path := os.environ.get("MUTATIONS_TESTS"):
        Path(path).with_suffix(".failed").write_text(json.dumps(failures))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    if "MUTATIONS_PIPES" not in os.environ:
        return None
    Server(session).serve()
    return True


def _is_last(item: pytest.Item) -> bool:
    """Return True for a test that empties the tables: it runs after those that roll back (pytest-django's order)."""
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or "transactional_db" in getattr(item, "fixturenames", ())


class Server:
    """Answers requests with children, each of which begins with the same databases and files."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self.modules: dict[str, list[str]] = {}
        for test in self.items:
            self.modules.setdefault(test.split("::")[0], []).append(test)
        factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        self.folder = factory.getbasetemp()
        self.copy = self.folder.with_name("unused")
        reading, writing = os.environ["MUTATIONS_PIPES"].split(",")
        self.requests, self.answers = os.fdopen(int(reading)), os.fdopen(int(writing), "w")

    def serve(self) -> None:
        first = next(item for item in self.session.items if item.path.name == "warm_up.py")
        second = next(item for item in self.session.items if item.path != first.path)
        gc.unfreeze()
        first.config.hook.pytest_runtest_protocol(item=first, nextitem=second)
        connections.close_all()
        shutil.copytree(self.folder, self.copy)
        self.functions = Functions(self.session.config.rootpath)
        gc.collect()
        gc.freeze()
        marks = {test: [mark.name for mark in item.iter_markers()] for test, item in self.items.items()}
        self._answer({"modules": self.modules, "marks": {test: names for test, names in marks.items() if names}})
        for line in self.requests:
            request = json.loads(line)
            work = self._measure if request["do"] == "measure" else self._try
            answer = self._fork(functools.partial(work, request), request["limit"])
            shutil.rmtree(self.folder)
            shutil.copytree(self.copy, self.folder)
            self._answer(answer)

    def _answer(self, answer: dict[str, Any]) -> None:
        self.answers.write(json.dumps(answer) + "\n")
        self.answers.flush()

    def _fork(self, work: Callable[[], dict[str, Any]], limit: float) -> dict[str, Any]:
        """Return what the work in a child returns: {"found_by": "time"} if it takes longer than `limit` seconds, and
        {"found_by": null} if the child crashes."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            code = 1
            try:
                os.setsid()
                os.close(reading)
                with os.fdopen(writing, "w") as pipe:
                    pipe.write(json.dumps(work()))
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            ends = time.monotonic() + limit
            text = ""
            while select.select([pipe], [], [], max(0, ends - time.monotonic()))[0]:
                part = os.read(pipe.fileno(), 1 << 20).decode()
                if not part:
                    break
                text += part
            else:
                text = '{"found_by": "time"}'
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return dict(json.loads(text or '{"found_by": null}'))

    def _in_order(self, tests: list[str]) -> list[pytest.Item]:
        return sorted((self.items[test] for test in tests), key=_is_last)

    def _run(self, tests: list[str]) -> Iterator[str]:
        """Run tests, those that empty the tables last; yield each name when it has run."""
        chosen = self._in_order(tests)
        state = self.session._setupstate
        state.teardown_exact(chosen[0])
        last = next(item for item in self.session.items if item.path != chosen[-1].path)
        for item, following in zip(chosen, [*chosen[1:], last], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield item.nodeid

    def _measure(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the seconds of each test of a module, those that fail, and who runs each line and template."""
        names = request["tests"]
        tree = str(self.session.config.rootpath)
        tracer = coverage.Coverage(data_file=None, config_file=False, include=[f"{tree}/formation_portal/*"])
        tracer.set_option("run:disable_warnings", ["no-data-collected"])
        templates: dict[str, set[str]] = {}
        running = ""

        def note(template: Any, **_: Any) -> None:
            templates.setdefault(template.origin.name, set()).add(running)

        def render(template: Any, context: Any) -> Any:
            note(template)
            return template.nodelist.render(context)

        Template._render = render  # type: ignore[method-assign]
        # Tests that look at the templates of an answer put Django's own function in its place, which sends this.
        template_rendered.connect(note, weak=False)
        seconds = {}
        tests = self._run(names)
        tracer.start()
        for running in [item.nodeid for item in self._in_order(names)]:
            tracer.switch_context(running)
            getattr(sys.modules.get(_RENDERING), "_cache", {}).clear()
            begun = sum(os.times()[:4])
            next(tests)
            seconds[running] = round(sum(os.times()[:4]) - begun, 3)
        tracer.stop()
        data = tracer.get_data()
        places = {
            f"{path.removeprefix(f'{tree}/')}::": tests_of_template for path, tests_of_template in templates.items()
        }
        for path in data.measured_files():
            places |= by_function(Path(tree), path.removeprefix(f"{tree}/"), data.contexts_by_lineno(path))
        numbers = {test: index for index, test in enumerate(seconds)}
        return {
            "tests": list(seconds),
            "seconds": list(seconds.values()),
            "failed": sorted(set(failures)),
            "places": {
                place: sorted(numbers[test] for test in runners if test in numbers)
                for place, runners in sorted(places.items())
            },
        }

    def _try(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run tests until one fails, in the order given. A Python file's functions are replaced in memory first."""
        path, after = request["path"], request["after"]
        if request["functions"]:
            is_replaced = self.functions.replace(path, request["before"], after, request["functions"])
        else:
            is_replaced = not path.endswith(".py") or self.functions.replace_at_import(path, after, request["line"])
        if not is_replaced:
            return {"found_by": None}
        for engine in engines.all():
            for loader in getattr(engine, "engine", None).template_loaders:  # type: ignore[union-attr]
                loader.reset()
        for _ in self._run(request["tests"]):
            if failures:
                return {"found_by": failures[0]}
        return {"found_by": ""}


class Functions:
    """The functions of the project that are in memory, and the caches around them, by the file that they come from.

    Looked for once, before any fork: a child that looks through all objects would copy them all.
    """

    def __init__(self, tree: Path) -> None:
        self.functions: dict[str, list[types.FunctionType]] = {}
        self.caches: dict[str, list[Any]] = {}
        package = f"{tree}/formation_portal/"
        for candidate in gc.get_objects():
            if type(candidate) is types.FunctionType:  # `isinstance` would wake lazy objects
                path = candidate.__code__.co_filename
                if path.startswith(package):
                    self.functions.setdefault(path, []).append(candidate)
            elif type(candidate) is functools._lru_cache_wrapper:
                wrapped = inspect.unwrap(candidate)
                if type(wrapped) is types.FunctionType and wrapped.__code__.co_filename.startswith(package):
                    self.caches.setdefault(wrapped.__code__.co_filename, []).append(candidate)

    def replace(self, path: str, before: str, after: str, first_lines: list[int]) -> bool:
        """Give the functions of a file that begin on these lines, outermost first, their changed code.

        Return False where no function has the code, or none can be given it: the change needs a new process.
        """
        old_codes, new_codes = _codes(compile(before, path, "exec")), _codes(compile(after, path, "exec"))
        replaced = 0
        for first_line in first_lines:
            old = next(code for code in old_codes if code.co_firstlineno == first_line and code.co_name[0] != "<")
            equal = [code for code in old_codes if code.co_qualname == old.co_qualname]
            new = [code for code in new_codes if code.co_qualname == old.co_qualname][equal.index(old)]
            for function in self.functions.get(path, ()):
                code = function.__code__
                if code.co_qualname == old.co_qualname and code.co_firstlineno == first_line:
                    if code.co_freevars != new.co_freevars:
                        return False
                    function.__code__ = new
                    replaced += 1
        for cache in self.caches.get(path, ()):
            cache.cache_clear()
        return replaced > 0

    def replace_at_import(self, path: str, after: str, line: int) -> bool:
        """Run the changed statement of a module again: a constant, a decorated function, or the order of a model.

        Return False where it is another. What other modules have made of it at import stays as it was.
        """
        module = next(module for module in sys.modules.values() if getattr(module, "__file__", None) == path)
        statement = None
        for node in ast.parse(after).body:
            if min(part.lineno for part in (node, *getattr(node, "decorator_list", ()))) <= line:
                statement = node
        match statement:
            case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)) | ast.FunctionDef(name):
                old = vars(module).get(name)
                exec(compile(ast.Module([statement], []), path, "exec"), vars(module))
                _exchange(old, vars(module)[name])
                return True
            case ast.ClassDef(name):
                for node in ast.walk(statement):
                    if (
                        isinstance(node, ast.Assign)
                        and node.lineno == line
                        and ast.unparse(node.targets[0]) == "ordering"
                    ):
                        vars(module)[name]._meta.ordering = ast.literal_eval(node.value)
                        return True
        return False


def _exchange(old: object, new: object) -> None:
    """Put a new function or constant into the place of the old one, in every module and every address."""
    for name, module in sys.modules.items():
        if name.startswith("formation_portal"):
            for variable, value in list(vars(module).items()):
                if value is old and (callable(old) or variable == variable.upper()):
                    setattr(module, variable, new)
    patterns = list(get_resolver().url_patterns)
    while patterns:
        pattern = patterns.pop()
        if isinstance(pattern, URLResolver):
            patterns += pattern.url_patterns
        elif pattern.callback is old:
            pattern.callback = new


def _codes(code: types.CodeType) -> list[types.CodeType]:
    codes = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            codes += _codes(constant)
    return codes
