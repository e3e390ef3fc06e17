"""What was typed when a session had ended is not lost."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TYPED = {"q:name": "Larkfield", "q:purpose": "</textarea>\n\n1 & 2", "version": "0", "shown": ["a", "b"]}


def path(draft: Draft) -> str:
    return f"/applications/{draft.application.reference}/sections/the-company/"


def sign_in(client: Client, email: str) -> None:
    user = User.objects.get(email=email)
    user.set_password("quite-a-long-one")
    user.save()
    client.post("/accounts/login/", {"login": email, "password": "quite-a-long-one"})


def posted_again(html: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for area in Markup(html).all("textarea"):
        # A line break right after the tag is not part of the value.
        found.setdefault(area.attributes["name"], []).append(area.text.removeprefix("\n"))
    return found


def test_it_is_sent_again_after_signing_in(draft: Draft, as_nobody: Client) -> None:
    response = as_nobody.post(path(draft), TYPED)
    assert response["Location"] == "/accounts/login/?next=%2Funsent%2F"
    sign_in(as_nobody, "owner@example.com")
    html = as_nobody.get("/unsent/").content.decode()
    assert "Larkfield" in html
    again = posted_again(html)
    assert again == {name: [value] if isinstance(value, str) else value for name, value in TYPED.items()}
    as_nobody.post(path(draft), again)
    raw = open_draft(draft.application).entity_raw
    assert raw["entity.name"] == "Larkfield"
    assert "1 & 2" in raw["charter.purpose"]


def shown(client: Client) -> dict[str, str]:
    """What the page says was typed, by its label."""
    page = Markup(client.get("/unsent/").content.decode())
    assert page.faults == []
    return dict(zip([one.text for one in page.all("dt")], [one.text for one in page.all("dd")], strict=True))


def test_a_section_is_told_by_its_labels_and_in_words(draft: Draft, as_nobody: Client) -> None:
    typed = {"q:activity": "Trading", "q:started_on:day": "1", "q:started_on:month": "2", "q:started_on:year": "2026"}
    as_nobody.post(path(draft), TYPED | typed)
    sign_in(as_nobody, "owner@example.com")
    assert shown(as_nobody) == {
        "Name": "Larkfield",
        "Activity": "Trading",
        "Started on": "1\xa0February\xa02026",
        "Purpose": "</textarea> 1 & 2",
    }


def test_a_party_is_told_by_its_roles_labels_and_words(draft: Draft, owner: User, as_nobody: Client) -> None:
    party = services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=owner)
    address = f"/applications/{draft.application.reference}/people/{party.token}/"
    typed = {"q:person.first_name": "Ada", "q:person.last_name": "Lovelace", "q:xy.person.is_pep": "false"}
    as_nobody.post(address, typed | {"roles": ["", "director", "shareholder"], "version": "1"})
    sign_in(as_nobody, "owner@example.com")
    assert shown(as_nobody) == {"Roles": "Director, shareholder", "Last name": "Lovelace", "Is pep": "No"}


def test_shares_are_told_by_class_and_holder(draft: Draft, owner: User, as_nobody: Client) -> None:
    party = services.add_party(draft, "person", ["shareholder"], factories.ADA, by=owner)
    row = factories.new_share_class(draft, factories.ORDINARY, by=owner)
    address = f"/applications/{draft.application.reference}/shares/"
    as_nobody.post(address, {f"holding:{party.token}:{row.token}": "60", "version": "0"})
    sign_in(as_nobody, "owner@example.com")
    assert shown(as_nobody) == {"Ordinary, Ada Lovelace": "60"}


def test_somebody_else_does_not_see_it(draft: Draft, other_customer: User, as_nobody: Client) -> None:
    as_nobody.post(path(draft), TYPED)
    sign_in(as_nobody, "stranger@example.com")
    response = as_nobody.get("/unsent/", follow=True)
    assert "Larkfield" not in response.content.decode()
    assert response.redirect_chain == [("/applications/", 302)]


def test_a_page_that_saves_by_itself_stays_and_what_it_sent_is_kept(draft: Draft, as_nobody: Client) -> None:
    response = as_nobody.post(path(draft), TYPED, HTTP_HX_REQUEST="true")
    assert (response.status_code, response.content) == (401, b"")
    assert "HX-Redirect" not in response
    sign_in(as_nobody, "owner@example.com")
    markup = Markup(as_nobody.get("/unsent/").content.decode())
    assert "Larkfield" in markup.one("main").text
    # Sent again, it leads to the same page and not onwards.
    assert markup.one("textarea", name="update").text.strip() == "1"


def test_whatever_was_kept_is_offered_among_the_applications(draft: Draft, as_nobody: Client) -> None:
    as_nobody.post(path(draft), TYPED, HTTP_HX_REQUEST="true")
    sign_in(as_nobody, "owner@example.com")
    page = as_nobody.get("/applications/").content.decode()
    assert 'href="/unsent/"' in page
    again = posted_again(as_nobody.get("/unsent/").content.decode())
    as_nobody.post(path(draft), again)
    assert 'href="/unsent/"' not in as_nobody.get("/applications/").content.decode()


def test_too_much_to_keep_is_not_kept(draft: Draft, as_nobody: Client) -> None:
    as_nobody.post(path(draft), {"q:purpose": "x" * 200_001})
    assert "unsent" not in as_nobody.session


def test_nobody_fills_the_table_of_sessions(draft: Draft, as_nobody: Client, settings: Any) -> None:
    """Two hundred posts by nobody made 36 MB of sessions, which stayed for weeks."""
    settings.SESSION_COOKIE_AGE = 14 * 24 * 60 * 60
    for _ in range(60):
        Client().post(path(draft), TYPED | {"q:purpose": "x" * 100_000})
    kept = Session.objects.filter(expire_date__lt=timezone.now() + timedelta(hours=1))
    assert kept.count() == Session.objects.count() <= 30
