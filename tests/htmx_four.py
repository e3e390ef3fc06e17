"""`make htmx4`: the browser's tests with htmx 4 as django-htmx ships it, and its bridge from version 2.

Reported and not required: lines of `name value`, and the tests that fail. `python -m tests.htmx_four [TEST …]`.
"""

import sys
from collections import defaultdict

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
        from formation_portal import apps
        from formation_portal.core import static_files

        four = ("django_htmx/htmx-4.min.js", "django_htmx/ext/htmx-2-compat-4.min.js")
        static_files.SCRIPTS = (*static_files.SCRIPTS[:-1], *four)  # type: ignore[assignment]
        left_out = apps.StaticFiles.ignore_patterns
        apps.StaticFiles.ignore_patterns = [one for one in left_out if one not in ("ext", "htmx-4*")]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" or report.skipped:
            self.others[report.outcome].add(report.nodeid)


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
