"""What it costs a person to form a company, counted in pages and presses instead of asked of people."""

from typing import Any

import pytest

from tests.journeys.actors.generic_client import is_update_button
from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.clients import NO_FILES, Files, InProcessBrowser
from tests.journeys.page import Button, Form, Page

pytestmark = [pytest.mark.long, pytest.mark.django_db(databases=["default", "service"])]

PARTIES = {"Add a person": ["director", "shareholder", "ubo"], "Add a company": ["director"]}


class CountingBrowser:
    """A browser that counts what is done with it. To open a page is a press, but where the last press has led there.
    With script a file goes, and questions follow a choice, without one."""

    def __init__(self, browser: InProcessBrowser) -> None:
        self._browser = browser
        self._current_address = ""
        self.pages = 0
        self.choices = 0

    @property
    def page(self) -> Page:
        """The page that stands there."""
        return self._browser.get(self._current_address)

    def get(self, address: str) -> Page:
        page = self._browser.get(address)
        self.pages += page.address != self._current_address
        self._current_address = page.address
        return page

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        chosen = {control.name for control in form.controls if control.options and control.filled != control.found}
        self.choices += len(chosen)
        page = self._browser.send(form, button, files=files)
        if not files and not is_update_button(button):
            self.pages += 1
            self._current_address = page.address
        return page


def test_a_person_and_a_company_form_a_company_on_twenty_pages(browser: InProcessBrowser) -> None:
    """From the product to the status, by the buttons that lead on. Text is typed by Tab; each role is ticked."""
    counting_browser = CountingBrowser(browser)
    client = RealisticClient(counting_browser)
    page = client.start(counting_browser.get("/products/bvi-limited-company/"))
    page = through_sections(client, counting_browser, client.follow(page, "Continue with"))
    for link, roles in PARTIES.items():
        form = client.follow(page, link).form(button="Add and continue")
        next(control for control in form.controls if control.name == "roles").filled = roles
        client.complete_page(counting_browser.send(form, form.button("Add and continue")))
        page = counting_browser.page
    client.complete_page(client.follow(page, "Continue to"))
    client.complete_page(counting_browser.page)
    page = through_sections(client, counting_browser, counting_browser.page)
    assert page.needs == []
    assert "/status/" in client.declare(page).address
    assert counting_browser.pages <= 20
    more_roles = sum(len(roles) - 1 for roles in PARTIES.values())
    assert counting_browser.pages + counting_browser.choices + more_roles <= 60


def through_sections(client: RealisticClient, browser: Any, page: Page) -> Page:
    """Answer one section after the other; gives the page that follows them."""
    while "/sections/" in page.address:
        client.complete_page(page)
        page = browser.page
    return page
