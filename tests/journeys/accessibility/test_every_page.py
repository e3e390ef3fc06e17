"""What holds for every page and state: valid HTML, errors that lead to their fields, and no barrier.

A submission looks for barriers in one state of each page, `make test-long` in all.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings
from lxml import html as lxml_html
from playwright.sync_api import Page as Tab

from tests.access.test_table import ACCOUNTS, DESK, EVERYBODY, GUESTS, PORTAL, full_name
from tests.error_summaries import faults_of_summary
from tests.golden.conftest import _quiet, both_databases, golden
from tests.golden.golden_world import GoldenWorld
from tests.journeys.accessibility.barriers import (
    EVERY_VIEW,
    HEIGHT,
    NARROW,
    NARROW_AND_DARK,
    WIDE,
    badly_printed,
    barriers,
    too_wide,
)
from tests.journeys.accessibility.drawn_pages import DrawnPage, draw_pages, show
from tests.journeys.accessibility.page_behaviour import (
    AGENTS,
    CUSTOMERS,
    MOST_SHIFT,
    behaviour_problems,
    broken_words,
    cut_when_spaced,
    lost_on_paper_and_in_other_colours,
    moving,
    shifted,
)
from tests.journeys.browser import launched
from tests.journeys.page import is_hidden
from tests.journeys.site import with_static_files
from tests.needed import has_chromium, needed
from tests.nu import faults, has_java

__all__ = ["_quiet", "both_databases", "golden"]

# The pages are drawn once for all of them.
pytestmark = [pytest.mark.usefixtures("_quiet"), pytest.mark.xdist_group("every page")]

_QUESTION = re.compile(r"^q:[^:]+(:\w+)?$")
# Their looks are set by the e-mail itself.
_NOT_OURS = ("letters/letter_body", "gallery/letters", "everybody/gallery_letter")
# What they answer with is read by no browser as a page, or is a page of another address or of an e-mail's own.
WITHOUT_A_PAGE = {
    *("desk:audit_table", "desk:statistics_table", "desk:record", "desk:record_pdf", "desk:screening_file"),
    *("portal:record", "portal:record_pdf", "portal:data_export", "portal:spreadsheet_csv", "portal:spreadsheet_xlsx"),
    *("desk:document", "portal:document", "portal:part_document", "portal:document_thumbnail"),
    *("desk:document_picture", "portal:document_picture", "portal:operator_accent", "portal:operator_logo"),
    *("portal:choice_restoration", "portal:part_choice_restoration", "mfa_download_recovery_codes"),
    *("portal:gallery_letters", "portal:gallery_letter", "portal:letter_body"),
}


@pytest.fixture(scope="module")
def pages(golden: GoldenWorld, collected: Path) -> Iterator[list[DrawnPage]]:
    with with_static_files(collected):
        yield [page for page in draw_pages(golden) if not page.name.startswith(_NOT_OURS)]


@needed("Java", has_java())
def test_every_page_is_valid_html(pages: list[DrawnPage], tmp_path: Path) -> None:
    found = faults({page.name: page.html for page in pages}, tmp_path)
    assert not found, "\n".join(found)


def test_a_customers_error_is_said_once_with_the_words_at_its_field(pages: list[DrawnPage]) -> None:
    summarised = [page for page in pages if "error-summary" in page.html and not (page.is_part or page.is_for_agents)]
    with_errors = [page for page in summarised if not page.name.startswith("everybody/gallery")]
    assert len(with_errors) >= 15
    # What is wrong with a name and a password together belongs to neither.
    found = [
        f"{page.name}: {fault}"
        for page in with_errors
        for fault in faults_of_summary(page.html, is_for_several=page.path.startswith("/accounts/"))
    ]
    assert not found, "\n".join(found)


def test_no_page_asks_the_same_question_twice(pages: list[DrawnPage]) -> None:
    for page in pages:
        for form in lxml_html.fromstring(page.html).xpath("//form"):
            ids = Counter(
                (control.get("name"), control.get("value" if control.get("type") in ("radio", "checkbox") else "id"))
                for control in form.xpath(".//input[not(@type='hidden')] | .//select | .//textarea")
                if _QUESTION.match(control.get("name", "")) and not is_hidden(control)
            )
            assert not [name for name, times in ids.items() if times > 1], page.name


def test_every_table_that_may_be_too_wide_scrolls_in_a_named_region(pages: list[DrawnPage]) -> None:
    scrolled = 0
    for page in pages:
        for region in lxml_html.fromstring(page.html).xpath("//*[contains(concat(' ', @class, ' '), ' scroll ')]"):
            scrolled += 1
            assert (region.get("role"), region.get("tabindex")) == ("region", "0"), page.name
            assert region.get("aria-label") or region.get("aria-labelledby"), page.name
    assert scrolled > 3


def one_state_of_each(pages: list[DrawnPage]) -> list[DrawnPage]:
    """Choose the first state of each page, and the pages of errors."""
    whole = [page for page in reversed(pages) if not page.is_part and (page.status == 200 or not page.view)]
    return list({page.view or page.name: page for page in whole}.values())


def test_no_page_is_left_out(pages: list[DrawnPage]) -> None:
    by_space = (("desk", DESK), ("portal", [*PORTAL, *EVERYBODY, *GUESTS]))
    answers = {
        full_name(row, space): {row.cells.get("GET") or row["GET, signed in"]}
        for space, rows in by_space
        for row in rows
    }
    answers |= {
        row.name: set(row.cells.values()) for row in ACCOUNTS if row["method"] == "GET" and " of " not in row.name
    }
    asked = {name for name, statuses in answers.items() if statuses & {"200", "404"}}
    assert asked - {page.view for page in one_state_of_each(pages)} == WITHOUT_A_PAGE


@pytest.mark.browser
@needed("Chromium", has_chromium())
@pytest.mark.parametrize(
    "in_all_states", [False, pytest.param(True, marks=pytest.mark.long)], ids=["one-state", "all-states"]
)
def test_no_page_puts_up_a_barrier(pages: list[DrawnPage], collected: Path, in_all_states: bool) -> None:
    """Of all states, those that are made of the same elements are looked at once."""
    pages = [page for page in pages if page.path != "/gallery/errors/"]
    different = {page.look: page for page in pages if not page.is_part}
    chosen = list(different.values()) if in_all_states else one_state_of_each(pages)
    assert len(chosen) > (150 if in_all_states else 90)
    # The databases are left in the context in which they were opened: without Chromium's event loop.
    with launched() as chromium:
        tab = chromium.new_context(reduced_motion="reduce").new_page()
        problems = [problem for page in chosen for problem in problems_of(tab, page, collected, in_all_states)]
        tab.emulate_media(reduced_motion="no-preference")
        assert moving(tab), "the look at what moves sees nothing"
    assert not problems, "\n".join(problems)


def problems_of(tab: Tab, page: DrawnPage, static_files: Path, in_every_view: bool) -> Iterator[str]:
    problems = []
    for width in (WIDE, NARROW):
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        show(tab, page, static_files)
        if (shift := shifted(tab)) > MOST_SHIFT:
            problems.append(f"shifts by {shift:.3f} while it loads at {width} px")
        problems += behaviour_problems(tab, least=AGENTS if page.is_for_agents else CUSTOMERS)
    if page.path.startswith("/applications/") and not in_every_view:
        problems += [f"goes over the end of a line: {word}" for word in broken_words(tab)]
    problems += [*too_wide(tab), *badly_printed(tab, ("A4", "Letter") if in_every_view else ("A4",))]
    problems += barriers(tab, EVERY_VIEW if in_every_view else NARROW_AND_DARK)
    if in_every_view and not page.is_for_agents:
        problems += [*cut_when_spaced(tab), *lost_on_paper_and_in_other_colours(tab)]
    yield from (f"{page.name}: {problem}" for problem in problems)


@pytest.mark.long
@pytest.mark.browser
@needed("Chromium", has_chromium())
@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE])
def test_no_page_in_another_language_puts_up_a_barrier(golden: GoldenWorld, collected: Path, language: str) -> None:
    with override_settings(LANGUAGE_CODE=language), with_static_files(collected):
        pages = [page for page in one_state_of_each(draw_pages(golden)) if not page.name.startswith(_NOT_OURS)]
    assert f'lang="{language}"' in pages[0].html
    with launched() as chromium:
        tab = chromium.new_context().new_page()
        problems = []
        for page in pages:
            show(tab, page, collected)
            problems += barriers(tab, NARROW_AND_DARK)
    assert not problems, "\n".join(problems)
