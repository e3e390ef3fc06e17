"""Part of pytest in each run of `make mutations`: says which test runs which line, or runs the chosen tests in order.

MUTATIONS_RUN names a JSON file: `tree`, `traced` (a pattern of modules, or null), `chosen` (the tests, or null for
all), `said` (where to write) and `kept` (a folder: databases are migrated once, and copied for every later run).
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest
from django.core.management.commands.migrate import Command

from tests.migrated import migrate_or_copy

_RUN = json.loads(Path(os.environ["MUTATIONS_RUN"]).read_text())
_CHOSEN = None if _RUN["chosen"] is None else {test: index for index, test in enumerate(_RUN["chosen"])}
_TRACER = coverage.Coverage(data_file=None, config_file=False, include=[_RUN["traced"] or "nothing"])
_TRACER.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured", "module-not-imported"])
_SECONDS: dict[str, float] = {}
_FAILED: set[str] = set()

if _CHOSEN is None:
    _TRACER.start()


Command.handle = migrate_or_copy(Path(_RUN["kept"]))


def _is_last(item: pytest.Item) -> bool:
    """A test that empties the tables runs after those that roll back (pytest-django's order)."""
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or "transactional_db" in getattr(item, "fixturenames", ())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _CHOSEN is not None:
        chosen = [item for item in items if item.nodeid in _CHOSEN]
        items[:] = sorted(chosen, key=lambda item: (_is_last(item), _CHOSEN[item.nodeid]))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begun = time.monotonic()
    if _CHOSEN is None:
        _TRACER.switch_context(item.nodeid)
    yield
    _SECONDS[item.nodeid] = time.monotonic() - begun


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _FAILED.add(report.nodeid)


def pytest_sessionfinish() -> None:
    lines: dict[str, dict[int, list[str]]] = {}
    if _CHOSEN is None:
        _TRACER.stop()
        data = _TRACER.get_data()
        lines = {
            str(Path(path).relative_to(_RUN["tree"])): data.contexts_by_lineno(path) for path in data.measured_files()
        }
    report = {"seconds": _SECONDS, "failed": sorted(_FAILED), "lines": lines}
    Path(_RUN["report"]).write_text(json.dumps(report))
