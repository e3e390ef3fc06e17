"""Nothing internal of a review reaches its customer, whoever they work with, or the formation service."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import new_token
from formation_portal.applications.models import Change
from formation_portal.invitations import parts
from formation_portal.relay.worker import drain
from formation_portal.reviews.models import Evidence, Note, Query, ReviewDecision, ScreeningCheck
from formation_portal.service.auth import portal_key
from tests import factories
from tests.portal.sharing.test_part import let_in
from tests.relay.conftest import transport

from .canaries import ASKED, DECLINED, NOTES, WORDS, Review, addresses, emails, found_in, read, text_of

__all__ = ["transport"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def review(transport: Any, complete: Draft, owner: Any, settings: Any) -> Review:
    settings.FOUR_EYES = True
    return Review(complete, owner)


def states(review: Review) -> Iterator[str]:
    """Each state that the review comes to."""
    for decision in (review.look, review.give_back, review.answer, review.approve, review.incorporate):
        decision()
        yield decision.__name__


def test_pages_emails_and_the_formation_service_say_what_the_customer_may_read(
    review: Review, as_owner: Client
) -> None:
    seen = ""
    home = f"/applications/{review.reference}/"
    for state in states(review):
        pages = ("", "people/ada/", "documents/", "check/", "record.json", "record.pdf") if state == "give_back" else ()
        for page in ("status/", *pages):
            text = read(as_owner, home + page)
            assert found_in(text) == [], f"{page} after {state}"
            seen += text
        assert found_in(emails()) == [], state
        drain()
        rows = [row for model in apps.get_app_config("service").get_models() for row in model.objects.all().values()]
        assert found_in(str(rows).lower()) == [], state
    assert ASKED.lower() in seen
    assert NOTES.lower() in seen
    assert "1 query needs a change or a reply." in emails()
    assert found_in(emails(), (ASKED.lower(), "lovelace", "passport")) == []
    entity = review.draft.application.deliveries.get(kind="entity").remote_id
    api = Client(headers={"Authorization": f"Bearer {portal_key()}"})
    for path in ("entities", f"entities/{entity}", f"entities/{entity}/parties", f"entities/{entity}/documents"):
        response = api.get(f"/api/v1/{path}")
        assert response.status_code == 200, path
        assert found_in(text_of(response)) == [], path


@pytest.mark.long
def test_no_page_for_anybody_gives_anything_away(
    review: Review, as_owner: Client, as_nobody: Client, owner: Any
) -> None:
    ada = review.draft.party("ada")
    assert ada is not None
    invitation = parts.invite(review.draft, ada, email="ada@example.com", by=owner, language="en")
    guest = let_in(as_nobody, invitation)
    clients = {"owner": as_owner, "helper": factories.browser_of(review.helper), "guest": guest}
    for state in states(review):
        if state in ("look", "approve"):
            continue
        for path in addresses(review, invitation):
            for who, client in clients.items():
                if "session" not in path:
                    assert found_in(read(client, path)) == [], f"{path} for the {who} after {state}"


def test_a_decline_says_its_text_and_nothing_else(review: Review, as_owner: Client) -> None:
    review.look()
    review.give_back()
    services.submit(review.draft, by=review.owner)
    review.decline()
    text = read(as_owner, f"/applications/{review.reference}/status/")
    assert DECLINED.lower() in text
    assert found_in(text) == []


def test_whoever_writes_beside_an_agent_is_not_told_their_name(review: Review, as_owner: Client) -> None:
    review.look()
    review.give_back()
    draft = review.draft
    ada = draft.party("ada")
    assert ada is not None
    saved = {"field": "xy.person.appointed_by", "label": "Appointed by", "before": None, "after": "ordinary"}
    number = draft.application.revision + 1
    Change.objects.create(
        application=draft.application, who=review.first, what="Changed", holder="ada", changes=[saved], revision=number
    )
    ada.model.raw |= {"xy.person.appointed_by": "ordinary"}
    ada.model.version += 1
    ada.model.save()
    page = f"/applications/{review.reference}/people/ada/"
    from_before = {"version": "0", "drawn": f"{number - 1}.{new_token()}.{draft.application.schema_version_id[:8]}"}
    response = as_owner.post(page, from_before | {"q:xy.person.appointed_by": "another"})
    assert response.status_code == 409
    assert found_in(text_of(response)) == []


def test_the_desk_reads_them_all_so_that_they_are_worth_looking_for(review: Review) -> None:
    review.look()
    rows: list[Any] = [review.draft.application.case]
    review.give_back()
    for model in (Evidence, Note, Query, ReviewDecision, ScreeningCheck):
        rows += model._default_manager.all()
    kept = " ".join(str(getattr(row, field.attname)) for row in rows for field in row._meta.concrete_fields)
    # The labels of two reasons stand on its pages alone.
    assert [word for word in WORDS if word.startswith("canary") and word not in kept.lower()] == []
