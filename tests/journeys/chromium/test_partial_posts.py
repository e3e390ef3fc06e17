"""With script a change posts only the questions that no answer has acknowledged as they stand."""

from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Request, Route, expect

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.chromium.test_questions import application, at_section
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

__all__ = ["application"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

Opened = tuple[Application, Any]


def questions(request: Request) -> set[str]:
    """The questions that a post holds."""
    posted = parse_qs(request.post_data or "", keep_blank_values=True)
    assert "version" in posted
    assert "drawn" in posted
    assert len(posted["shown"]) == 1  # all of the regions in one value
    return {name.split(":")[1] for name in posted if name.startswith("q:")}


def typed(tab: Tab, label: str, text: str) -> set[str]:
    """What the post holds that follows when a text was typed and left."""
    with tab.expect_response(lambda answer: answer.request.method == "POST") as answered:
        tab.get_by_label(label).fill(text)
        tab.get_by_label(label).blur()
    answered.value.finished()
    return questions(answered.value.request)


def test_what_was_not_saved_goes_along_with_the_next_change(open_tab: OpenTab, application: Opened) -> None:
    tab = at_section(open_tab, application).tab
    lost: list[Route] = []

    def lose(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route)
            route.abort()
        else:
            route.continue_()

    tab.route("**/applications/**", lose)
    tab.get_by_label("First choice of name").fill("Kite LLC")
    tab.get_by_label("First choice of name").blur()
    expect(tab.locator("#banner")).to_contain_text("Not saved")
    assert len(typed(tab, "Second choice of name", "Kestrel LLC")) == 2
    assert open_draft(application[0]).entity_raw["entity.name"] == "Kite LLC"


def test_only_the_answer_that_another_window_has_changed_waits(open_tab: OpenTab, application: Opened) -> None:
    other = at_section(open_tab, application).tab
    tab = at_section(open_tab, application).tab
    typed(other, "First choice of name", "Kestrel LLC")
    typed(tab, "First choice of name", "Kite LLC")
    expect(tab.locator("#banner")).to_contain_text("“First choice of name” was changed in another window")
    typed(tab, "Second choice of name", "Larkfield LLC")
    typed(tab, "Third choice of name", "Wilgenhof LLC")
    raw = open_draft(application[0]).entity_raw
    assert raw["entity.name"] == "Kestrel LLC"
    assert {"Larkfield LLC", "Wilgenhof LLC"} <= {value for value in raw.values() if isinstance(value, str)}

    with tab.expect_navigation():
        tab.get_by_role("button", name="Save and continue").click()
    expect(tab.locator("main")).to_contain_text("Your other answers are saved.")
    expect(tab.locator("legend")).to_have_text(["First choice of name"])
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save these answers").click()
    assert open_draft(application[0]).entity_raw["entity.name"] == "Kite LLC"
