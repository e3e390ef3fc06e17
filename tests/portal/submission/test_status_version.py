"""The status page hears that it is old, and nothing else: not who works on it, nor whose it is."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.desk.queue import claims
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, ResourceKind
from formation_portal.reviews import checks, queries
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])
HTMX = {"HX-Request": "true"}


def asks(client: Client, draft: Draft) -> str:
    """Where the status page, drawn now, asks for news."""
    return page_at(client, f"{root(draft)}status/").one("p", id="news").attributes["hx-get"]


def test_a_move_and_what_the_service_says_of_a_document_are_said_once_and_lead_to_the_page(
    submitted: Draft, agent: Any, as_owner: Client
) -> None:
    address = asks(as_owner, submitted)
    services.advance(submitted, "begin_review", by=agent)
    answer = Markup(as_owner.get(address, headers=HTMX).content.decode())
    assert answer.one("p", id="news").text == "There is an update. Show"
    assert answer.one("p", id="announcer").text == "There is an update."
    assert answer.one("a").attributes["href"] == f"{root(submitted)}status/"
    assert "hx-get" not in answer.one("p", id="news").attributes, "it is said once"
    assert as_owner.get(asks(as_owner, submitted), headers=HTMX).status_code == 204
    # A version that is not named is no news, and what the service says of a document is.
    for query in ("", "?shown="):
        assert as_owner.get(f"{root(submitted)}status/news/{query}", headers=HTMX).status_code == 204
    address = asks(as_owner, submitted)
    document = Delivery.objects.filter(application=submitted.application, kind=ResourceKind.DOCUMENT)
    assert update_each(document, state=DeliveryState.DONE, document_status=REJECTED, document_note="Blurred") == 1
    assert as_owner.get(address, headers=HTMX).status_code == 200


def test_what_agents_do_among_themselves_is_no_news(
    submitted: Draft, agent: Any, as_agent: Client, as_owner: Client
) -> None:
    services.advance(submitted, "begin_review", by=agent)
    address = asks(as_owner, submitted)
    claims.claim([submitted.application.pk], by=agent)
    as_agent.get(f"/desk/{submitted.application.reference}/")
    queries.write_note(submitted, Target(TargetKind.APPLICATION), text="Ask twice", by=agent)
    facts = [fact.target for fact in load_checklist(submitted)]
    version = current_version(submitted.application)
    checks.accept(submitted, facts[:2], by=agent, version=version)
    queries.draft_query(submitted, facts[2], text="Which one?", by=agent, version=version)
    assert as_owner.get(address, headers=HTMX).status_code == 204
    assert asks(as_owner, submitted) == address


def test_asking_costs_two_queries_and_is_no_use_of_the_session(submitted: Draft, as_owner: Client) -> None:
    address = asks(as_owner, submitted)
    session = as_owner.session
    session["used_at"] = used = timezone.now().timestamp() - 600
    session.save()
    with CaptureQueriesContext(connection) as captured:
        as_owner.get(address, headers=HTMX)
    # Beside the session and its account.
    assert len(captured) - 2 == 2
    assert as_owner.session["used_at"] == used
