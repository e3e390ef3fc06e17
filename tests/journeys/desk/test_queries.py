"""An agent writes a query beside the answer."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from formation_portal.desk.models import SharedText
from formation_portal.reviews.models import Query
from tests import factories
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_a_shared_text_is_inserted_where_one_writes(open_tab: OpenTab) -> None:
    owner, agent = new_user(), new_user(is_agent=True)
    draft = factories.submitted_draft(owner)
    SharedText.objects.create(title="Certified", text="Certify it, {customer}.", by=agent, at=timezone.now())
    browser = open_tab(agent)
    tab, address = browser.tab, f"{browser.base}/desk/{draft.application.reference}/"
    for opened, form in (("Ask about Purpose", ".ask-form"), ("", ".decision")):
        tab.goto(address)
        if opened:
            tab.get_by_role("link", name=opened).click()
        message = tab.locator(form).get_by_label("Message to the customer")
        message.fill("One thing.")
        tab.locator(form).get_by_label("Shared text").select_option("Certified")
        tab.locator(form).get_by_role("button", name="Insert").click()
        expect(message).to_have_value(f"One thing.\n\nCertify it, {owner.get_full_name()}.")
        expect(message).to_be_focused()
        assert tab.url == address
        # Enter sends, and inserts nothing more.
        assert not Query.objects.filter(application=draft.application).exists()
