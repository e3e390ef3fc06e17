"""A file that is chosen, in Chromium: sent at once where script runs, with a way to stop, and with the form where none
does; what is typed beside it is never touched."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.parties import PartyRow
from formation_portal.gateway.catalog import catalog
from tests import factories
from tests.journeys.conftest import OpenTab, new_user, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["open_tab", "site"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
FILE: Any = {"name": "passport.pdf", "mimeType": "application/pdf", "buffer": factories.PDF}


@pytest.fixture
def application(site: str) -> Application:
    """A BVI company with one beneficial owner."""
    product = catalog().find("bvi-limited-company")
    assert product is not None
    assert product.item is not None
    application = services.start(owner=new_user(), product=product.item)
    services.add_party(open_draft(application), "person", ["ubo"], {}, by=application.owner)
    return application


def at_party(open_tab: OpenTab, application: Application, *, has_script: bool = True) -> Tab:
    tab = open_tab(application.owner, has_script=has_script)
    tab.get(f"/applications/{application.reference}/people/{only_party(application).token}/")
    return tab.tab


def only_party(application: Application) -> PartyRow:
    [party] = open_draft(application).parties
    return party


def first_slot(tab: Tab) -> Locator:
    return tab.locator(".slot").first


def slowly(tab: Tab) -> None:
    """From now on 50 kB go out in a second."""
    network = tab.context.new_cdp_session(tab)
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 50_000}
    network.send("Network.emulateNetworkConditions", limits)


def test_a_chosen_file_is_sent_at_once_and_nothing_that_is_typed_is_touched(
    open_tab: OpenTab, application: Application
) -> None:
    tab = at_party(open_tab, application)
    tab.get_by_label("First name").fill("Ada")
    name = first_slot(tab).get_by_role("heading").inner_text()
    tab.locator("input[type=file]").first.focus()
    tab.locator("input[type=file]").first.set_input_files(FILE)
    expect(first_slot(tab).get_by_role("link", name=re.compile("passport.pdf")).first).to_be_visible()
    expect(first_slot(tab)).to_be_focused()
    expect(tab.locator("#announcer")).to_contain_text(f"“{name}” was uploaded.")
    expect(tab.get_by_label("First name")).to_have_value("Ada")
    expect(tab.locator("#needs-section")).not_to_contain_text(f"upload “{name}”")
    [document] = open_draft(application).documents
    assert (document.slot, document.name) == (name, "passport.pdf")
    with tab.expect_download() as got:
        first_slot(tab).get_by_role("link", name=re.compile("Download")).first.click()
    assert got.value.path().read_bytes() == factories.PDF


def test_an_upload_shows_how_far_it_is_and_can_be_stopped(open_tab: OpenTab, application: Application) -> None:
    tab = at_party(open_tab, application)
    slowly(tab)
    control = tab.locator("input[type=file]").first
    control.focus()
    control.set_input_files(FILE | {"buffer": factories.PDF.ljust(600_000, b"\n")})
    expect(first_slot(tab)).to_contain_text(" of 0.6 MB")
    stop = first_slot(tab).get_by_role("button", name="Cancel")
    expect(stop).to_be_focused()
    expect(first_slot(tab).get_by_role("progressbar")).not_to_have_js_property("value", 0)
    tab.keyboard.press("Enter")
    expect(first_slot(tab)).to_contain_text("Upload cancelled.")
    expect(tab.locator("#announcer")).to_have_text("Upload cancelled.")
    expect(control).to_be_focused()
    assert control.evaluate("control => control.files.length") == 0
    tab.reload()
    assert open_draft(application).documents == []


def test_a_refused_file_says_why_at_its_slot_and_a_large_one_is_never_sent(
    open_tab: OpenTab, application: Application
) -> None:
    tab = at_party(open_tab, application)
    sent = []
    # What the page itself is made of may still arrive; a file goes by POST.
    tab.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    control = tab.locator("input[type=file]").first
    tab.locator("#uploading").evaluate("(words) => { words.dataset.limit = 100_000 }")
    control.set_input_files(FILE | {"buffer": factories.PDF.ljust(200_000, b"\n")})
    expect(first_slot(tab)).to_contain_text("The file must be 0.1 MB or smaller. This one is 0.2 MB.")
    assert sent == []
    control.set_input_files({"name": "letter.pdf", "mimeType": "application/pdf", "buffer": b"PK a Word document"})
    expect(first_slot(tab)).to_contain_text("The file must be a PDF, JPEG or PNG")
    expect(tab.locator("#announcer")).to_contain_text("The file must be a PDF, JPEG or PNG")
    assert open_draft(application).documents == []


def test_a_file_that_is_dropped_on_a_slot_is_sent_and_one_beside_it_leaves_the_page_alone(
    open_tab: OpenTab, application: Application
) -> None:
    tab = at_party(open_tab, application)
    dropped = tab.evaluate_handle(
        """(content) => {
          const data = new DataTransfer();
          data.items.add(new File([Uint8Array.from(content)], "dropped.pdf", { type: "application/pdf" }));
          return data;
        }""",
        list(factories.PDF),
    )
    tab.locator("h1").dispatch_event("drop", {"dataTransfer": dropped})
    first_slot(tab).get_by_role("heading").dispatch_event("drop", {"dataTransfer": dropped})
    expect(first_slot(tab).get_by_role("link", name=re.compile("dropped.pdf")).first).to_be_visible()
    [document] = open_draft(application).documents
    assert document.name == "dropped.pdf"


@with_and_without_script
def test_the_enter_key_does_not_ask_for_a_file(open_tab: OpenTab, site: str, has_script: bool) -> None:
    company, *rest = factories.SCHEMA["sections"]
    form = factories.SCHEMA | {"sections": [company | {"fields": company["fields"][:1]}, *rest]}
    application = services.start(owner=new_user(), product=factories.product(schema=form))
    browser = open_tab(application.owner, has_script=has_script)
    browser.get(f"/applications/{application.reference}/sections/the-company/")
    address = browser.tab.url
    browser.tab.get_by_label("Name").fill("Larkfield")
    with browser.tab.expect_response(lambda answer: answer.request.method == "POST"):
        browser.tab.get_by_label("Name").press("Enter")
    expect(browser.tab.locator("#saved")).to_contain_text("Saved")
    expect(browser.tab.locator(".slot .error")).to_have_count(0)
    assert browser.tab.url == address
    assert open_draft(application).entity_raw == {"entity.name": "Larkfield"}
