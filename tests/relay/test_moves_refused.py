"""What the service refuses, can't be told, or has decided otherwise; and what a withdrawal ends."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.relay.agent_words import state_words
from formation_portal.relay.attention import concerns
from formation_portal.relay.board import MOVES_NOT_TOLD, NOT_TOLD, deliveries
from formation_portal.relay.decisions import declare_absent
from formation_portal.relay.inquiry import inquiry
from formation_portal.relay.models import OTHERWISE
from formation_portal.relay.sending import step
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity

from .conftest import row, save
from .moving import ROUND, STATUS, SUBMIT, advance, drained, status_row, submitted, there, told
from .weather import Weather, answers, lost_after, lost_before, refuses

__all__ = ["submitted"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_what_they_have_decided_otherwise_is_held_for_an_agent(
    submitted: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    Entity.objects.update(status="rejected")
    advance(submitted, "approve", "record_incorporation", by=agent)
    drained()
    held = status_row("submitted_to_csp")
    assert (held.state, held.reason) == ("held", OTHERWISE)
    assert told(weather) == ["in_review", "submitted_to_csp"], "tried once, and what follows waits"
    assert state_words(held) == "The application has a different status at the service"
    assert held.seen.get().conclusion == "it stands at rejected"
    assert "Status we sent: submitted_to_csp" in inquiry(held, ids={})
    assert [one.pk for one in concerns("undecided")] == [held.pk]
    assert ("Approval", "With our team") in [
        (title, view.words) for title, view in deliveries(submitted.application).unsettled
    ]
    # The service's people put it right, and ours say that it is to be told again.
    Entity.objects.update(status="in_review")
    declare_absent(held.pk, agent=agent)
    drained()
    assert there() == "incorporated"


def test_what_was_refused_and_may_be_done_by_now_is_told_under_a_new_key(
    submitted: Draft, weather: Weather, agent: Any
) -> None:
    """Under the old one, the service would only repeat its refusal."""
    Entity.objects.update(status="draft")
    advance(submitted, "begin_review", by=agent)
    step(submitted.application.pk)
    assert status_row("in_review").reason == OTHERWISE
    Entity.objects.update(status="submitted_for_review")
    drained()
    assert there() == "in_review"
    first, second = (call.key for call in weather.made if call.deed == STATUS)
    assert first != second


def test_a_withdrawal_ends_what_was_held(submitted: Draft, weather: Weather, owner: Any, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    Entity.objects.update(status="draft")
    drained()
    assert status_row("in_review").reason == OTHERWISE
    saving.withdraw(submitted, by=owner)
    drained()
    assert there() == "withdrawn"
    assert not concerns().exists()


@pytest.mark.parametrize("lost", [lost_before, lost_after])
def test_a_withdrawal_waits_until_it_is_known_what_came_before(
    submitted: Draft, weather: Weather, owner: Any, agent: Any, lost: Any
) -> None:
    weather.spoil(STATUS, lost, times=1)
    advance(submitted, "begin_review", by=agent)
    drain()
    saving.withdraw(submitted, by=owner)
    drained()
    assert told(weather) == ["in_review", "withdrawn"], "what nobody wants told any more is not told again"
    assert there() == "withdrawn"
    assert deliveries(submitted.application).overall.words == "Received"


@pytest.mark.parametrize("lost", [lost_before, lost_after])
def test_a_withdrawal_ends_the_doubt_about_a_submission(
    complete: Draft, weather: Weather, owner: Any, lost: Any
) -> None:
    weather.spoil(SUBMIT, lost, times=1)
    saving.submit(complete, by=owner)
    drain()
    saving.withdraw(complete, by=owner)
    drained()
    assert there() == "withdrawn"
    assert weather.deeds.count(SUBMIT) == 1
    assert not concerns().exists()
    assert deliveries(complete.application).overall.words == "Received"


def test_a_service_without_the_call_is_not_told_and_holds_nothing_up(
    submitted: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    weather.spoil(STATUS, answers(405))
    advance(submitted, *ROUND, by=agent)
    drained()
    assert told(weather) == ["in_review", "returned_for_changes"]
    board = deliveries(submitted.application)
    assert board.notices == (MOVES_NOT_TOLD,)
    assert ("Start of the review", "With our team") in [(title, one.words) for title, one in board.unsettled]
    Entity.objects.update(status="returned_for_changes")
    save(submitted, "the-company", {"entity.name": "Larkspur"}, owner)
    saving.submit(submitted, by=owner)
    drained()
    assert weather.deeds[2:] == ["PATCH entities", SUBMIT]


@pytest.mark.parametrize("status", [404, 501])
def test_a_service_without_any_such_call_is_said_to_have_none(
    complete: Draft, weather: Weather, owner: Any, agent: Any, status: int
) -> None:
    weather.spoil(SUBMIT, answers(status))
    weather.spoil(STATUS, answers(status))
    saving.submit(complete, by=owner)
    advance(complete, "begin_review", "approve", by=agent)
    drained()
    assert told(weather) == ["in_review", "submitted_to_csp"]
    assert deliveries(complete.application).notices == (NOT_TOLD,)


def test_a_key_without_the_scope_stops_nobody_else(submitted: Draft, weather: Weather, owner: Any, agent: Any) -> None:
    weather.spoil(STATUS, answers(403, {"code": "insufficient_scope"}), times=1)
    advance(submitted, "begin_review", by=agent)
    drain()
    waiting = status_row("in_review")
    assert (waiting.state, "lacks the scope" in state_words(waiting)) == ("waiting", True)
    assert not deliveries(submitted.application)._known.is_paused(timezone.now())
    drain()
    assert there() == "in_review"


def test_what_the_service_refuses_of_a_deed_is_no_customers_matter(
    submitted: Draft, weather: Weather, agent: Any
) -> None:
    weather.spoil(STATUS, refuses("note", "Too long"), times=1)
    advance(submitted, "begin_review", by=agent)
    drained()
    held = status_row("in_review")
    assert (held.state, held.reason) == ("held", "validation_failed")
    assert submitted.application.state == "in_review"
    declare_absent(held.pk, agent=agent)
    drained()
    assert there() == "in_review"


def test_a_submission_that_was_refused_under_review_goes_again_with_the_next_one(
    complete: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    weather.spoil(SUBMIT, refuses("name", code="requirements_not_met"), times=1)
    saving.submit(complete, by=owner)
    advance(complete, "begin_review", by=agent)
    drained()
    assert row("submission").state == "refused"
    advance(complete, "return", by=agent)
    drained()
    assert weather.deeds.count(SUBMIT) == 1
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    saving.submit(complete, by=owner)
    drained()
    assert weather.deeds.count(SUBMIT) == 3
    assert told(weather) == ["in_review", "returned_for_changes"]
    assert there() == "submitted_for_review"
    assert deliveries(complete.application).overall.words == "Received"
