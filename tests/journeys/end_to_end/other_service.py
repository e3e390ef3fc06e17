"""What the tests with a service of another make share: a browser, a client that says yes, and all pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import new_user
from tests.journeys.page import Control, Page
from tests.other_service import OtherService
from tests.other_service.schema_builders import Json
from tests.other_service.schemas import CATALOG

_PAGES = ("", "people/", "people/new/", "shares/", "documents/", "check/", "status/", "withdrawal/")


@pytest.fixture
def browser(at_other_service: OtherService, settings: Any) -> InProcessBrowser:
    """The browser without script of a customer, of a portal that uses the other make."""
    settings.RELAY_WAIT_MS = 0
    client = Client()
    client.force_login(new_user())
    return InProcessBrowser(client)


class AffirmativeClient(GenericClient):
    """Says yes wherever that can be said, so that the longest chain of rules opens."""

    def _fitting_value(self, control: Control) -> str:
        fitting = super()._fitting_value(control)
        return next((option.value for option in control.options if option.label == "Yes"), fitting)

    def save(self, page: Page) -> None:
        """Answer what the page asks at first sight, and save."""
        form = page.form(button="Save")
        self._fill(form)
        self._send(form, form.button("Save"), follow=False)


def item_of(slug: str) -> Json:
    """One item of the other make's catalog."""
    items = (item for item in CATALOG if isinstance(item, dict) and "schema" in item)
    return next(item for item in items if item["product"].get("slug") == slug)


def address_of(page: Page) -> str:
    """The address of the application that a page is about."""
    return "/".join(page.address.split("/")[:3]) + "/"


def sections_of(overview: Page) -> list[str]:
    """The addresses of the sections about the entity, in their order."""
    addresses = (address.partition("#")[0] for _, address in overview.links() if "/sections/" in address)
    return list(dict.fromkeys(addresses))


def all_pages(browser: InProcessBrowser, overview: Page) -> Iterator[Page]:
    """Every page of the application and the catalog's; none may be a fault of the portal's."""
    home = address_of(overview)
    for address in ("/", "/applications/", *(home + path for path in _PAGES), *sections_of(overview)):
        page = browser.get(address)
        assert page.status in (200, 404) or (page.status == 503 and address == "/"), f"{address}: {page.status}"
        yield page
