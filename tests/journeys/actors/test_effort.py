"""What tasks cost people, counted in presses and fields instead of asked of people (goals 12, 14, 15)."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests.journeys.actors.effort import CountingBrowser
from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.chromium.test_questions import started
from tests.journeys.clients import InProcessBrowser
from tests.journeys.page import Page

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def counting_browser(user: Any) -> CountingBrowser:
    """The user's browser without script, with a counter."""
    client = Client()
    client.force_login(user)
    return CountingBrowser(InProcessBrowser(client))


def test_a_known_director_takes_a_second_role_with_one_press_and_no_field(full_catalog: None) -> None:
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    ada = {"person.first_name": "Ada", "person.last_name": "Byron"}
    services.add_party(draft, "person", ["director"], ada, by=owner)
    browser = counting_browser(owner)
    people = browser.get(f"/applications/{made.reference}/people/")
    before = browser.effort.presses
    form = next(one for one in people.forms if one.has_button("as Shareholders"))
    browser.send(form, form.button("as Shareholders"))
    assert (browser.effort.presses - before, browser.effort.fields) == (1, 0)
    assert sorted(open_draft(made).parties[0].roles) == ["director", "shareholder"]


def test_one_adds_oneself_as_director_and_shareholder_within_three_minutes(full_catalog: None) -> None:
    """Two presses on the page of people, then the questions; documents are counted in the whole below."""
    made, owner = started("bvi-limited-company")
    browser = counting_browser(owner)
    realistic_client = RealisticClient(browser)
    people = browser.get(f"/applications/{made.reference}/people/")
    people = press(browser, people, "Add yourself", "as Directors")
    people = press(browser, people, f"Use {owner.get_full_name()}", "as Shareholders")
    assert (browser.effort.presses, browser.effort.fields, browser.effort.choices) == (3, 0, 0)
    realistic_client.answer(browser.get(people.link(owner.get_full_name())))
    [party] = open_draft(made).parties
    assert sorted(party.roles) == ["director", "shareholder"]
    assert not [need for need in open_draft(made).needs_of_party(party.token) if need.slot is None and need.field]
    assert browser.effort.minutes <= 3, browser.effort


def test_each_question_counts_and_its_parts_count_once(full_catalog: None) -> None:
    made, owner = started("bvi-limited-company")
    browser = counting_browser(owner)
    address = f"/applications/{made.reference}/people/new/?kind=person"
    form = browser.get(address).form(button="Add and continue")
    next(one for one in form.controls if one.name == "roles").filled = ["director"]
    page = browser.send(form, form.button("Add and continue"))
    before = browser.effort.fields
    form = page.form(button="Save and continue")
    born = [one for one in form.controls if one.name.startswith("q:person.date_of_birth:")]
    named = [one for one in form.controls if one.name in ("q:person.first_name", "q:person.last_name")]
    for control in (*born, *named):
        control.filled = ["1"]
    browser.send(form, form.button("Save and continue"), follow=False)
    assert (len(born), browser.effort.fields - before) == (3, 3)


def press(browser: CountingBrowser, page: Page, *words: str) -> Page:
    """The button whose words hold all of these."""
    pairs = ((form, button) for form in page.forms for button in form.buttons)
    form, button = next((form, button) for form, button in pairs if all(one in button.text for one in words))
    return browser.send(form, button)


def test_a_person_and_a_company_form_a_company_on_twenty_pages(customer: Any, full_catalog: None) -> None:
    """From the product to the status, by the buttons that lead on. Text is typed by Tab; each role is ticked."""
    browser = counting_browser(customer)
    realistic_client = RealisticClient(browser)
    page = realistic_client.start(browser.get("/products/bvi-limited-company/"))
    page = through_sections(realistic_client, browser, realistic_client.follow(page, "Continue with"))
    everybody = {"Add a person": ["director", "shareholder", "ubo"], "Add a company": ["director"]}
    for link, roles in everybody.items():
        form = realistic_client.follow(page, link).form(button="Add and continue")
        next(one for one in form.controls if one.name == "roles").filled = roles
        realistic_client.complete_page(browser.send(form, form.button("Add and continue")))
        page = browser.page
    realistic_client.complete_page(realistic_client.follow(page, "Continue to"))
    realistic_client.complete_page(browser.page)
    page = through_sections(realistic_client, browser, browser.page)
    assert page.needs == []
    assert "/status/" in realistic_client.declare(page).address
    effort, more_roles = browser.effort, sum(len(roles) - 1 for roles in everybody.values())
    assert effort.pages <= 20
    assert effort.presses + effort.choices + more_roles <= 60, effort


def through_sections(realistic_client: RealisticClient, browser: CountingBrowser, page: Page) -> Page:
    """Answer one section after the other; gives the page that follows them."""
    while "/sections/" in page.address:
        realistic_client.complete_page(page)
        page = browser.page
    return page


@pytest.mark.long
def test_a_company_of_two_is_submitted_within_a_quarter_of_an_hour(customer: Any, full_catalog: None) -> None:
    """With script: questions follow a choice, and files are sent, without a press of their own."""
    browser = counting_browser(customer)
    realistic_client = RealisticClient(browser)
    overview = realistic_client.start(browser.get("/products/bvi-limited-company/"))
    status = realistic_client.declare(realistic_client.complete(overview))
    assert "/status/" in status.address
    assert browser.effort.minutes <= 15, browser.effort
