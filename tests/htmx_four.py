"""`make htmx4`: the browser's tests with htmx 4 as django-htmx ships it, and its bridge from version 2.

Reported and not required: lines of `name value`, and the tests that fail. `python -m tests.htmx_four [TEST …]`.
"""

import sys
from collections import defaultdict
from functools import partial
from typing import Any

import django_htmx.templatetags.django_htmx as tags
import pytest

TESTS = (
    "tests/journeys/chromium/test_questions.py",
    "tests/journeys/chromium/test_choices.py",
    "tests/journeys/chromium/test_inactive_answers.py",
    "tests/journeys/chromium/test_shares.py",
    "tests/journeys/end_to_end/test_companies_in_chromium.py",
    "tests/journeys/chromium/test_layout_stability.py",
    "tests/journeys/walkthroughs",
    "tests/portal/sections/test_script.py",
    "tests/portal/catalog/test_catalog_in_chromium.py",
    "tests/portal/catalog/test_compare_in_chromium.py",
    "tests/portal/sections/test_uploading_in_chromium.py",
    "tests/fast_typing",
)
# Also those that take long, but for those without script.
_CHOSEN = ("-m", "browser", "-k", "not no-script and not without-script")


class VersionFour:
    """While it is plugged in, every page loads version 4; counts what came of each test."""

    def __init__(self) -> None:
        self.others: defaultdict[str, set[str]] = defaultdict(set)
        self.failed: set[str] = set()

    def pytest_configure(self) -> None:
        drawn: Any = tags.base_htmx_script
        tags.base_htmx_script = partial(_drawn_as_four, drawn)  # type: ignore[assignment]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" or report.skipped:
            self.others[report.outcome].add(report.nodeid)


def _drawn_as_four(drawn: Any, **options: Any) -> Any:
    return drawn(**options | {"version": 4, "extensions": "htmx-2-compat"})


def main(*wanted: str) -> int:
    """Always 0."""
    plugin = VersionFour()
    pytest.main(
        ["-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", *(wanted or (*TESTS, *_CHOSEN))], plugins=[plugin]
    )
    for name in ("passed", "skipped"):
        sys.stdout.write(f"htmx4_{name} {len(plugin.others[name] - plugin.failed)}\n")
    sys.stdout.write(f"htmx4_failed {len(plugin.failed)}\n")
    for test in sorted(plugin.failed):
        sys.stdout.write(f"htmx4_fails {test}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
