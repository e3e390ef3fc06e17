"""What holds for every page and state: valid HTML, errors that lead to their fields, and no barrier."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html as lxml_html
from playwright.sync_api import Page as Tab

from tests.error_summaries import faults_of_summary
from tests.golden.conftest import _quiet, both_databases, golden
from tests.golden.golden_world import GoldenWorld
from tests.journeys.accessibility.barriers import HEIGHT, WIDE, badly_printed, barriers, too_wide
from tests.journeys.accessibility.drawn_pages import DrawnPage, draw_pages, show
from tests.journeys.accessibility.page_behaviour import AGENTS, CUSTOMERS, MOST_SHIFT, behaviour_problems, shifted
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


@pytest.mark.long
@pytest.mark.browser
@needed("Chromium", has_chromium())
def test_no_page_puts_up_a_barrier(pages: list[DrawnPage], collected: Path) -> None:
    """Pages that are made of the same elements are looked at once."""
    different = {page.look: page for page in pages if not page.is_part and page.path != "/gallery/errors/"}
    assert len(different) > 100
    # The databases are left in the context in which they were opened: without Chromium's event loop.
    with launched() as chromium:
        tab = chromium.new_context(reduced_motion="reduce").new_page()
        problems = [problem for page in different.values() for problem in problems_of(tab, page, collected)]
    assert not problems, "\n".join(problems)


def problems_of(tab: Tab, page: DrawnPage, static_files: Path) -> Iterator[str]:
    tab.set_viewport_size({"width": WIDE, "height": HEIGHT})
    show(tab, page, static_files)
    if (shift := shifted(tab)) > MOST_SHIFT:
        yield f"{page.name} shifts by {shift:.3f} while it loads"
    behaviour = behaviour_problems(tab, least=AGENTS if page.is_for_agents else CUSTOMERS)
    for problem in (*behaviour, *barriers(tab), *too_wide(tab), *badly_printed(tab)):
        yield f"{page.name}: {problem}"
