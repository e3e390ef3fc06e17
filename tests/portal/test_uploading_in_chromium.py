"""A file that is chosen beside answers, in Chromium: neither sent nor dropped by a change, and sent with the form."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import saving
from formation_portal.applications.drafts import open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.rows import PartyRow
from formation_portal.gateway.catalog import catalog
from tests.applications import made
from tests.journeys.conftest import OpenTab, chromium, new_user, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["chromium", "open_tab", "site"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
FILE: Any = {"name": "passport.pdf", "mimeType": "application/pdf", "buffer": made.PDF}


@pytest.fixture
def application(site: str) -> Application:
    """A BVI company with one beneficial owner."""
    product = catalog().find("bvi-limited-company")
    assert product is not None
    assert product.item is not None
    application = saving.start(owner=new_user(), product=product.item)
    saving.add_party(open_draft(application), "person", ["ubo"], {}, by=application.owner)
    return application


def at_party(open_tab: OpenTab, application: Application, *, has_script: bool = True) -> Tab:
    tab = open_tab(application.owner, has_script=has_script)
    tab.get(f"/applications/{application.reference}/people/{only_party(application).token}/")
    return tab.tab


def only_party(application: Application) -> PartyRow:
    [party] = open_draft(application).parties
    return party


def test_a_change_sends_no_file_and_a_new_role_keeps_the_chosen_one(
    open_tab: OpenTab, application: Application
) -> None:
    tab = at_party(open_tab, application)
    control = tab.locator("input[type=file]").first
    control.set_input_files(FILE)
    with tab.expect_request(lambda request: request.method == "POST") as sent:
        tab.get_by_label(re.compile("^Director")).check()
    assert sent.value.headers["content-type"] == "application/x-www-form-urlencoded"
    assert "PDF" not in (sent.value.post_data or "")
    expect(tab.get_by_role("heading", name="Professional reference")).to_be_visible()
    assert control.evaluate("control => control.files.length") == 1

    tab.get_by_role("button", name="Upload").first.click()
    expect(tab.get_by_text("is uploaded.")).to_be_visible()
    [document] = open_draft(application).documents
    assert document.name == "passport.pdf"


@with_and_without_script
def test_upload_saves_the_answer_typed_last(open_tab: OpenTab, application: Application, has_script: bool) -> None:
    tab = at_party(open_tab, application, has_script=has_script)
    tab.get_by_label("First name").fill("Ada")
    tab.locator("input[type=file]").first.set_input_files(FILE)
    tab.get_by_role("button", name="Upload").first.click()
    expect(tab.get_by_text("is uploaded.")).to_be_visible()
    expect(tab.get_by_label("First name")).to_have_value("Ada")
    assert only_party(application).raw["person.first_name"] == "Ada"


@with_and_without_script
def test_the_enter_key_does_not_ask_for_a_file(open_tab: OpenTab, site: str, has_script: bool) -> None:
    company, *rest = made.SCHEMA["sections"]
    form = made.SCHEMA | {"sections": [company | {"fields": company["fields"][:1]}, *rest]}
    application = saving.start(owner=new_user(), product=made.product(schema=form))
    browser = open_tab(application.owner, has_script=has_script)
    browser.get(f"/applications/{application.reference}/sections/the-company/")
    browser.tab.get_by_label("Name").fill("Larkfield")
    with browser.tab.expect_navigation(url="**/sections/funds/"):
        browser.tab.get_by_label("Name").press("Enter")
    assert open_draft(application).entity_raw == {"entity.name": "Larkfield"}
