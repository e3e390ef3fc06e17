"""Style sheets and scripts of a page: kept by the browser, and nothing is lost while they are on their way."""

import pytest
from playwright.sync_api import expect

from formation_portal.applications.draft import open_draft
from tests.journeys.chromium.test_questions import answer_regulated
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

_SCRIPTS = "**/static/js/*"


def test_the_next_page_asks_for_no_style_sheet_and_no_script_again(open_tab: OpenTab, site: str) -> None:
    tab = open_tab(None).tab
    files: list[str] = []
    tab.on("requestfinished", lambda request: files.append(request.url) if "/static/" in request.url else None)
    tab.goto(f"{site}/")
    assert len(files) == len(set(files)) == 2
    tab.get_by_role("link", name="Privacy").click()
    tab.wait_for_url("**/privacy/")
    from_network = tab.evaluate(
        "() => performance.getEntriesByType('resource').filter((file) => file.transferSize).map(({ name }) => name)"
    )
    assert [name for name in from_network if "/static/" in name] == []


@pytest.mark.parametrize("has_choice", [True, False], ids=["chosen and typed", "typed"])
def test_what_is_entered_before_the_scripts_come_shows_and_is_saved(
    open_tab: OpenTab, site: str, has_choice: bool
) -> None:
    made, owner = started("delaware-llc")
    section = open_draft(made).schema.entity_sections[0].key
    tab = open_tab(owner).tab
    tab.route(_SCRIPTS, lambda route: None)
    tab.goto(f"{site}/applications/{made.reference}/sections/{section}/", wait_until="commit")
    tab.locator("main input[name^='q:']:not([type])").first.fill("Kestrel LLC")
    licence = tab.get_by_label("Licence or registration", exact=True)
    if has_choice:
        answer_regulated(tab, "Yes").check()
    expect(licence).not_to_be_visible()
    with tab.expect_response(lambda answer: answer.request.method == "POST"):
        # What was held goes on.
        tab.unroute(_SCRIPTS)
    expect(licence).to_be_visible(visible=has_choice)
    assert "Kestrel LLC" in open_draft(made).entity_raw.values()
    assert ("true" in open_draft(made).entity_raw.values()) == has_choice
