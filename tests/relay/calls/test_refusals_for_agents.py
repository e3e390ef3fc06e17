"""A refusal that names nothing the customer sees is held for an agent, who can send it again unchanged."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Delivery, Reason
from formation_portal.relay.resolution import DecisionOutdated, may_send_again, send_again
from formation_portal.relay.wording import state_words
from formation_portal.relay.worker import drain
from tests import factories
from tests.relay.conftest import row, save, submit
from tests.relay.flaky_transport import FlakyTransport, answers, lost_before, refuses

pytestmark = pytest.mark.django_db(databases=["default", "service"])

CSP_DATA, PARTIES, SUBMIT = "POST entities/csp-data", "POST entities/parties", "POST entities/submit"
WORDS = "An object of csp_field_key to value is required"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"errors": [{"pointer": "/csp_form_schema_id", "code": "invalid", "detail": "Not our form"}]}),
        (402, {"code": "quota_exceeded", "detail": "Your plan allows 5 companies a month"}),
        (409, {"code": "conflict", "detail": "Another request changed this"}),
        (422, {"detail": "The content is not valid"}),
        (422, {"errors": [{"field": "xy.activity", "code": "unknown_field", "detail": "We have no such field"}]}),
        (422, {"errors": [{"field": "xy.office", "code": "invalid", "detail": "Not the agent's address"}]}),
        (422, {"errors": [{"field": "xy.goods", "code": "required", "detail": "Enter the goods"}]}),
    ],
    ids=("schema-id", "quota", "conflict", "nothing-named", "unknown", "agents-answer", "not-asked"),
)
def test_what_no_customer_may_mend_is_held(complete: Draft, transport: FlakyTransport, status: int, body: Any) -> None:
    transport.fail_on(CSP_DATA, answers(status, body), times=1)
    drain()
    assert row("entity_csp").state == "held"
    assert may_send_again(row("entity_csp"))
    submit(complete)
    assert complete.application.status is State.SUBMITTED_FOR_REVIEW, "nothing keeps the customer from submitting"


def test_customers_read_errors_that_name_answers_and_agents_all(complete: Draft, transport: FlakyTransport) -> None:
    errors = [
        {"pointer": "/csp_data", "code": "wrong_type", "detail": WORDS},
        {"pointer": "/csp_data/xy.capital", "field": "xy.capital", "code": "too_low", "detail": "At least 60,000"},
    ]
    transport.fail_on(CSP_DATA, answers(422, {"code": "validation_failed", "errors": errors}), times=1)
    drain()
    [need] = deliveries_of(complete.application).of_entity().problems
    assert (need.field, need.message, need.section) == ("xy.capital", "At least 60,000", "funds")
    assert [one["message"] for one in row("entity_csp").problems] == [WORDS, "At least 60,000"]


@pytest.mark.parametrize(
    ("error", "is_returned"),
    [
        ({"pointer": "/registered_office", "code": "required", "detail": "No office"}, False),
        ({"section": "Directors", "code": "minimum", "detail": "Two directors are required"}, True),
        ({"field": "xy.person.is_pep", "code": "required", "detail": "Is a director exposed?"}, True),
    ],
    ids=("foreign-field", "section", "persons-field"),
)
def test_a_refused_submission_goes_back_only_if_it_names_something_of_the_form(
    complete: Draft, transport: FlakyTransport, error: dict[str, str], is_returned: bool
) -> None:
    transport.fail_on(SUBMIT, answers(422, {"code": "requirements_not_met", "errors": [error]}), times=1)
    submit(complete)
    drain()
    state = State.RETURNED_FOR_CHANGES if is_returned else State.SUBMITTED_FOR_REVIEW
    assert factories.again(complete).application.status is state
    assert row("submission").state == ("refused" if is_returned else "held")


@pytest.mark.usefixtures("complete")
@pytest.mark.parametrize(("status", "state"), [(413, "refused"), (422, "held")])
def test_a_file_that_is_too_large_goes_to_the_customer(transport: FlakyTransport, status: int, state: str) -> None:
    transport.fail_on("POST entities/documents", answers(status, {"error": "Not like this, please"}), times=1)
    drain()
    assert Delivery.objects.get(kind="document").state == state


def test_an_agent_sends_it_again_and_all_of_it_arrives(
    complete: Draft, transport: FlakyTransport, agent: Any, settings: Any
) -> None:
    settings.FORMATION_SERVICE_EDITS = False
    refusal = {"errors": [{"pointer": "/csp_data", "code": "wrong_type", "detail": WORDS}]}
    transport.fail_on(CSP_DATA, answers(422, refusal), times=1)
    submit(complete)
    drain()
    assert "POST entities/submit" not in transport.endpoints
    decision = send_again(row("entity_csp").pk, agent=agent, note="They have repaired it")
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"
    first, second = (call for call in transport.calls if call.path.endswith("/csp-data") and "scope" not in call.body)
    assert first.body == second.body
    assert first.key != second.key, "under its old key the service would repeat its refusal"
    assert (decision.kind, decision.note) == ("again", "They have repaired it")


def test_an_agent_may_send_a_customers_problem_again(complete: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on(PARTIES, refuses("last_name", "Not in Latin letters"), times=1)
    drain()
    send_again(row("party", "ada").pk, agent=agent)
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"


@pytest.mark.usefixtures("complete")
def test_a_refusal_after_a_lost_answer_is_no_reason_to_send_again(transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on(PARTIES, lost_before, times=1)
    transport.fail_on(PARTIES, answers(402, {"code": "quota_exceeded", "detail": "No more this month"}))
    for _ in ("first", "again"):
        drain()
    held = row("party", "ada")
    assert (held.state, held.reason, held.needs_a_decision) == ("held", Reason.UNCLEAR, True)
    with pytest.raises(DecisionOutdated):
        send_again(held.pk, agent=agent)


def test_a_change_by_the_customer_releases_what_was_held(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", answers(422, {"detail": "The content is not valid"}), times=1)
    make_next_call(complete.application.pk)
    assert state_words(row("entity")) == "The service did not accept it and names no answer to change"
    save(complete, "the-company", {"entity.name": "Larkspur"})
    drain()
    assert (row("entity").state, row("entity").problems) == ("done", [])
