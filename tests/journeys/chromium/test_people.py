"""A person whom the usual questions do not fit, on their page in Chromium."""

from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.text import ONE_NAME
from tests.journeys.conftest import OpenTab

from .conftest import expect_post


def person(application: Application) -> Draft:
    draft = open_draft(application)
    services.add_party(draft, "person", ["member"], {"person.first_name": "Su"}, by=application.owner, token="sukarno")
    return draft


def test_one_name_only_is_ticked_and_taken_back(open_tab: OpenTab, application: Application) -> None:
    draft = person(application)
    browser = open_tab(application.owner)
    browser.get(f"/applications/{application.reference}/people/sukarno/")
    tab = browser.tab
    first_name = tab.get_by_label("First name", exact=True)
    tick = tab.get_by_label("Has only one name")

    with expect_post(tab):
        tick.check()
    expect(first_name).to_be_hidden()
    assert open_draft(draft.application).parties[0].raw["person.first_name"] == ONE_NAME

    with expect_post(tab):
        tick.uncheck()
    expect(first_name).to_be_visible()
    assert open_draft(draft.application).parties[0].raw["person.first_name"] == "Su"


def test_no_town_is_asked_in_singapore(open_tab: OpenTab, application: Application) -> None:
    person(application)
    browser = open_tab(application.owner)
    browser.get(f"/applications/{application.reference}/people/sukarno/")
    home = browser.tab.get_by_role("group", name="Home address")
    expect(home.get_by_label("Town or city")).to_be_visible()

    home.get_by_label("Country").select_option(value="SG")

    expect(home.get_by_label("Postcode")).to_be_visible()
    expect(home.get_by_label("Town or city")).to_have_count(0)
