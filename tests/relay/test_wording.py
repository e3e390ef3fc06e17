"""Whatever becomes of a thing or a call has words that an agent, or the provider, can read."""

from collections.abc import Iterator
from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway.errors import GatewayError, NotAuthorised
from formation_portal.relay.calls import outcomes
from formation_portal.relay.models import (
    Attempt,
    Delivery,
    DeliveryState,
    Look,
    Reason,
    ResourceKind,
)
from formation_portal.relay.problems import block_approval
from formation_portal.relay.provider_message import _questions, call_words
from formation_portal.relay.wording import Titles, conclusion_words, outcome_words, state_words
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from tests import factories
from tests.encrypted_rows import update_each

from .flaky_transport import FlakyTransport

database = pytest.mark.django_db(databases=["default", "service"])

# No call ends in these: one is a family, the other is what a page says.
_NEVER_AN_END = {"NoAnswer", "CatalogUnavailable"}


def errors(family: type[GatewayError] = GatewayError) -> Iterator[type[GatewayError]]:
    for error in family.__subclasses__():
        yield error
        yield from errors(error)


CANNOT = "The service cannot do this: tell it by e-mail, then record it here"
OTHER_STATUS = "Not accepted because of the application’s status at the service; checking that status"
STATES = {
    ("queued", ""): "Will be sent",
    ("done", ""): "Received",
    ("done", "duplicate"): "The service has duplicates",
    ("done", "unsupported"): CANNOT,
    ("waiting", ""): "Waiting to retry",
    ("waiting", "not_authorised"): "The service does not accept our key",
    ("waiting", "not_allowed"): "Our key lacks the scope for this: an operator has to request it",
    ("waiting", "file_missing"): "The uploaded file cannot be read at the moment; trying again",
    ("waiting", "resend"): "It did not arrive and will be sent again",
    ("unknown", "unclear"): "Delivery uncertain",
    ("unknown", "state_conflict"): OTHER_STATUS,
    ("reconciling", ""): "Checking the service’s records",
    ("refused", ""): "Not accepted: the customer has to change something",
    ("held", ""): "Held",
    ("held", "some_code"): "Held: some code",
    ("held", "unclear"): "It may have arrived, but the service’s records do not show it",
    ("held", "state_conflict"): "The application has a different status at the service",
    ("held", "ambiguous"): "Several records at the service could be this one",
    ("held", "unsupported"): CANNOT,
    ("held", "file_missing"): "The uploaded file was replaced or removed before it was sent",
    ("held", "not_found"): "The service no longer has it",
    ("sending", ""): "Being sent",
    ("done", "told"): "Formation service informed",
    ("unknown", ""): "Delivery uncertain",
    ("held", "schema_superseded"): "The service now has a newer form",
    ("held", "unexpected"): "The service sent an unexpected answer",
    ("held", "not_accepted"): "The service did not accept it and names no answer to change",
    ("held", "idempotency_key_reused"): "The service says our idempotency key was used for different content",
    ("held", "invalid_state"): "The service does not accept this change in the entity’s current status",
}


def test_agents_read_the_state_and_its_reason() -> None:
    assert {name: state_words(Delivery(state=name[0], reason=name[1])) for name in STATES} == STATES


CALLS = {
    "": "No result recorded: still running, or its worker stopped",
    "done": "Done",
    "in_progress": "The service is still processing it",
    "bound_elsewhere": "The answer names a different record",
    "too_late": "Out of time: not sent",
    "worker_died": "The worker stopped during the call",
    "NotSent": "No connection: not processed",
    "NotConfigured": "No service configured: not sent",
    "Unclear": "No usable answer: it may have been processed",
    "Busy": "The service was busy: not processed",
    "Refused": "Not accepted because of its content",
    "Conflict": "Not accepted: conflicts with an existing record",
    "NotAuthorised": "Our key was not accepted",
    "NotFound": "Not found",
    "NotThere": "Not found, or no such call",
    "Unsupported": "No such call",
    "UnexpectedAnswer": "Unexpected answer: not processed",
    "some_code": "Some code",
}


def test_agents_read_the_end_of_each_call() -> None:
    assert {outcome: outcome_words(Attempt(outcome=outcome)) for outcome in CALLS} == CALLS
    assert {error.__name__ for error in errors()} - _NEVER_AN_END <= CALLS.keys()


TITLES = {
    ("entity", ""): "Company",
    ("entity_csp", ""): "Answers about the company",
    ("share_class", "preference"): "Share class Préférence",
    ("party", "siobhan"): "Siobhán O’Brien, person",
    ("party", "orsted"): "Ørsted Holding ApS, company",
    ("party_csp", "zoe"): "Answers of Zoë D'Arcy",
    ("document", "siobhan/Passport"): "Passeport of Siobhán O’Brien",
    ("document", "orsted/Register extract"): "Register extract of Ørsted Holding ApS",
    ("shareholding", "siobhan/preference"): "222 Préférence of Siobhán O’Brien",
    ("shareholding", "zoe/founders"): "4,444 Founders’ of Zoë D'Arcy",
    ("share_class_csp", "preference"): "Answers about share class Préférence",
    ("submission", ""): "Submission",
}


@database
def test_each_thing_is_called_by_its_name(transport: FlakyTransport, owner: Any) -> None:
    application = factories.varied_draft(owner).application
    rows = list(application.deliveries.all())
    rows += [Delivery(application=application, kind="submission")]
    rows += [Delivery(application=application, kind="share_class_csp", subject="preference")]
    titles = Titles(rows, slot_words={"Passport": "Passeport"})
    assert {(row.kind, row.subject): titles.title(row) for row in rows}.items() >= TITLES.items()
    assert {titles.application(row) for row in rows} == {"Société d’Été & Fils"}


@database
def test_what_has_no_name_is_called_so(draft: Draft) -> None:
    kinds = {
        "share_class": "Share class (unnamed)",
        "party": "Unnamed person or company",
        "document": "Document",
        "shareholding": "Shares",
    }
    rows = [Delivery(application=draft.application, kind=kind, subject="x", wanted={"answers": {}}) for kind in kinds]
    titles = Titles(rows)
    assert [titles.title(row) for row in rows] == list(kinds.values())
    assert titles.application(rows[0]) == "Example company"


@database
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ({"party": "ada", "field": "person.last_name"}, Target.of_field("ada", "person.last_name")),
        ({"section": "funds", "field": "xy.capital"}, Target.of_field("funds", "xy.capital")),
        ({"party": "ada", "slot": "Passport"}, Target.of_document("ada", "Passport")),
        ({"section": "funds"}, Target(TargetKind.SECTION, "funds")),
        ({}, WHOLE_APPLICATION),
    ],
)
def test_a_refusal_leads_agents_to_its_place(complete: Draft, location: dict[str, str], target: Target) -> None:
    problem = {"field": "", "code": "invalid", "message": "Not this"} | location
    update_each(complete.application.deliveries.filter(kind="party"), state=DeliveryState.REFUSED, problems=[problem])
    [blocker] = block_approval(complete)
    assert (blocker.target, blocker.text) == (target, "Not accepted by the formation service: Not this")


@database
@pytest.mark.parametrize(
    ("state", "kind", "is_in_the_way"),
    [
        (DeliveryState.REFUSED, "party", True),
        (DeliveryState.REFUSED, "status", False),
        (DeliveryState.HELD, "party", False),
    ],
)
def test_only_a_customers_problem_is_in_the_way(complete: Draft, state: str, kind: str, is_in_the_way: bool) -> None:
    Delivery.objects.create(application=complete.application, kind=kind, subject="one", position=9, state=state)
    found = block_approval(complete)
    assert [one.text for one in found] == ["Not accepted by the formation service: No reason given"] * is_in_the_way


def test_what_was_concluded_from_a_reading_has_words() -> None:
    conclusions = {
        "not there": "Not found",
        "several may be it": "Several possible matches",
        "it stands at in_review": "Status there: in review",
        "something_new": "Something new",
    }
    assert {name: conclusion_words(Look(conclusion=name)) for name in conclusions} == conclusions


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [
        ("status", 403, Reason.NOT_ALLOWED),
        ("status", 401, Reason.NOT_AUTHORISED),
        ("submission", 403, Reason.NOT_AUTHORISED),
    ],
)
def test_only_a_change_of_status_may_lack_a_scope_of_its_own(kind: str, status: int, reason: str) -> None:
    outcome = outcomes.outcome_of(NotAuthorised(status=status), kind=ResourceKind(kind), action="create")
    assert (outcome.state, outcome.reason) == ("waiting", reason)


@pytest.mark.parametrize(
    ("kind", "reason", "first"),
    [
        ("entity", Reason.UNCLEAR, "1. Did any of these calls create a record? If so, what is its ID?"),
        ("entity", Reason.DUPLICATE, "1. Which records did these calls create? What are their IDs?"),
        ("entity", Reason.UNSUPPORTED, "1. We have no call for this. Can you make the change on your side?"),
        ("entity", "not_found", "1. What is its status on your side?"),
        ("status", Reason.UNCLEAR, "1. What is the entity’s status on your side, and since when?"),
        ("status", Reason.STATE_CONFLICT, "1. What is the entity’s status on your side, and since when?"),
        ("submission", "not_found", "1. What is its status on your side?"),
    ],
)
def test_the_provider_is_asked_what_would_settle_it(kind: str, reason: str, first: str) -> None:
    assert _questions(Delivery(kind=kind, reason=reason))[0] == first


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("entity", "entities"),
        ("entity_csp", "entities/{id}/csp-data"),
        ("share_class", "entities/{id}/share-classes"),
        ("share_class_csp", "entities/{id}/csp-data"),
        ("party", "entities/{id}/parties"),
        ("party_csp", "entities/{id}/csp-data"),
        ("document", "entities/{id}/documents"),
        ("shareholding", "entities/{id}/shareholdings"),
        ("submission", "entities/{id}/submit"),
        ("status", "entities/{id}/status"),
    ],
)
def test_the_provider_reads_the_call_as_the_interface_has_it(kind: str, path: str) -> None:
    assert call_words(Delivery(kind=kind, wanted={})) == f"POST /api/v1/{path}"
    there = Delivery(kind=kind, wanted={"a": 1}, acknowledged={"a": 2}, remote_id="x_1")
    is_posted = kind.endswith("_csp") or kind in ("document", "submission", "status")
    assert call_words(there) == (f"POST /api/v1/{path}" if is_posted else f"PATCH /api/v1/{path}/x_1")
    gone = Delivery(kind=kind, wanted=None, acknowledged={"a": 2}, remote_id="x_1")
    assert call_words(gone) == (f"POST /api/v1/{path}" if kind.endswith("_csp") else f"DELETE /api/v1/{path}/x_1")
