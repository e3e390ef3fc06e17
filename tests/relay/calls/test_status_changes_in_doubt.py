"""A status change is sent once, whatever becomes of its answer; and what follows a refusal or a withdrawal."""

from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import NO_REVIEWS, deliveries_of
from formation_portal.relay.models import Delivery, Look, Reason
from formation_portal.relay.provider_message import provider_message
from formation_portal.relay.resolution import bind, declare_absent, deliveries_in
from formation_portal.relay.service_profile import Capabilities, current_profile, update_profile
from formation_portal.relay.wording import state_words
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity
from tests import factories
from tests.relay.conftest import (
    READ,
    RETURNED,
    STATUS,
    SUBMIT,
    advance,
    drain_until_still,
    row,
    save,
    sent_statuses,
    status_row,
    status_there,
    submit,
    withdraw,
)
from tests.relay.flaky_transport import Failure, FlakyTransport, answers, lost_after, lost_before, refuses

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.mark.parametrize("lost", [lost_before, lost_after, answers(503, Retry_After="1")])
def test_a_transition_is_done_exactly_once(submitted: Draft, transport: FlakyTransport, agent: Any, lost: Any) -> None:
    transport.fail_on(STATUS, lost, times=1)
    advance(submitted, *RETURNED, by=agent)
    drain_until_still()
    assert status_there() == "returned_for_changes"
    assert sent_statuses(transport)[-1] == "returned_for_changes"
    assert set(sent_statuses(transport)[:-1]) == {"in_review"}
    assert deliveries_of(submitted.application).overall.words == "Received"


def test_without_keys_a_status_is_read_first(submitted: Draft, without_keys: FlakyTransport, agent: Any) -> None:
    without_keys.fail_on(STATUS, lost_after, times=1)
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    assert without_keys.endpoints == [STATUS, READ], "done: so it is not told again"
    without_keys.clear()
    without_keys.fail_on(STATUS, lost_before, times=1)
    advance(submitted, "return", by=agent)
    drain_until_still()
    assert without_keys.endpoints == [STATUS, READ, READ, STATUS], "two looks in vain, then once more"
    assert status_there() == "returned_for_changes"


def test_what_is_lost_often_is_settled_by_reading(submitted: Draft, without_keys: FlakyTransport, agent: Any) -> None:
    update_profile(capabilities=replace(current_profile().capabilities, slowest=35.0))
    without_keys.fail_on(STATUS, lost_before, times=7)
    advance(submitted, *RETURNED, by=agent)
    waits = []
    for _ in range(40):
        drain()
        moved = status_row("in_review")
        assert moved.state != "held"
        if moved.state == "unknown" and moved.looks:
            waits.append((moved.next_at - timezone.now()).total_seconds())
    assert sent_statuses(without_keys) == ["in_review"] * 8 + ["returned_for_changes"]
    assert status_there() == "returned_for_changes"
    assert [round(wait, -1) for wait in waits] == [70, 70, 70, 120, 240, 480, 960], "ever more rarely"
    assert without_keys.endpoints.count(READ) == 14, "never told again but right after two looks"


def test_what_is_held_ends_if_the_call_is_missing(complete: Draft, without_keys: FlakyTransport, owner: Any) -> None:
    without_keys.fail_on(READ, answers(404))
    without_keys.fail_on(SUBMIT, lost_before, times=1)
    submit(complete)
    drain_until_still()
    assert (row("submission").state, row("submission").reason) == ("held", Reason.UNCLEAR)
    without_keys.clear()
    without_keys.fail_on(SUBMIT, answers(404))
    factories.submitted_draft(owner)
    drain_until_still()
    submissions = Delivery.objects.filter(kind="submission")
    assert {(row.state, row.reason) for row in submissions} == {("done", Reason.UNSUPPORTED)}
    assert without_keys.endpoints.count(SUBMIT) == 1


def test_a_missing_call_is_made_again_after_a_probe(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    update_profile(lacks=["status"])
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    assert transport.endpoints == []
    assert (status_row("in_review").state, status_row("in_review").reason) == ("done", Reason.UNSUPPORTED)
    update_profile(lacks=[])
    Entity.objects.update(status="in_review")
    advance(submitted, "return", by=agent)
    drain_until_still()
    assert transport.endpoints == [STATUS]
    assert status_row("returned_for_changes").reason == ""


def test_what_cannot_be_read_is_held_and_told_once(submitted: Draft, without_keys: FlakyTransport, agent: Any) -> None:
    without_keys.fail_on(STATUS, lost_after, times=1)
    without_keys.fail_on(READ, answers(404))
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    assert without_keys.endpoints == [STATUS, READ]
    held = status_row("in_review")
    assert (held.state, held.reason) == ("held", Reason.UNCLEAR)
    bind(held.pk, agent=agent, remote_id="")
    drain_until_still()
    assert without_keys.endpoints == [STATUS, READ]
    assert status_row("in_review").state == "done"


@pytest.mark.parametrize(
    ("status", "times", "looks", "state"),
    [("being looked at", 5, 6, "done"), ("", 1_000, 1, "held"), (["in_review"], 1_000, 1, "held")],
)
def test_a_state_on_the_way_is_read_again_and_one_that_is_none_settles_nothing(
    submitted: Draft, without_keys: FlakyTransport, agent: Any, status: Any, times: int, looks: int, state: str
) -> None:
    without_keys.fail_on(STATUS, lost_after, times=1)
    without_keys.fail_on(READ, answers(200, {"data": {"status": status}}), times=times)
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    assert without_keys.endpoints == [STATUS, *[READ] * looks]
    found = status_row("in_review")
    assert (found.state, found.reason) == (state, "" if state == "done" else Reason.UNCLEAR)
    assert state == "done" or found.lookups.get().conclusion == "no state that we know"


def test_a_record_of_something_else_settles_nothing(submitted: Draft, without_keys: FlakyTransport, agent: Any) -> None:
    without_keys.fail_on(STATUS, lost_before, times=1)
    without_keys.fail_on(READ, answers(200, {"data": {"id": "ent_other", "status": "in_review"}}), times=1)
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    assert status_there() == "in_review"
    assert len(sent_statuses(without_keys)) == 2


def test_what_was_returned_there_meanwhile_was_submitted_before(complete: Draft, without_keys: FlakyTransport) -> None:
    update_profile(capabilities=Capabilities())
    without_keys.fail_on(SUBMIT, lost_after, times=1)
    submit(complete)
    drain()
    Entity.objects.update(status="returned_for_changes")
    drain_until_still()
    assert without_keys.endpoints[-2:] == [SUBMIT, READ]
    assert without_keys.endpoints.count(SUBMIT) == 1
    assert row("submission").state == "done"


def test_a_second_submission_is_sent_as_well(submitted: Draft, without_keys: FlakyTransport, agent: Any) -> None:
    advance(submitted, *RETURNED, by=agent)
    submit(submitted)
    without_keys.fail_on(SUBMIT, lost_before, times=1)
    drain_until_still()
    assert without_keys.endpoints.count(SUBMIT) == 2
    assert status_there() == "submitted_for_review"


@pytest.mark.parametrize("status", ["in_review", "rejected"])
def test_what_is_done_already_is_done(submitted: Draft, transport: FlakyTransport, agent: Any, status: str) -> None:
    Entity.objects.update(status=status)
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    assert status_row("in_review").state == "done"
    assert (status_there(), sent_statuses(transport)) == (status, ["in_review"])
    assert Look.objects.count() == 1


def test_what_they_decide_otherwise_waits_for_an_agent(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    Entity.objects.update(status="rejected")
    advance(submitted, "approve", "record_incorporation", by=agent)
    drain_until_still()
    held = status_row("submitted_to_csp")
    assert (held.state, held.reason) == ("held", Reason.STATE_CONFLICT)
    assert sent_statuses(transport) == ["in_review", "submitted_to_csp"], "tried once, and what follows waits"
    assert held.lookups.get().conclusion == "it stands at rejected"
    assert "Status we sent: submitted_to_csp" in provider_message(held, ids={})
    assert [one.pk for one in deliveries_in("undecided")] == [held.pk]
    unresolved = deliveries_of(submitted.application).unresolved()
    assert ("Approval", "With our team") in [(title, view.words) for title, view in unresolved]
    # The service's people put it right, and ours say that it is to be told again.
    Entity.objects.update(status="in_review")
    declare_absent(held.pk, agent=agent)
    drain_until_still()
    assert status_there() == "incorporated"


@pytest.mark.parametrize("is_withdrawn", [True, False])
def test_what_was_refused_is_told_under_a_new_key_or_ended_by_a_withdrawal(
    submitted: Draft, transport: FlakyTransport, agent: Any, is_withdrawn: bool
) -> None:
    """Under the old key, the service would only repeat its refusal."""
    Entity.objects.update(status="draft")
    advance(submitted, "begin_review", by=agent)
    make_next_call(submitted.application.pk)
    assert status_row("in_review").reason == Reason.STATE_CONFLICT
    if is_withdrawn:
        withdraw(submitted)
    else:
        Entity.objects.update(status="submitted_for_review")
    drain_until_still()
    assert status_there() == ("withdrawn" if is_withdrawn else "in_review")
    assert not deliveries_in().exists()
    first, second = (call.key for call in transport.calls if call.endpoint == STATUS)
    assert first != second


@pytest.mark.parametrize("lost", [lost_before, lost_after])
@pytest.mark.parametrize("endpoint", [SUBMIT, STATUS])
def test_a_withdrawal_ends_the_doubt_about_what_came_before(
    complete: Draft, transport: FlakyTransport, agent: Any, endpoint: str, lost: Failure
) -> None:
    transport.fail_on(endpoint, lost, times=1)
    submit(complete)
    drain()
    if endpoint == STATUS:
        advance(complete, "begin_review", by=agent)
        drain()
    withdraw(complete)
    drain_until_still()
    told = [] if endpoint == SUBMIT else ["in_review"]
    assert sent_statuses(transport) == [*told, "withdrawn"], "what nobody wants told any more is not told again"
    assert transport.endpoints.count(SUBMIT) == 1
    assert status_there() == "withdrawn"
    assert not deliveries_in().exists()
    assert deliveries_of(complete.application).overall.words == "Received"


def test_a_service_without_the_call_holds_nothing_up(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on(STATUS, answers(405))
    advance(submitted, *RETURNED, by=agent)
    drain_until_still()
    assert sent_statuses(transport) == ["in_review"], "a missing call is not made again"
    deliveries = deliveries_of(submitted.application)
    assert deliveries.notices == (NO_REVIEWS,)
    assert ("Start of the review", "With our team") in [(title, one.words) for title, one in deliveries.unresolved()]
    Entity.objects.update(status="returned_for_changes")
    save(submitted, "the-company", {"entity.name": "Larkspur"})
    submit(submitted)
    drain_until_still()
    assert transport.endpoints[2:] == ["PATCH entities", SUBMIT]


def test_a_key_without_the_scope_stops_nobody_else(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on(STATUS, answers(403, {"code": "insufficient_scope"}), times=1)
    advance(submitted, "begin_review", by=agent)
    drain()
    waiting = status_row("in_review")
    assert (waiting.state, "lacks the scope" in state_words(waiting)) == ("waiting", True)
    assert not deliveries_of(submitted.application).profile.is_paused(timezone.now())
    drain()
    assert status_there() == "in_review"


def test_a_refused_transition_is_no_customers_matter(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on(STATUS, refuses("note", "Too long"), times=1)
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    held = status_row("in_review")
    assert (held.state, held.reason) == ("held", "validation_failed")
    assert submitted.application.state == "in_review"
    declare_absent(held.pk, agent=agent)
    drain_until_still()
    assert status_there() == "in_review"


def test_a_submission_refused_in_review_goes_again(complete: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on(SUBMIT, refuses("name", code="requirements_not_met"), times=1)
    submit(complete)
    advance(complete, "begin_review", by=agent)
    drain_until_still()
    assert row("submission").state == "refused"
    advance(complete, "return", by=agent)
    drain_until_still()
    assert transport.endpoints.count(SUBMIT) == 1
    save(complete, "the-company", {"entity.name": "Larkspur"})
    submit(complete)
    drain_until_still()
    assert transport.endpoints.count(SUBMIT) == 3
    assert sent_statuses(transport) == ["in_review", "returned_for_changes"]
    assert status_there() == "submitted_for_review"
    assert deliveries_of(complete.application).overall.words == "Received"
