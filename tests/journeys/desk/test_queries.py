"""An agent writes a query beside the answer; without script the same link leads to a page of its own."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from formation_portal.desk.models import SharedText
from formation_portal.reviews.models import Query
from tests import factories
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


@pytest.mark.parametrize(
    "has_script", [pytest.param(True, id="with-script"), pytest.param(False, id="without", marks=pytest.mark.long)]
)
def test_a_question_is_drafted_where_the_answer_stands(open_tab: OpenTab, has_script: bool) -> None:
    owner = new_user()
    draft = factories.submitted_draft(owner)
    browser = open_tab(new_user(is_agent=True), has_script=has_script)
    tab, address = browser.tab, f"{browser.base}/desk/{draft.application.reference}/"
    tab.goto(address)
    tab.get_by_role("link", name="Ask about Purpose").click()
    form = tab.locator(".ask-form")
    form.get_by_label("Reason").select_option("Answer is unclear")
    if has_script:
        assert tab.url == address
        expect(form.get_by_label("To the customer")).to_have_value("This answer is unclear. Give more detail.")
    form.get_by_role("textbox", name="Purpose").fill("To hold shares")
    tab.get_by_role("button", name="Save query").click()
    expect(tab).to_have_url(f"{address}#at:field:the%2Dcompany:charter.purpose")
    query = Query.objects.get(application=draft.application)
    assert (query.reason, query.proposal) == ("unclear", "To hold shares")
    expect(tab.get_by_role("definition").filter(has_text=query.text)).to_contain_text("Proposed answer: To hold shares")


@pytest.mark.parametrize(
    "has_script", [pytest.param(True, id="with-script"), pytest.param(False, id="without", marks=pytest.mark.long)]
)
def test_a_shared_text_is_inserted_where_one_writes(open_tab: OpenTab, has_script: bool) -> None:
    owner, agent = new_user(), new_user(is_agent=True)
    draft = factories.submitted_draft(owner)
    SharedText.objects.create(title="Certified", text="Certify it, {customer}.", by=agent, at=timezone.now())
    browser = open_tab(agent, has_script=has_script)
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
        assert (tab.url == address) == has_script
        # Enter sends, and inserts nothing more.
        assert not Query.objects.filter(application=draft.application).exists()
