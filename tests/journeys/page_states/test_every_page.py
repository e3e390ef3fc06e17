"""What holds for every page and state, as the server draws it."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.template.base import Template
from django.test.utils import instrumented_test_render
from lxml import html as lxml_html

from tests.error_summaries import faults_of_summary
from tests.journeys.page import is_hidden
from tests.journeys.page_states.every_page import SeenPage, every_page
from tests.needed import needed
from tests.nu import faults, has_java

# The pages are drawn once for all of them.
pytestmark = pytest.mark.xdist_group("every page")

# How a control is spoken of in a post: a question by its quoted name, and the part of it.
_QUESTION = re.compile(r"^q:(?P<name>[^:]+)(?::(?P<part>\w+))?$")


@pytest.fixture(scope="module")
def pages(full_catalog: None, django_db_blocker: Any) -> Iterator[list[SeenPage]]:
    """Each look of each page, once."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", instrumented_test_render)
        yield every_page()


@needed("Java", has_java())
def test_every_page_is_valid_html(pages: list[SeenPage], tmp_path: Path) -> None:
    found = faults({page.name: page.html for page in pages}, tmp_path)
    assert not found, "\n".join(found)


def test_there_are_pages_of_all_kinds(pages: list[SeenPage]) -> None:
    assert len(pages) > 70
    assert {200, 400, 403, 404, 422, 500, 503} <= {page.status for page in pages}
    assert {page.who for page in pages} == {"nobody", "customer", "agent"}
    assert sum(page.is_part for page in pages) > 3


def test_an_error_is_said_once_with_the_words_at_its_field(pages: list[SeenPage]) -> None:
    with_errors = [page for page in pages if 'class="error-summary' in page.html and "/gallery/" not in page.address]
    assert len(with_errors) >= 5
    for page in with_errors:
        # What is wrong with a name and a password together belongs to neither.
        faults = faults_of_summary(page.html, is_for_several=page.address.startswith("/accounts/"))
        assert list(faults) == [], page.name


def test_no_page_asks_the_same_question_twice(pages: list[SeenPage]) -> None:
    for page in pages:
        root = lxml_html.fromstring(page.html)
        for form in root.xpath("//form"):
            ids = Counter(
                (one.get("name"), one.get("value") if one.get("type") in ("radio", "checkbox") else one.get("id"))
                for one in form.xpath(".//input | .//select | .//textarea")
                if _QUESTION.match(one.get("name", "")) and one.get("type") != "hidden" and not is_hidden(one)
            )
            assert not [name for name, times in ids.items() if times > 1], page.name


def test_every_table_that_may_be_too_wide_scrolls_in_a_named_region(pages: list[SeenPage]) -> None:
    scrolled = 0
    for page in pages:
        for region in lxml_html.fromstring(page.html).xpath("//*[contains(concat(' ', @class, ' '), ' scroll ')]"):
            scrolled += 1
            assert region.get("role") == "region", page.name
            assert region.get("tabindex") == "0", page.name
            assert region.get("aria-label") or region.get("aria-labelledby"), page.name
    assert scrolled > 3
