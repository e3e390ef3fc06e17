"""Status changes that the service refuses, has no call for, or has decided otherwise; and what a withdrawal ends."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import NO_REVIEWS, deliveries_of
from formation_portal.relay.models import Reason
from formation_portal.relay.provider_message import provider_message
from formation_portal.relay.resolution import declare_absent, deliveries_in
from formation_portal.relay.wording import state_words
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity
from tests.relay.conftest import row, save
from tests.relay.flaky_transport import FlakyTransport, answers, lost_after, lost_before, refuses

from .status_changes import (
    RETURNED,
    STATUS,
    SUBMIT,
    advance,
    drain_until_still,
    sent_statuses,
    status_row,
    status_there,
    submitted,
)

__all__ = ["submitted"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_what_they_have_decided_otherwise_is_held_for_an_agent(
    submitted: Draft, transport: FlakyTransport, owner: Any, agent: Any
) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    Entity.objects.update(status="rejected")
    advance(submitted, "approve", "record_incorporation", by=agent)
    drain_until_still()
    held = status_row("submitted_to_csp")
    assert (held.state, held.reason) == ("held", Reason.STATE_CONFLICT)
    assert sent_statuses(transport) == ["in_review", "submitted_to_csp"], "tried once, and what follows waits"
    assert state_words(held) == "The application has a different status at the service"
    assert held.lookups.get().conclusion == "it stands at rejected"
    assert "Status we sent: submitted_to_csp" in provider_message(held, ids={})
    assert [one.pk for one in deliveries_in("undecided")] == [held.pk]
    assert ("Approval", "With our team") in [
        (title, view.words) for title, view in deliveries_of(submitted.application).unresolved()
    ]
    # The service's people put it right, and ours say that it is to be told again.
    Entity.objects.update(status="in_review")
    declare_absent(held.pk, agent=agent)
    drain_until_still()
    assert status_there() == "incorporated"


def test_what_was_refused_and_may_be_done_by_now_is_told_under_a_new_key(
    submitted: Draft, transport: FlakyTransport, agent: Any
) -> None:
    """Under the old one, the service would only repeat its refusal."""
    Entity.objects.update(status="draft")
    advance(submitted, "begin_review", by=agent)
    make_next_call(submitted.application.pk)
    assert status_row("in_review").reason == Reason.STATE_CONFLICT
    Entity.objects.update(status="submitted_for_review")
    drain_until_still()
    assert status_there() == "in_review"
    first, second = (call.key for call in transport.calls if call.endpoint == STATUS)
    assert first != second


def test_a_withdrawal_ends_what_was_held(submitted: Draft, transport: FlakyTransport, owner: Any, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    Entity.objects.update(status="draft")
    drain_until_still()
    assert status_row("in_review").reason == Reason.STATE_CONFLICT
    services.withdraw(submitted, by=owner)
    drain_until_still()
    assert status_there() == "withdrawn"
    assert not deliveries_in().exists()


@pytest.mark.parametrize("lost", [lost_before, lost_after])
def test_a_withdrawal_waits_until_it_is_known_what_came_before(
    submitted: Draft, transport: FlakyTransport, owner: Any, agent: Any, lost: Any
) -> None:
    transport.fail_on(STATUS, lost, times=1)
    advance(submitted, "begin_review", by=agent)
    drain()
    services.withdraw(submitted, by=owner)
    drain_until_still()
    assert sent_statuses(transport) == ["in_review", "withdrawn"], "what nobody wants told any more is not told again"
    assert status_there() == "withdrawn"
    assert deliveries_of(submitted.application).overall.words == "Received"


@pytest.mark.parametrize("lost", [lost_before, lost_after])
def test_a_withdrawal_ends_the_doubt_about_a_submission(
    complete: Draft, transport: FlakyTransport, owner: Any, lost: Any
) -> None:
    transport.fail_on(SUBMIT, lost, times=1)
    services.submit(complete, by=owner)
    drain()
    services.withdraw(complete, by=owner)
    drain_until_still()
    assert status_there() == "withdrawn"
    assert transport.endpoints.count(SUBMIT) == 1
    assert not deliveries_in().exists()
    assert deliveries_of(complete.application).overall.words == "Received"


def test_a_service_without_the_call_is_not_told_and_holds_nothing_up(
    submitted: Draft, transport: FlakyTransport, owner: Any, agent: Any
) -> None:
    transport.fail_on(STATUS, answers(405))
    advance(submitted, *RETURNED, by=agent)
    drain_until_still()
    assert sent_statuses(transport) == ["in_review"], "a missing call is not made again"
    deliveries = deliveries_of(submitted.application)
    assert deliveries.notices == (NO_REVIEWS,)
    assert ("Start of the review", "With our team") in [(title, one.words) for title, one in deliveries.unresolved()]
    Entity.objects.update(status="returned_for_changes")
    save(submitted, "the-company", {"entity.name": "Larkspur"}, owner)
    services.submit(submitted, by=owner)
    drain_until_still()
    assert transport.endpoints[2:] == ["PATCH entities", SUBMIT]


def test_a_key_without_the_scope_stops_nobody_else(
    submitted: Draft, transport: FlakyTransport, owner: Any, agent: Any
) -> None:
    transport.fail_on(STATUS, answers(403, {"code": "insufficient_scope"}), times=1)
    advance(submitted, "begin_review", by=agent)
    drain()
    waiting = status_row("in_review")
    assert (waiting.state, "lacks the scope" in state_words(waiting)) == ("waiting", True)
    assert not deliveries_of(submitted.application).profile.is_paused(timezone.now())
    drain()
    assert status_there() == "in_review"


def test_what_the_service_refuses_of_a_transition_is_no_customers_matter(
    submitted: Draft, transport: FlakyTransport, agent: Any
) -> None:
    transport.fail_on(STATUS, refuses("note", "Too long"), times=1)
    advance(submitted, "begin_review", by=agent)
    drain_until_still()
    held = status_row("in_review")
    assert (held.state, held.reason) == ("held", "validation_failed")
    assert submitted.application.state == "in_review"
    declare_absent(held.pk, agent=agent)
    drain_until_still()
    assert status_there() == "in_review"


def test_a_submission_that_was_refused_under_review_goes_again_with_the_next_one(
    complete: Draft, transport: FlakyTransport, owner: Any, agent: Any
) -> None:
    transport.fail_on(SUBMIT, refuses("name", code="requirements_not_met"), times=1)
    services.submit(complete, by=owner)
    advance(complete, "begin_review", by=agent)
    drain_until_still()
    assert row("submission").state == "refused"
    advance(complete, "return", by=agent)
    drain_until_still()
    assert transport.endpoints.count(SUBMIT) == 1
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    services.submit(complete, by=owner)
    drain_until_still()
    assert transport.endpoints.count(SUBMIT) == 3
    assert sent_statuses(transport) == ["in_review", "returned_for_changes"]
    assert status_there() == "submitted_for_review"
    assert deliveries_of(complete.application).overall.words == "Received"
