"""A choice shows its questions at once, before the network answers; in the end the page is what the server draws."""

import random
import re
import time
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.test_questions import answer_regulated, at_section, change_under_way, started
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

# Every region of the page by its id: whether it shows, and whether its marker is posted.
_REGIONS = """(root) => Object.fromEntries([...root.querySelectorAll(".region[data-questions]")].map((region) =>
  [region.id, [!region.hidden, !region.querySelector('[name="shown"]').disabled]]))"""
_HERE = f"() => ({_REGIONS})(document)"
_DRAWN_BY_SERVER = f"""async () => {{
  const answer = await fetch(location.href, {{cache: "no-store"}});
  return ({_REGIONS})(new DOMParser().parseFromString(await answer.text(), "text/html"));
}}"""
# One choice at a control that can be seen: what a mouse does, by its number.
_CHOOSE = """(number) => {
  const boxes = [...document.querySelectorAll("main input[type=radio], main input[type=checkbox]")];
  const lists = [...document.querySelectorAll("main select")];
  const seen = [...boxes, ...lists].filter((one) => !one.closest("[hidden]") && one.checkVisibility());
  const one = seen[number % seen.length];
  if (one.options) {
    one.selectedIndex = number % one.options.length;
    one.dispatchEvent(new Event("change", {bubbles: true}));
  } else one.click();
}"""


@pytest.fixture
def application(site: str) -> tuple[Application, Any]:
    return started("delaware-llc")


def test_a_choice_shows_its_question_before_the_server_has_heard_of_it(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    tab = at_section(open_tab, application).tab
    licence = tab.get_by_label("Licence or registration", exact=True)
    with change_under_way(tab) as held:
        answer_regulated(tab, "Yes").check()
        expect(licence).to_be_visible()
        expect(tab.locator("#announcer")).to_have_text("1 question added below.")
        asked = licence.locator("xpath=ancestor::div[contains(@class, 'region')]")
        asked.get_by_text("Why are you asking this?").click()
        expect(asked.get_by_text("Asked because you answered Yes to “Will any activity")).to_be_visible()
        answer_regulated(tab, "No").check()
        expect(licence).to_be_hidden()
        expect(tab.locator("#announcer")).to_have_text(re.compile("^1 question removed. We keep your answer"))
        assert len(held) <= 1


def test_an_answer_that_comes_late_does_not_undo_a_newer_choice(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    browser = at_section(open_tab, application)
    licence = browser.tab.get_by_label("Licence or registration", exact=True)
    with change_under_way(browser.tab):
        answer_regulated(browser.tab, "Yes").check()
        answer_regulated(browser.tab, "No").check()
        answer_regulated(browser.tab, "Yes").check()
    browser.settle()
    expect(licence).to_be_visible()
    assert browser.tab.evaluate(_HERE) == browser.tab.evaluate(_DRAWN_BY_SERVER)


def test_a_choice_that_was_made_before_the_script_came_shows_and_is_saved(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    browser = at_section(open_tab, application)
    tab = browser.tab
    tab.evaluate(
        """() => { document.querySelectorAll('main input[type=radio][value=true]').forEach((one) => {
          one.checked = true; }); window.dispatchEvent(new PageTransitionEvent("pageshow")); }"""
    )
    expect(tab.get_by_label("Licence or registration", exact=True)).to_be_visible()
    browser.settle()
    assert tab.evaluate(_HERE) == tab.evaluate(_DRAWN_BY_SERVER)


def addresses(slug: str) -> tuple[Any, list[str]]:
    """The owner of a new application, and the addresses of its sections with rules."""
    made, owner = started(slug)
    schema = open_draft(made).schema
    ruled = [one.key for one in schema.entity_sections if any(spec.depends_on for spec in one.fields)]
    return owner, [f"/applications/{made.reference}/sections/{key}/" for key in ruled]


@pytest.mark.parametrize("slug", ["bvi-limited-company", "gmbh-zug"])
def test_the_page_is_what_the_server_draws_after_any_choices(open_tab: OpenTab, site: str, slug: str) -> None:
    owner, sections = addresses(slug)
    browser = open_tab(owner)
    chance = random.Random(slug)

    def late(route: Route) -> None:
        """Answers take their time, and not the same."""
        if route.request.method == "POST":
            time.sleep(chance.random() * 0.06)
        route.continue_()

    browser.tab.route("**/applications/**", late)
    assert sections
    for address in sections:
        browser.get(address)
        for _ in range(12):
            browser.tab.evaluate(_CHOOSE, chance.randrange(1_000))
        settle_and_compare(browser)


def settle_and_compare(browser: TabBrowser) -> None:
    browser.settle()
    assert browser.tab.evaluate(_HERE) == browser.tab.evaluate(_DRAWN_BY_SERVER)
