"""Whatever becomes of a thing or a call has words that an agent can read."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway.errors import CatalogUnavailable, GatewayError, NoAnswer, NotAuthorised
from formation_portal.relay.calls import outcomes
from formation_portal.relay.models import (
    OWN_REASONS,
    Attempt,
    Delivery,
    DeliveryState,
    Look,
    Reason,
    ResourceKind,
)
from formation_portal.relay.problems import block_approval
from formation_portal.relay.wording import Titles, conclusion_words, outcome_words, state_words
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from tests import factories
from tests.encrypted_rows import update_each

from .flaky_transport import FlakyTransport

# No call ends in these: one is a family, the other is what a page says.
_NEVER_AN_END = {NoAnswer, CatalogUnavailable}


def errors(family: type[GatewayError] = GatewayError) -> Iterator[type[GatewayError]]:
    for error in family.__subclasses__():
        yield error
        yield from errors(error)


def test_every_state_has_words_with_every_reason() -> None:
    for state, reason in product(DeliveryState.values, ["", *sorted(OWN_REASONS), "some_code"]):
        words = state_words(Delivery(state=state, reason=reason))
        assert words[0].isupper()
        assert "_" not in words


CANNOT = "The service cannot do this: tell it by e-mail, then record it here"
STATES = {
    ("queued", ""): "Will be sent",
    ("sending", ""): "Being sent",
    ("done", ""): "Received",
    ("done", "duplicate"): "The service has duplicates",
    ("done", "unsupported"): CANNOT,
    ("done", "told"): "Formation service informed",
    ("waiting", ""): "Waiting to retry",
    ("waiting", "not_authorised"): "The service does not accept our key",
    ("waiting", "not_allowed"): "Our key lacks the scope for this: an operator has to request it",
    ("waiting", "file_missing"): "The uploaded file cannot be read at the moment; trying again",
    ("waiting", "resend"): "It did not arrive and will be sent again",
    ("unknown", ""): "Delivery uncertain",
    ("unknown", "unclear"): "Delivery uncertain",
    (
        "unknown",
        "state_conflict",
    ): "Not accepted because of the application’s status at the service; checking that status",
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
    ("held", "unexpected"): "The service sent an unexpected answer",
    ("held", "not_accepted"): "The service did not accept it and names no answer to change",
    ("held", "idempotency_key_reused"): "The service says our idempotency key was used for different content",
    ("held", "invalid_state"): "The service does not accept this change in the entity’s current status",
    ("held", "schema_superseded"): "The service now has a newer form",
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


def test_every_end_of_a_call_has_words() -> None:
    names = [error.__name__ for error in set(errors()) - _NEVER_AN_END]
    for outcome in (*names, Reason.IN_PROGRESS, Reason.TOO_LATE):
        words = outcome_words(Attempt(outcome=outcome))
        assert " " in words, "no name of a class is for people"
        assert "_" not in words


TITLES = {
    ("entity", ""): "Company",
    ("entity_csp", ""): "Answers about the company",
    ("share_class", "voting"): "Share class Voting",
    ("share_class", "preference"): "Share class Préférence",
    ("share_class", "founders"): "Share class Founders’",
    ("party", "siobhan"): "Siobhán O’Brien, person",
    ("party", "zoe"): "Zoë D'Arcy, person",
    ("party", "orsted"): "Ørsted Holding ApS, company",
    ("party_csp", "siobhan"): "Answers of Siobhán O’Brien",
    ("party_csp", "zoe"): "Answers of Zoë D'Arcy",
    ("shareholding", "siobhan/voting"): "1,111 Voting of Siobhán O’Brien",
    ("shareholding", "siobhan/preference"): "222 Préférence of Siobhán O’Brien",
    ("shareholding", "zoe/voting"): "33 Voting of Zoë D'Arcy",
    ("shareholding", "zoe/founders"): "4,444 Founders’ of Zoë D'Arcy",
}
DOCUMENT_TITLES = [
    "Passport of Siobhán O’Brien",
    "Passport of Zoë D'Arcy",
    "Register extract of Ørsted Holding ApS",
]


@pytest.mark.django_db(databases=["default", "service"])
def test_each_thing_is_called_by_its_name(transport: FlakyTransport, owner: Any) -> None:
    application = factories.varied_draft(owner).application
    rows = list(application.deliveries.all())
    titles = Titles(rows)
    named = {(row.kind, row.subject): titles.title(row) for row in rows}
    documents = sorted(named.pop(key) for key in list(named) if key[0] == "document")
    assert (named, documents) == (TITLES, DOCUMENT_TITLES)
    assert {titles.application(row) for row in rows} == {"Société d’Été & Fils"}
    assert titles.title(Delivery(application=application, kind="submission")) == "Submission"
    answers = Delivery(application=application, kind="share_class_csp", subject="preference")
    assert titles.title(answers) == "Answers about share class Préférence"


@pytest.mark.django_db(databases=["default", "service"])
def test_what_has_no_name_is_called_so(draft: Draft) -> None:
    application = draft.application
    kinds = {"share_class": "Share class (unnamed)", "party": "Unnamed person or company"}
    rows = [Delivery(application=application, kind=kind, subject="x", wanted={"answers": {}}) for kind in kinds]
    titles = Titles(rows)
    assert [titles.title(row) for row in rows] == list(kinds.values())
    assert titles.application(rows[0]) == "Example company"
    assert titles.title(Delivery(application=application, kind="document")) == "Document"
    assert titles.title(Delivery(application=application, kind="shareholding")) == "Shares"


@pytest.mark.django_db(databases=["default", "service"])
def test_a_document_is_called_as_its_form_calls_it(complete: Draft) -> None:
    rows = list(complete.application.deliveries.all())
    passport = next(row for row in rows if row.kind == "document")
    assert Titles(rows).title(passport) == "Passport of Ada Lovelace"
    assert Titles(rows, slot_words={"Passport": "Passeport"}).title(passport) == "Passeport of Ada Lovelace"


@pytest.mark.django_db(databases=["default", "service"])
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
def test_what_the_service_refuses_leads_agents_to_its_place(
    complete: Draft, location: dict[str, str], target: Target
) -> None:
    problem = {"field": "", "code": "invalid", "message": "Not this"} | location
    update_each(complete.application.deliveries.filter(kind="party"), state=DeliveryState.REFUSED, problems=[problem])
    [blocker] = block_approval(complete)
    assert (blocker.target, blocker.text) == (target, "Not accepted by the formation service: Not this")


@pytest.mark.django_db(databases=["default", "service"])
@pytest.mark.parametrize(
    ("state", "kind", "is_in_the_way"),
    [
        (DeliveryState.REFUSED, "party", True),
        (DeliveryState.REFUSED, "status", False),
        (DeliveryState.HELD, "party", False),
    ],
)
def test_only_what_the_service_has_refused_to_a_customer_is_in_the_way(
    complete: Draft, state: str, kind: str, is_in_the_way: bool
) -> None:
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
