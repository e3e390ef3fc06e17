"""One application from its product's page to its approval, over HTTP and without script: the journey that is measured.

A company with a person and another company, by the buttons that lead on; then an agent opens its pages and documents,
accepts everything and approves.
"""

import re
import time
from collections.abc import Callable
from functools import partial

import requests

from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.clients import NO_FILES, Files, HttpBrowser
from tests.journeys.page import Button, Form, Page

# Who is added, and as what.
_PARTIES = {"Add a person": ["director", "shareholder", "ubo"], "Add a company": ["director"]}
_PRODUCT = "/products/bvi-limited-company/"
_MOST_SECTIONS = 30
_DOCUMENT = re.compile(r"/desk/[^/]+/documents/\d+/")


class TimedBrowser(HttpBrowser):
    """A browser that notes how long each request took, and waits before it as people do: `pause` gives the seconds."""

    def __init__(self, base: str, session: requests.Session, pause: Callable[[], float]) -> None:
        super().__init__(base)
        self.session, self._pause = session, pause
        self.seconds: list[float] = []
        self.page: Page | None = None

    def get(self, address: str) -> Page:
        """Open a page, unless it was the last answer."""
        if self.page is not None and self.page.address == address and self.page.status == 200:
            return self.page
        return self._timed(partial(super().get, address))

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        """Press a button; always goes on to the page that follows, as a browser does."""
        return self._timed(partial(super().send, form, button, files=files))

    def send_nothing(self, address: str) -> None:
        """Load what is looked at beside the page, like a document's picture; the page stays."""
        time.sleep(self._pause())
        began = time.perf_counter()
        answer = self.session.get(self.base + address, timeout=60)
        self.seconds.append(time.perf_counter() - began)
        assert answer.status_code == 200, (answer.status_code, address)

    def _timed(self, ask: Callable[[], Page]) -> Page:
        time.sleep(self._pause())
        began = time.perf_counter()
        self.page = ask()
        self.seconds.append(time.perf_counter() - began)
        assert self.page.status < 400, f"{self.page.status} {self.page.address}"
        return self.page


def apply(browser: TimedBrowser) -> str:
    client = RealisticClient(browser)
    page = client.start(browser.get(_PRODUCT))
    page = _through_sections(client, browser, client.follow(page, "Continue with"))
    for link, roles in _PARTIES.items():
        form = client.follow(page, link).form(button="Add and continue")
        next(one for one in form.controls if one.name == "roles").filled = roles
        client.complete_page(browser.send(form, form.button("Add and continue")))
        assert browser.page is not None
        page = browser.page
    # A class, and then who holds of it.
    client.complete_page(client.follow(page, "Continue to"))
    assert browser.page is not None
    client.complete_page(browser.page)
    page = _through_sections(client, browser, browser.page)
    status = client.declare(page)
    [reference] = re.findall(r"/applications/([^/]+)/status/", status.address)
    return str(reference)


def _through_sections(client: RealisticClient, browser: TimedBrowser, page: Page) -> Page:
    for _ in range(_MOST_SECTIONS):
        if "/sections/" not in page.address:
            return page
        client.complete_page(page)
        assert browser.page is not None
        page = browser.page
    raise AssertionError(f"{page.address} is never complete: {page.errors or page.words[:1000]}")


def review(browser: TimedBrowser, reference: str) -> None:
    """Open the case, each party and each document; accept everything, and approve."""
    case = browser.get(f"/desk/{reference}/")
    documents = sorted({found[0] for _, address in case.links() if (found := _DOCUMENT.search(address))})
    case = _press(browser, case, "Claim")
    for document in documents:
        browser.send_nothing(f"{document}pages/1/")
        browser.send_nothing(f"{document}pages/1/picture/")
    while _find(case, "Accept all remaining"):
        case = _press(browser, case, "Accept all remaining")
    form, button = next((form, one) for form in case.forms for one in form.buttons if one.action.endswith("/ruling/"))
    ruling = next(one for one in form.controls if one.name == "decision")
    ruling.filled = [next(one.value for one in ruling.options if one.label.startswith("Approve"))]
    after = _press(browser, browser.send(form, button), "Yes, approve")
    assert "/ruling/" not in after.address, after.words[:500]


def _press(browser: TimedBrowser, page: Page, text: str) -> Page:
    found = _find(page, text)
    assert found is not None, (text, page.address)
    return browser.send(*found)


def _find(page: Page, text: str) -> tuple[Form, Button] | None:
    pairs = ((form, button) for form in page.forms for button in form.buttons)
    return next(((form, button) for form, button in pairs if text in button.text), None)
