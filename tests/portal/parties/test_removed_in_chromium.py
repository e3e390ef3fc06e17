"""A party that goes while somebody types about it, in Chromium: one press at the banner restores it and saves."""

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.journeys.conftest import OpenTab, new_user, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["open_tab", "site"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_what_is_typed_stays_on_the_page_and_is_saved_by_the_press_at_the_banner(site: str, open_tab: OpenTab) -> None:
    application = services.start(owner=new_user(), product=factories.product())
    ada = services.add_party(open_draft(application), "person", ["director"], factories.ADA, by=application.owner)
    browser = open_tab(application.owner)
    browser.get(f"/applications/{application.reference}/people/{ada.token}/")
    tab = browser.tab
    services.remove_party(open_draft(Application.objects.get(pk=application.pk)), ada, by=application.owner)
    tab.locator("summary", has_text="Change Identity and contact").click()
    tab.get_by_label("Last name").fill("King")
    tab.get_by_label("Last name").blur()
    banner = tab.locator("#banner")
    expect(banner).to_contain_text("Not saved, because Ada Lovelace was removed.")
    expect(tab.get_by_label("Last name")).to_have_value("King")
    with tab.expect_navigation():
        banner.get_by_role("button", name="Restore and save").click()
    expect(tab.locator("#messages")).to_have_text("Ada Lovelace was restored.")
    [back] = open_draft(Application.objects.get(pk=application.pk)).parties
    assert back.label == "Ada King"
