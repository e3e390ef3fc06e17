"""Decisions: what stops them, what they send, and that a second agent sees them first where that is asked for."""

from datetime import date
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import (
    APPROVE,
    DECLINE,
    INCORPORATE,
    RETURN,
    Registration,
    refuse_proposal,
    registration_of,
    waiting_decision,
    withdraw,
)
from formation_portal.reviews.models import MAX_TEXT, DecisionOutcome, Query, ReviewDecision, ServiceStatus
from formation_portal.reviews.queries import delete_draft, resolve, write_note
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import NotApprovable, ReviewChanged, ReviewRefused, changes_since
from tests import factories
from tests.desk.decision_setup import take_over
from tests.reviews.deciding import ask, check, confirm_proposal, decide, now

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
ACTIVITY = Target.of_field("the-company", "xy.activity")


@pytest.fixture
def four_eyes(settings: Any) -> None:
    settings.FOUR_EYES = True


def test_what_was_not_checked_is_not_approved(submitted: Draft, agent: Any) -> None:
    check(submitted, BIRTH, by=agent)
    with pytest.raises(NotApprovable) as caught:
        decide(submitted, APPROVE, by=agent, version=now(submitted))
    blockers = {(one.holder_name, one.text) for one in caught.value.blockers}
    assert ("Ada Lovelace", "Passport: not checked") in blockers
    assert ("", "Funds: not checked") in blockers
    assert not any("Date of birth" in text for _, text in blockers)
    assert factories.again(submitted).application.status is State.IN_REVIEW


def test_a_decision_that_arrives_twice_is_made_once(submitted: Draft, agent: Any, colleague: Any) -> None:
    check(submitted, by=agent)
    page = now(submitted)
    first = decide(submitted, APPROVE, by=agent, version=page)
    assert decide(factories.again(submitted), APPROVE, by=agent, version=page) == first
    assert ReviewDecision.objects.count() == 1
    for other in ({"by": colleague}, {"by": agent, "text": "With other words"}):
        with pytest.raises(services.Closed):
            decide(factories.again(submitted), APPROVE, version=page, **other)


def test_with_four_eyes_a_second_agent_confirms_and_what_arrives_twice_is_made_once(
    submitted: Draft, agent: Any, colleague: Any, four_eyes: None
) -> None:
    check(submitted, by=agent)
    page = now(submitted)
    proposed = decide(submitted, APPROVE, by=agent, version=page)
    assert proposed.outcome == DecisionOutcome.WAITING
    assert submitted.application.status is State.IN_REVIEW
    with pytest.raises(ReviewRefused, match="second agent"):
        confirm_proposal(submitted, by=agent, version=now(submitted))
    assert decide(factories.again(submitted), APPROVE, by=agent, version=page) == proposed
    with pytest.raises(ReviewRefused):
        decide(factories.again(submitted), DECLINE, text="No", by=agent, version=now(submitted))
    page = now(submitted)
    made = confirm_proposal(factories.again(submitted), by=colleague, version=page)
    assert confirm_proposal(factories.again(submitted), by=colleague, version=page) == made == proposed
    assert factories.again(submitted).application.status is State.SUBMITTED_TO_CSP
    assert (made.outcome, made.proposed_by, made.by) == (DecisionOutcome.DONE, agent, colleague)
    with pytest.raises(services.Closed):
        confirm_proposal(factories.again(submitted), by=agent, version=page)


def test_a_return_sends_what_was_drafted_and_a_query_asked_again_takes_the_place_of_the_first(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    kept = ask(submitted, BIRTH, "The passport says 1984", by=agent)
    dropped = ask(submitted, ACTIVITY, "Which trade?", by=agent)
    assert delete_draft(submitted, dropped.pk, by=agent, version=now(submitted))
    decide(submitted, RETURN, text="One thing is left", by=agent, version=now(submitted))
    sent = Query.objects.get(pk=kept.pk)
    assert (sent.round, sent.is_draft, sent.is_open) == (1, False, True)
    assert Query.objects.get(pk=dropped.pk).sent_at is None
    assert submitted.application.status is State.RETURNED_FOR_CHANGES
    move = submitted.application.changes.get(moved_to=State.RETURNED_FOR_CHANGES)
    assert move.named["note"] == "One thing is left\nDate of birth: The passport says 1984"
    services.submit(submitted, by=owner)
    ask(submitted, BIRTH, "And the day?", by=agent)
    assert [one.text for one in load_checklist(submitted).queries] == ["The passport says 1984", "And the day?"]
    decide(submitted, RETURN, by=agent, version=now(submitted))
    assert [one.text for one in load_checklist(submitted).queries] == ["And the day?"]


@pytest.mark.parametrize("is_resolved", [True, False])
def test_a_query_is_open_until_it_is_resolved_or_its_section_is_accepted(
    submitted: Draft, agent: Any, owner: Any, is_resolved: bool
) -> None:
    asked = ask(submitted, ACTIVITY, "Which trade?", by=agent)
    decide(submitted, RETURN, by=agent, version=now(submitted))
    services.submit(submitted, by=owner)
    with pytest.raises(NotApprovable) as caught:
        decide(submitted, APPROVE, by=agent, version=now(submitted))
    assert "Activity: open query" in [one.text for one in caught.value.blockers]
    if is_resolved:
        assert resolve(submitted, asked.pk, by=agent, version=now(submitted))
    else:
        # What it settles by the way is no fact.
        assert check(submitted, Target(TargetKind.SECTION, "the-company"), by=agent) == 1
    assert load_checklist(submitted).queries == ()
    check(submitted, by=agent)
    decide(submitted, APPROVE, by=agent, version=now(submitted))


def test_a_page_of_an_earlier_round_is_told_of_that_round_and_what_followed(
    submitted: Draft, agent: Any, colleague: Any, owner: Any
) -> None:
    decide(submitted, RETURN, text="Look again", by=agent, version=now(submitted))
    services.submit(submitted, by=owner)
    seen = now(submitted)
    decide(submitted, RETURN, text="And again", by=agent, version=now(submitted))
    services.submit(submitted, by=owner)
    with pytest.raises(ReviewChanged):
        accept(factories.again(submitted), [BIRTH], by=agent, version=seen)
    with pytest.raises(ReviewChanged) as caught:
        decide(submitted, DECLINE, text="We can't take it", by=agent, version=seen)
    of_the_customer = [move for move in caught.value.changes if move.by == owner]
    assert len(of_the_customer) == 1, "the second submission of two is what this page was drawn after"
    actors = [move.by for move in changes_since(submitted.application, seen, by=colleague)]
    assert actors.count(owner) == 1
    assert actors.count(agent) >= 2, "the review was begun, and the application returned"
    whats = {move.what for move in changes_since(submitted.application, seen, by=colleague)}
    assert whats == {
        "Submitted the application for review",
        "Returned it for changes",
        "recorded the return",
        "Started the review",
    }


def test_a_second_agent_may_refuse_and_confirms_nothing_that_came_up_since(
    submitted: Draft, agent: Any, colleague: Any, four_eyes: None
) -> None:
    check(submitted, by=agent)
    decide(submitted, APPROVE, by=agent, version=now(submitted))
    ask(submitted, BIRTH, "The passport says 1984", by=colleague)
    with pytest.raises(NotApprovable):
        confirm_proposal(submitted, by=colleague, version=now(submitted))
    with pytest.raises(ReviewRefused):
        refuse_proposal(submitted, why=" ", by=colleague, version=now(submitted))
    refuse_proposal(submitted, why="It is fine", by=colleague, version=now(submitted))
    assert waiting_decision(submitted.application) is None
    assert submitted.application.status is State.IN_REVIEW


def test_a_return_and_a_withdrawal_overtake_what_waits(
    submitted: Draft, agent: Any, colleague: Any, owner: Any, four_eyes: None
) -> None:
    first = decide(submitted, DECLINE, text="We can't take it", by=agent, version=now(submitted))
    take_over(submitted, colleague)
    decide(submitted, RETURN, text="Look again", by=colleague, version=now(submitted))
    assert ReviewDecision.objects.get(pk=first.pk).outcome == DecisionOutcome.OVERTAKEN
    services.submit(submitted, by=owner)
    second = decide(submitted, DECLINE, text="We can't take it", by=colleague, version=now(submitted))
    seen = now(submitted)
    services.withdraw(submitted, by=owner)
    assert now(submitted).version == seen.version + 1
    assert ReviewDecision.objects.get(pk=second.pk).outcome == DecisionOutcome.OVERTAKEN
    with pytest.raises(services.Closed):
        confirm_proposal(submitted, by=agent, version=now(submitted))


@pytest.mark.parametrize(
    ("details", "field"),
    [
        ({"text": "a" * (MAX_TEXT + 1)}, "text"),
        ({"text": " "}, "text"),
        ({"text": "No", "reason": "because"}, "reason"),
    ],
    ids=["too long", "empty", "no reason of the list"],
)
def test_a_return_needs_a_text_that_fits_and_a_known_reason(
    submitted: Draft, agent: Any, details: dict[str, str], field: str
) -> None:
    with pytest.raises(ReviewRefused) as refused:
        decide(submitted, RETURN, by=agent, version=now(submitted), **details)
    assert refused.value.field == field
    assert not ReviewDecision.objects.exists()
    decide(submitted, RETURN, text="a" * MAX_TEXT, by=agent, version=now(submitted))


def test_the_register_is_what_an_agent_recorded_else_what_the_service_reported(submitted: Draft, agent: Any) -> None:
    application, at = submitted.application, timezone.now()
    common = {"application": application, "version": 3, "by": agent, "at": at}
    decided = {"round": 1, "proposed_by": agent, "proposed_at": at}
    for decision, outcome, number, day in (
        (INCORPORATE, DecisionOutcome.UNDONE, "UNDONE-1", date(2026, 11, 1)),
        (APPROVE, DecisionOutcome.DONE, "APPROVED-2", date(2026, 11, 2)),
    ):
        ReviewDecision.objects.create(
            kind=decision, outcome=outcome, register_number=number, registered_on=day, **common, **decided
        )
    for outcome, number, day in (
        ("applied", "SERVICE-3", date(2026, 11, 3)),
        ("dismissed", "DISMISSED-4", date(2026, 11, 4)),
    ):
        ServiceStatus.objects.create(
            status="incorporated", received_at=at, outcome=outcome, company_number=number, incorporated_on=day, **common
        )
    assert registration_of(application) is None, "not incorporated yet"
    application.state = State.INCORPORATED
    assert registration_of(application) == Registration("SERVICE-3", date(2026, 11, 3))
    ReviewDecision.objects.create(
        kind=INCORPORATE, outcome=DecisionOutcome.DONE, register_number="HRB 5", registered_on=date(2026, 11, 5),
        **common, **decided,
    )  # fmt: skip
    assert registration_of(application) == Registration("HRB 5", date(2026, 11, 5))


def test_what_a_colleague_wrote_is_read_before_a_proposal_is_confirmed_or_withdrawn(
    submitted: Draft, agent: Any, colleague: Any, four_eyes: None
) -> None:
    decide(submitted, DECLINE, text="We can't take it", by=agent, version=now(submitted))
    seen = now(submitted)
    write_note(submitted, BIRTH, text="Call them first", by=agent)
    with pytest.raises(ReviewChanged):
        confirm_proposal(submitted, by=colleague, version=seen)
    write_note(submitted, BIRTH, text="I have called", by=colleague)
    with pytest.raises(ReviewChanged):
        withdraw(submitted, by=agent, version=seen)
    assert waiting_decision(submitted.application) is not None
