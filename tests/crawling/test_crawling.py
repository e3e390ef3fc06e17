"""What `make crawl` stands on: how a report is read, what is kept from the scanner, what counts as the same page."""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import requests
from django.urls import URLPattern, URLResolver, get_resolver
from lxml import html

from tests.crawling.launcher import first_of_each_name, is_repeated, kind_of
from tests.crawling.reports import DISMISSED, counts, findings, still_open
from tests.crawling.scanner import EXCLUDED, LEFT_OUT, MODULES, Scan, lure, repeated_names

# Of a real run: what it found in the portal, and two findings from elsewhere put into it.
REPORT = json.loads((Path(__file__).parent / "samples/report.json").read_text())
OUTPUT = """
[*] Wapiti found 118 URLs and forms during the scan
[*] Launching module sql
Max attack time was reached for module sql, stopping.
3 requests were skipped due to network issues
[!] Module xss seems broken and will be skipped
"""


def paths(resolver: URLResolver | None = None, before: str = "/") -> Iterator[str]:
    """Every address of the portal, an x for each part that varies."""
    for one in (resolver or get_resolver()).url_patterns:
        path = before + re.sub(r"<[^>]*>", "x", str(one.pattern))
        if isinstance(one, URLPattern):
            yield path
        else:
            yield from paths(one, path)


def test_a_report_has_its_findings_with_category_severity_and_place() -> None:
    found = findings(REPORT)
    assert counts(found) == {
        "cross_site_request_forgery_medium": 1,
        "internal_server_error_high": 1,
        "sql_injection_critical": 1,
    }
    assert str(still_open(found)[0]) == (
        "SQL Injection (critical, sql): GET /compare/ in product: SQL Injection via injection in the parameter product"
    )


def test_what_was_looked_into_is_no_longer_open_and_nothing_else() -> None:
    found = findings(REPORT)
    left = still_open(found)
    assert [one.category for one in left] == ["SQL Injection", "Internal Server Error"]
    assert {one.path for one in found if one not in left} == {"/display/"}


@pytest.mark.parametrize("one", DISMISSED, ids=lambda one: f"{one.category} {one.path}")
def test_a_dismissed_finding_has_a_reason_and_an_address_of_ours(one: object) -> None:
    assert any(fnmatchcase(path, one.path) for path in paths())  # type: ignore[attr-defined]
    assert one.reason.endswith(".")  # type: ignore[attr-defined]


@pytest.mark.parametrize("excluded", EXCLUDED)
def test_what_is_kept_from_the_scanner_is_there(excluded: str) -> None:
    assert excluded == "/static/*" or any(fnmatchcase(path, excluded) for path in paths())


def test_signing_out_and_deleting_are_kept_from_it() -> None:
    ends = re.compile(r"(logout|removal|erasure|withdrawal|deletion|revocation|leave|release)s?/$")
    ending = {path for path in paths() if ends.search(path) and not path.startswith("/api/")}
    assert ending
    left = {path for path in ending if not any(fnmatchcase(path, one) for one in EXCLUDED)}
    assert left == set()


def test_no_module_is_both_run_and_left_out() -> None:
    assert not {*MODULES} & {*LEFT_OUT}
    assert len({*MODULES} | {*LEFT_OUT}) == 33


def test_what_a_run_printed_is_read() -> None:
    run = Scan(REPORT, OUTPUT)
    assert (run.pages, run.stopped, run.unanswered, run.broken) == (118, ["sql"], 3, ["xss"])


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("/applications/FP-62XY-0Z2W-F5VT/people/", "/applications/FP-M8DE-GCDF-EW6E/people/", True),
        (
            "/applications/FP-62XY-0Z2W-F5VT/people/bfc0t37rme/",
            "/applications/FP-62XY-0Z2W-F5VT/people/d8xjtbs32n/",
            True,
        ),
        ("/applications/FP-62XY-0Z2W-F5VT/people/", "/applications/FP-62XY-0Z2W-F5VT/shares/", False),
        ("/applications/FP-1/sections/governance/", "/applications/FP-1/sections/bank-account/", False),
        ("/products/texas-llc/", "/products/gmbh-zug/", True),
        ("/products/texas-llc/", "/products/gmbh-zug/checklist/", False),
        ("/desk/audit/1/", "/desk/audit/20/", True),
    ],
)
def test_pages_of_one_kind_are_told_from_others(one: str, other: str, are_alike: bool) -> None:
    assert (kind_of("GET", one) == kind_of("GET", other)) is are_alike
    assert kind_of("GET", one) != kind_of("POST", one)


@pytest.mark.parametrize(
    ("method", "names", "before", "is_one_more"),
    [
        ("GET", "", [""], False),
        ("GET", "", ["", ""], True),
        ("GET", "a", ["", ""], False),
        ("POST", "abcde", ["abcde"], True),
        ("POST", "abcde", ["abcdf"], True),
        ("POST", "abcde", ["abcfg"], False),
        ("POST", "abc", ["abcdefg"], False),
    ],
)
def test_a_page_is_opened_twice_and_a_form_sent_once(
    method: str, names: str, before: list[str], is_one_more: bool
) -> None:
    assert is_repeated(method, frozenset(names), [frozenset(one) for one in before]) is is_one_more


def test_of_controls_of_a_kind_one_is_attacked_in_each_form() -> None:
    page = html.fromstring("""
    <div><form><input name="a"><input name="b" type="text"><input name="c"><input name="d" type="date">
    <input name="v1" type="hidden"><input name="v2" type="hidden"><input name="v3" type="hidden">
    <input name="r" type="radio"><input name="r" type="radio"><input name="s" type="radio"><input name="t" type="radio">
    <input name="e" inputmode="numeric"></form><form><input name="f"></form></div>
    """)
    assert repeated_names(page.iter("form")) == {"b", "c", "s", "t"}
    # What is the first of its kind elsewhere is attacked there, and so here too.
    other = html.fromstring('<form><input name="c"></form>')
    assert repeated_names([*page.iter("form"), other]) == {"b", "s", "t"}


def test_a_call_to_the_lure_is_kept_and_the_scanners_own_are_not() -> None:
    with lure() as lured:
        for path in ("get_ssrf.php?session_id=x", "ssrf/x/1/61/", "get_xxe.php?session_id=x"):
            assert requests.get(lured.address + path, timeout=10).json() == []
        assert lured.calls == ["/ssrf/x/1/61/"]


def test_of_boxes_under_one_name_the_first_is_attacked() -> None:
    given = [["a", "1"], ["b", "2"], ["a", "3"], ["c", ("x", b"")], ["b", "4"]]
    assert first_of_each_name(given) == [["a", "1"], ["b", "2"], ["c", ("x", b"")]]
