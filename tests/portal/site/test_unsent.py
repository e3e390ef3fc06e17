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
from tests.portal.pages import people_url, root, section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TYPED = {"q:name": "Larkfield", "q:purpose": "</textarea>\n\n1 & 2", "version": "0", "shown": ["a", "b"]}


def sign_in(client: Client, email: str) -> None:
    user = User.objects.get(email=email)
    user.set_password("quite-a-long-one")
    user.save()
    client.post("/accounts/login/", {"login": email, "password": "quite-a-long-one"})


def unsent(client: Client) -> Markup:
    """Open the page of what was not sent, whose texts stand in controls that nobody sees."""
    page = Markup(client.get("/unsent/").content.decode())
    assert page.faults == []
    return page


def posted_again(page: Markup) -> dict[str, list[str]]:
    posted: dict[str, list[str]] = {}
    for area in page.all("textarea"):
        # A line break right after the tag is not part of the value.
        posted.setdefault(area.attributes["name"], []).append(area.text.removeprefix("\n"))
    return posted


def test_it_is_sent_again_after_signing_in(draft: Draft, as_nobody: Client) -> None:
    response = as_nobody.post(section_url(draft), TYPED)
    assert response["Location"] == "/accounts/login/?next=%2Funsent%2F"
    sign_in(as_nobody, "owner@example.com")
    again = posted_again(unsent(as_nobody))
    assert again == {name: [value] if isinstance(value, str) else value for name, value in TYPED.items()}
    as_nobody.post(section_url(draft), again)
    raw = open_draft(draft.application).entity_raw
    assert raw["entity.name"] == "Larkfield"
    assert "1 & 2" in raw["charter.purpose"]


def test_what_was_typed_is_told_by_its_labels_and_in_words(draft: Draft, owner: User, as_nobody: Client) -> None:
    ada = services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=owner)
    bob = services.add_party(draft, "person", ["shareholder"], {"person.first_name": "Bob"}, by=owner)
    row = factories.new_share_class(draft, factories.ORDINARY, by=owner)
    started = {"q:started_on:day": "1", "q:started_on:month": "2", "q:started_on:year": "2026"}
    names = {"q:person.first_name": "Ada", "q:person.last_name": "Lovelace", "q:xy.person.is_pep": "false"}
    roles = {"roles": ["", "director", "shareholder"]}
    for address, typed, words in (
        (
            section_url(draft),
            TYPED | started | {"q:activity": "Trading"},
            {
                "Name": "Larkfield",
                "Activity": "Trading",
                "Started on": "1\xa0February\xa02026",
                "Purpose": "</textarea> 1 & 2",
            },
        ),
        (
            people_url(draft, f"{ada.token}/"),
            names | roles,
            {"Roles": "Director, shareholder", "Last name": "Lovelace", "Is pep": "No"},
        ),
        (f"{root(draft)}shares/", {f"holding:{bob.token}:{row.token}": "60"}, {"Ordinary, Bob": "60"}),
    ):
        as_nobody.post(address, {"version": "1"} | typed)
        sign_in(as_nobody, "owner@example.com")
        page = unsent(as_nobody)
        assert (
            dict(zip([one.text for one in page.all("dt")], [one.text for one in page.all("dd")], strict=True)) == words
        )
        as_nobody.logout()


def test_somebody_else_does_not_see_it(draft: Draft, other_customer: User, as_nobody: Client) -> None:
    as_nobody.post(section_url(draft), TYPED)
    sign_in(as_nobody, "stranger@example.com")
    response = as_nobody.get("/unsent/", follow=True)
    assert "Larkfield" not in response.content.decode()
    assert response.redirect_chain == [("/applications/", 302)]


def test_a_page_that_saves_by_itself_stays_and_what_it_sent_is_kept_and_offered(
    draft: Draft, as_nobody: Client
) -> None:
    response = as_nobody.post(section_url(draft), TYPED, HTTP_HX_REQUEST="true")
    assert (response.status_code, response.content) == (401, b"")
    assert "HX-Redirect" not in response
    sign_in(as_nobody, "owner@example.com")
    markup = unsent(as_nobody)
    assert "Larkfield" in markup.one("main").text
    # Sent again, it leads to the same page and not onwards; until then it is offered among the applications.
    assert markup.one("textarea", name="update").text.strip() == "1"
    assert 'href="/unsent/"' in as_nobody.get("/applications/").content.decode()
    as_nobody.post(section_url(draft), posted_again(markup))
    assert 'href="/unsent/"' not in as_nobody.get("/applications/").content.decode()


def test_too_much_to_keep_is_not_kept(draft: Draft, as_nobody: Client) -> None:
    as_nobody.post(section_url(draft), {"q:purpose": "x" * 200_001})
    assert "unsent" not in as_nobody.session


def test_nobody_fills_the_table_of_sessions(draft: Draft, as_nobody: Client, settings: Any) -> None:
    """Two hundred posts by nobody made 36 MB of sessions, which stayed for weeks."""
    settings.SESSION_COOKIE_AGE = 14 * 24 * 60 * 60
    for _ in range(60):
        Client().post(section_url(draft), TYPED | {"q:purpose": "x" * 100_000})
    kept = Session.objects.filter(expire_date__lt=timezone.now() + timedelta(hours=1))
    assert kept.count() == Session.objects.count() <= 30
