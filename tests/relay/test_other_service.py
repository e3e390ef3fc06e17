"""Against a service of another make, which knows only the documented calls."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.lifecycle import State
from formation_portal.relay.delivery_status import NO_EDITS, NO_SUBMISSIONS, SENT_ON_SUBMIT, deliveries_of
from formation_portal.relay.worker import drain
from formation_portal.reviews.decisions import Registration, registration_of
from formation_portal.reviews.models import ServiceStatus
from tests import factories
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import USABLE

from .conftest import read_all_entities, row, save, save_first_party, submit

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NAMES = {"person.first_name": "Ada", "person.last_name": "Lovelace", "person.email": "ada@example.com"}


@pytest.fixture
def shares(at_other_service: OtherService, owner: Any) -> Draft:
    """A complete application for the company with shares."""
    [product] = [one for one in parse_catalog(list(USABLE)) if one.product.slug == "shares"]
    assert isinstance(product, CatalogItem)
    draft = open_draft(services.start(owner=owner, product=product))
    save(draft, "the-company", {"entity.name": "Larkfield", "lark.votes": "Some"})
    services.add_share_class(
        draft, factories.ORDINARY | {"lark.colour": "Blue", "lark.why": "They paid"}, by=owner, token="blue"
    )
    answers = NAMES | {"lark.class": "blue"}
    services.add_party(draft, "person", ["director", "shareholder"], answers, by=owner, token="ada")
    services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": "Nominees"}, by=owner, token="ltd")
    services.save_holdings(draft, {("ada", "blue"): "60", ("ltd", "blue"): "40"}, by=owner)
    assert draft.needs == ()
    return draft


def test_all_of_it_arrives_when_the_customer_submits(shares: Draft, at_other_service: OtherService) -> None:
    assert drain() == 0
    assert deliveries_of(shares.application).overall.words == SENT_ON_SUBMIT
    assert deliveries_of(shares.application).notices == (NO_EDITS,)
    assert at_other_service.entities == {}
    save(shares, "the-company", {"entity.name": "Larkspur"})
    submit(shares)
    drain()
    held = at_other_service.only_entity()
    assert held.created["name"] == "Larkspur", "in its last form"
    assert held.csp_data == {"lark.votes": "Some"}
    ((class_id, share_class),) = held.share_classes.items()
    assert (share_class["name"], share_class["par_value"]) == ("Ordinary", 1)
    assert held.share_class_csp_data[class_id] == {"lark.colour": "Blue", "lark.why": "They paid"}
    assert {party["party_type"] for party in held.parties.values()} == {"person", "corporate"}
    assert held.party_csp_data[row("party", "ada").remote_id] == {"lark.class": class_id}
    assert sorted(holding["shares_held"] for holding in held.shareholdings) == [40, 60]
    # It is said plainly that the service was not told of the submission.
    assert drain() == 0
    deliveries = deliveries_of(shares.application)
    assert deliveries.last_submission.words == "With our team"
    assert deliveries.notices == (NO_SUBMISSIONS,)
    assert factories.again(shares).application.status is State.SUBMITTED_FOR_REVIEW
    writes = [request for request in at_other_service.received if request.method != "GET"]
    assert {request.method for request in writes} == {"POST"}
    assert [request.path.rpartition("/")[2] for request in writes].count("submit") == 1


def test_a_refusal_in_another_shape_stands_at_its_field(shares: Draft, at_other_service: OtherService) -> None:
    at_other_service.refuse("POST .*/parties$", "email", "is not ours", times=1)
    submit(shares)
    drain()
    fresh = factories.again(shares)
    assert fresh.application.status is State.RETURNED_FOR_CHANGES
    assert at_other_service.requests("POST", "/submit") == []
    (problem,) = deliveries_of(fresh.application).of_party("ada").problems
    assert (problem.field, problem.message, problem.party) == ("person.email", "is not ours", "ada")
    save_first_party(fresh, {"person.email": "ada@example.org"})
    submit(fresh)
    drain()
    assert len(at_other_service.only_entity().parties) == 2
    assert len(at_other_service.only_entity().shareholdings) == 2


def test_what_a_service_cannot_clear_is_left_to_our_team(shares: Draft, at_other_service: OtherService) -> None:
    submit(shares)
    drain()
    services.reopen(shares, reason="Please look again")
    save(shares, "the-company", {"lark.votes": "All"})
    submit(shares)
    drain()
    assert at_other_service.only_entity().csp_data == {"lark.votes": "All"}
    deliveries = deliveries_of(shares.application)
    assert deliveries.of_share_class("blue").words == "With our team"
    assert factories.again(shares).application.status is State.SUBMITTED_FOR_REVIEW


def test_a_decision_is_read_in_any_shape(shares: Draft, at_other_service: OtherService, agent: Any) -> None:
    submit(shares)
    services.advance(shares, "begin_review", by=agent)
    drain()
    record = {"status": "deed_wanted", "feedback": "Send the deed by post", "anything": {"else": 1}}
    at_other_service.answer("GET .*/entities/[^/]+$", 200, record, times=1)
    read_all_entities()
    [status] = ServiceStatus.objects.all()
    assert (status.status, status.note, status.outcome) == ("deed_wanted", "Send the deed by post", "open")
    assert factories.again(shares).application.status is State.IN_REVIEW
    record = {"status": "incorporated", "registration_number": 4711}
    at_other_service.answer("GET .*/entities/[^/]+$", 200, record, times=1)
    read_all_entities()
    application = factories.again(shares).application
    assert application.status is State.INCORPORATED
    assert registration_of(application) == Registration("4711", None)
