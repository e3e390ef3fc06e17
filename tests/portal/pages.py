"""Pages of an application as a test opens them: their addresses, and that their markup is sound."""

from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from tests.markup import Markup


def root(draft: Draft | Application) -> str:
    """Return the address of the overview, with which all others begin."""
    application = draft.application if isinstance(draft, Draft) else draft
    return f"/applications/{application.reference}/"


def section_url(draft: Draft | Application, key: str = "the-company") -> str:
    """Return the address of the page of a section."""
    return f"{root(draft)}sections/{key}/"


def people_url(draft: Draft | Application, rest: str = "") -> str:
    """Return the address of the page of people, or of one below it."""
    return f"{root(draft)}people/{rest}"


def sound(response: Any, status: int = 200) -> Markup:
    """Return the page of a response."""
    assert response.status_code == status
    page = Markup(response.content.decode())
    assert (page.faults, page.unlabelled()) == ([], [])
    return page


def page_at(client: Client, address: str) -> Markup:
    """Open a page."""
    return sound(client.get(address))


def people_page(client: Client, draft: Draft | Application, rest: str = "") -> Markup:
    """Open the page of people, or one below it."""
    return page_at(client, people_url(draft, rest))


def query_counts(client: Client, *addresses: str) -> list[int]:
    """Open each page twice. Returns how many queries the second visits took."""
    counts = []
    for address in addresses:
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
    return counts
