"""Our own database locked, full, read-only or away: a page that says so with status 503, and keeps what was typed."""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.core.databases import Outage, outage_in
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from tests import factories
from tests.markup import Markup

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="these troubles are made with SQLite's own means"),
]

TYPED = {"q:name": "Larkfield", "q:purpose": "1 & 2", "version": "0", "shown": ["a", "b"]}
AWAY = "We can’t reach our records at the moment."
FULL = "We can’t save anything at the moment."


@contextmanager
def pragma(text: str, undo: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {text}")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {undo}")


def full() -> AbstractContextManager[None]:
    """SQLite may take no page more; what is free inside the file is given back first."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    return pragma("max_page_count = 1", "max_page_count = 1073741823")


def read_only() -> AbstractContextManager[None]:
    return pragma("query_only = 1", "query_only = 0")


@contextmanager
def locked() -> Iterator[None]:
    """Somebody else writes, for longer than we wait."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pragma("busy_timeout = 0", "busy_timeout = 10000"):
        yield
    other.rollback()
    other.close()


@contextmanager
def away() -> Iterator[None]:
    """Nothing can be read either, not even who is signed in."""
    there = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = "/nowhere/at/all.sqlite3"
    yield
    connection.settings_dict["NAME"] = there


@pytest.fixture
def page(owner: Any, settings: Any) -> str:
    """The page of a section, in an application of its own."""
    settings.RELAY_WAIT_MS = 0
    reference = services.start(owner=owner, product=factories.product()).reference
    return f"/applications/{reference}/sections/the-company/"


def kept(markup: Markup) -> dict[str, list[str]]:
    """What the form on the page posts."""
    values: dict[str, list[str]] = {}
    for area in markup.all("textarea"):
        # A line break right after the tag is not part of the value.
        values.setdefault(area.attributes["name"], []).append(area.text.removeprefix("\n"))
    return values


@pytest.mark.parametrize(
    ("trouble", "words"), [(locked, AWAY), (read_only, AWAY), (full, FULL), (away, AWAY)], ids=lambda one: str(one)[:20]
)
def test_a_save_that_meets_an_outage_is_kept_on_the_page_and_can_be_sent_again(
    browser: Client, page: str, trouble: Callable[[], AbstractContextManager[None]], words: str
) -> None:
    # More than fits into what is free on the pages that the database has.
    large = TYPED | {"q:goods": "</textarea>\n\n1 & 2" * 250}
    with trouble():
        response = browser.post(page, large)
    assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (503, "5", "no-store")
    markup = Markup(response.content.decode())
    assert markup.faults == []
    assert markup.one("h1").text == "Not saved yet"
    assert words in markup.one("main").text
    assert "Larkfield" in markup.one("dl").text
    again = kept(markup)
    assert again == {name: [value] if isinstance(value, str) else value for name, value in large.items()}
    application = Application.objects.get()
    assert (application.revision, open_draft(application).entity_raw) == (0, {})
    assert browser.post(page, again).status_code == 302
    assert open_draft(Application.objects.get()).entity_raw["entity.name"] == "Larkfield"


def test_what_was_typed_is_told_by_its_labels_and_in_words(
    browser: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The catalog as the process has it: it needs no database.
    products = (CatalogProduct("example", "Example company", factories.product()),)
    monkeypatch.setattr(
        "formation_portal.ui.forms.form_data.cached_catalog", lambda: Catalog(products, datetime.now(UTC))
    )
    started = {"q:started_on:day": "27", "q:started_on:month": "3", "q:started_on:year": "1985"}
    party = {"roles": ["director"], "q:xy.person.is_pep": "false", "q:xy.person.appointed_by": "abc123"}
    with away():
        markup = Markup(browser.post(page, TYPED | started | party | {"q:odd%3Aone": "7"}).content.decode())
    rows = dict(zip([term.text for term in markup.all("dt")], [value.text for value in markup.all("dd")], strict=True))
    expected = {
        "Roles": "Director",
        "Name": "Larkfield",
        "Started on": "27\u00a0March\u00a01985",
        "Is pep": "No",
        "Appointed by": "A share class",
        "odd:one": "7",
    }
    assert {term: rows.get(term) for term in expected} == expected
    assert kept(markup)["q:started_on:day"] == ["27"]


def test_a_page_that_cannot_be_read_says_so(browser: Client, page: str, caplog: pytest.LogCaptureFixture) -> None:
    with away():
        response = browser.get(f"{page}?next=check&x=<b>")
    assert response.status_code == 503
    assert response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [(record.name, record.exc_info) for record in errors] == [("formation_portal.faults", None)]
    markup = Markup(response.content.decode())
    assert markup.faults == []
    assert markup.one("h1").text == "This page is not available right now"
    assert markup.one("a", class_="button").attributes["href"].startswith(page)
    assert browser.get(page).status_code == 200


def test_a_password_is_not_put_into_a_page(as_nobody: Client) -> None:
    as_nobody.raise_request_exception = False
    with away():
        response = as_nobody.post("/accounts/login/", {"login": "ada@example.com", "password": "quite-a-long-one"})
    assert response.status_code == 503
    assert "quite-a-long-one" not in response.content.decode()
    assert "Try again" in response.content.decode()


def test_another_customers_form_is_not_offered_again(owner: Any, page: str) -> None:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.force_login(owner)
    with away():
        response = client.post(page, TYPED, headers={"Origin": "https://elsewhere.example"})
    assert response.status_code == 503
    assert "Larkfield" not in response.content.decode()


def test_the_button_at_a_slot_is_not_pressed_again_without_its_file(browser: Client, page: str) -> None:
    post = TYPED | {"slot": "/Business plan", "slot:/Business%20plan": factories.upload()}
    with away():
        response = browser.post(page, post)
    markup = Markup(response.content.decode())
    assert "slot" not in kept(markup)
    assert "Choose your file again" in markup.one("main").text


def test_the_page_of_a_fault_needs_no_database(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    outage = away()

    def breaks(*_: Any, **__: Any) -> None:
        outage.__enter__()
        raise KeyError("something nobody thought of")

    monkeypatch.setattr("formation_portal.portal.applications.views.numbered_links", breaks)
    response = browser.get("/applications/")
    outage.__exit__(None, None, None)
    assert response.status_code == 500
    assert Markup(response.content.decode()).one("h1").text == "Something went wrong"


class _FromServer(Exception):
    def __init__(self, sqlstate: str) -> None:
        self.sqlstate = sqlstate


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (OperationalError("the server closed the connection"), Outage.AWAY),
        (InterfaceError("the connection is closed"), Outage.AWAY),
        (_caused(OperationalError("no space"), _FromServer("53100")), Outage.FULL),
        (_caused(OperationalError("no driver's code"), sqlite3.OperationalError("?")), None),
        (OSError(errno.ENOSPC, "No space left on device"), Outage.FULL),
        (OSError(errno.EFBIG, "File too large"), Outage.FULL),
        (OSError(errno.EROFS, "Read-only file system"), Outage.AWAY),
        (_caused(RuntimeError("while drawing"), OSError(errno.ENOSPC, "No space left")), Outage.FULL),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (KeyError("x"), None),
        (None, None),
    ],
)
def test_what_passes_is_told_from_a_fault_of_the_code(error: Exception | None, outage: Outage | None) -> None:
    assert outage_in(error) is outage
