"""A decision takes effect ten seconds after it was made, once, and not if it is undone or something changes first."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.desk.audit.pages import detail_of
from formation_portal.mail.models import Email
from formation_portal.relay.models import Delivery
from formation_portal.reviews import scheduled_decisions
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.customer_queries import decision_texts
from formation_portal.reviews.decisions import (
    APPROVE,
    DECLINE,
    RETURN,
    confirm_proposal,
    decide,
    waiting_decision,
    withdraw,
)
from formation_portal.reviews.models import DecisionOutcome, Query, ReviewDecision
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.scheduled_decisions import carry_out_due, undo_decision
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused
from tests import factories
from tests.desk.decision_setup import take_over

from .deciding import ask, check, let_decisions_take_effect, now

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")


def approve(draft: Draft, by: Any) -> ReviewDecision:
    check(draft, by=by)
    return decide(draft, APPROVE, by=by, version=now(draft))


def status(draft: Draft) -> State:
    return factories.again(draft).application.status


def outcomes() -> list[tuple[str, str]]:
    return list(ReviewDecision.objects.order_by("pk").values_list("kind", "outcome"))


def letters(kind: str) -> list[str]:
    return [letter.to for letter in Email.objects.filter(kind=kind)]


def reviewed() -> list[str]:
    """The last things that the audit log says were done to decisions."""
    entries = Entry.objects.filter(action=AuditAction.REVIEW).order_by("number")
    words = ("decide", "confirm", "undo", "stop", "overtake", "take_effect")
    return [word for entry in entries for word in detail_of(entry)["did"] if word in words]


def test_until_it_takes_effect_nobody_is_told(submitted: Draft, agent: Any) -> None:
    before = timezone.now()
    decision = approve(submitted, agent)
    deliveries = list(Delivery.objects.values_list("kind", "subject"))
    assert timedelta(seconds=9) < decision.takes_effect_at - before < timedelta(seconds=12)
    assert carry_out_due() == 0
    assert status(submitted) is State.IN_REVIEW
    assert outcomes() == [("approve", DecisionOutcome.SCHEDULED)]
    assert letters("decision") == []
    assert not submitted.application.changes.filter(moved_to=State.SUBMITTED_TO_CSP).exists()
    assert let_decisions_take_effect() == 1
    assert status(submitted) is State.SUBMITTED_TO_CSP
    assert outcomes() == [("approve", DecisionOutcome.DONE)]
    assert letters("decision") == [submitted.application.owner.email]
    assert submitted.application.changes.get(moved_to=State.SUBMITTED_TO_CSP).who == agent
    assert set(Delivery.objects.values_list("kind", "subject")) > set(deliveries)
    assert reviewed() == ["decide", "take_effect"]


def test_the_customer_reads_the_text_of_a_return_that_took_effect(submitted: Draft, agent: Any) -> None:
    decide(submitted, RETURN, text="Undone", by=agent, version=now(submitted))
    undo_decision(submitted, by=agent)
    assert decision_texts(submitted.application, RETURN) == {}
    ask(submitted, BIRTH, "The passport says 1984", by=agent)
    decide(submitted, RETURN, text="One thing is left", by=agent, version=now(submitted))
    assert decision_texts(submitted.application, RETURN) == {}
    assert Query.objects.get().sent_at is None
    let_decisions_take_effect()
    assert decision_texts(submitted.application, RETURN) == {1: "One thing is left"}
    assert Query.objects.get().sent_at is not None
    assert letters("return") == [submitted.application.owner.email]
    assert decision_texts(submitted.application, DECLINE) == {}


def test_it_takes_effect_once_however_many_workers_there_are(
    submitted: Draft, agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(submitted, DECLINE, text="We can't take it", by=agent, version=now(submitted))

    def open_while_another_worker_is_quicker(application: Application) -> Draft:
        monkeypatch.undo()
        assert let_decisions_take_effect() == 1
        return open_draft(application)

    monkeypatch.setattr(scheduled_decisions, "open_draft", open_while_another_worker_is_quicker)
    assert let_decisions_take_effect() == 0
    assert letters("decision") == [submitted.application.owner.email]
    assert reviewed() == ["decide", "take_effect"]


def test_an_agent_who_stopped_a_colleagues_decision_from_an_old_page_reads_of_it_before_deciding(
    submitted: Draft, agent: Any, colleague: Any
) -> None:
    old_page = now(submitted)
    decide(submitted, RETURN, text="One thing is left", by=colleague, version=now(submitted))
    accept(submitted, [BIRTH], by=agent, version=old_page)
    assert outcomes() == [("return", DecisionOutcome.STOPPED)]
    take_over(submitted, agent)
    with pytest.raises(ReviewChanged) as refusal:
        decide(submitted, DECLINE, text="We can't take it", by=agent, version=old_page)
    assert [(change.by, change.what) for change in refusal.value.changes] == [(colleague, "recorded the return")]
    decide(submitted, DECLINE, text="We can't take it", by=agent, version=now(submitted))


def test_it_is_undone_by_who_made_it_and_can_be_made_again(submitted: Draft, agent: Any, colleague: Any) -> None:
    first = approve(submitted, agent)
    assert decide(factories.again(submitted), APPROVE, by=agent, version=now(submitted)) == first
    with pytest.raises(ReviewRefused, match="Undo that decision first"):
        decide(factories.again(submitted), DECLINE, text="No", by=agent, version=now(submitted))
    with pytest.raises(ReviewRefused, match="Only the agent who made this decision"):
        undo_decision(submitted, by=colleague)
    undo_decision(submitted, by=agent)
    assert let_decisions_take_effect() == 0
    assert status(submitted) is State.IN_REVIEW
    assert letters("decision") == []
    decide(submitted, APPROVE, by=agent, version=now(submitted))
    let_decisions_take_effect()
    assert status(submitted) is State.SUBMITTED_TO_CSP
    assert outcomes() == [("approve", DecisionOutcome.UNDONE), ("approve", DecisionOutcome.DONE)]
    assert reviewed() == ["decide", "undo", "decide", "take_effect"]
    with pytest.raises(ReviewRefused, match="already taken effect"):
        undo_decision(factories.again(submitted), by=agent)


@pytest.mark.parametrize(
    ("act", "status_then", "words"),
    [
        (lambda draft, owner, _: services.withdraw(draft, by=owner), State.WITHDRAWN, "The customer withdrew"),
        (
            lambda draft, _, colleague: write_note(draft, WHOLE_APPLICATION, text="Wait for the bank", by=colleague),
            State.IN_REVIEW,
            "Dev Ramanathan changed the case",
        ),
    ],
    ids=["a withdrawal", "a colleague's note"],
)
def test_what_others_do_wins_and_the_agent_is_told(
    submitted: Draft, agent: Any, owner: Any, colleague: Any, act: Any, status_then: State, words: str
) -> None:
    approve(submitted, agent)
    act(factories.again(submitted), owner, colleague)
    assert let_decisions_take_effect() == 0
    assert status(submitted) is status_then
    assert outcomes() == [("approve", DecisionOutcome.STOPPED)]
    [letter] = Email.objects.filter(kind="decision_stopped")
    assert letter.to == agent.email
    assert words in letter.text
    assert letters("decision") == []
    assert reviewed() == (["decide"] if status_then is State.WITHDRAWN else ["decide", "stop"])
    with pytest.raises(ReviewRefused, match="undone or stopped"):
        undo_decision(factories.again(submitted), by=agent)


def test_ones_own_note_stops_nothing_but_an_open_check_does(submitted: Draft, agent: Any) -> None:
    approve(submitted, agent)
    write_note(factories.again(submitted), WHOLE_APPLICATION, text="Known to us", by=agent)
    assert outcomes() == [("approve", DecisionOutcome.SCHEDULED)]
    reopen(factories.again(submitted), BIRTH, by=agent, version=now(submitted))
    assert let_decisions_take_effect() == 0
    assert status(submitted) is State.IN_REVIEW
    assert outcomes() == [("approve", DecisionOutcome.STOPPED)]
    assert letters("decision_stopped") == [agent.email]


def test_a_colleagues_decision_wins_once_they_have_seen_the_first(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = now(submitted)
    approve(submitted, agent)
    take_over(submitted, colleague)
    with pytest.raises(ReviewChanged):
        decide(factories.again(submitted), RETURN, text="Look again", by=colleague, version=seen)
    decide(factories.again(submitted), RETURN, text="Look again", by=colleague, version=now(submitted))
    assert let_decisions_take_effect() == 1
    assert status(submitted) is State.RETURNED_FOR_CHANGES
    assert outcomes() == [("approve", DecisionOutcome.STOPPED), ("return", DecisionOutcome.DONE)]
    assert letters("decision_stopped") == [agent.email]


def test_what_cannot_be_carried_out_holds_up_no_other_and_is_tried_again(
    submitted: Draft, agent: Any, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    decision = approve(submitted, agent)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError

    monkeypatch.setattr(workflow, "application_moved", fail)
    assert let_decisions_take_effect() == 0
    monkeypatch.undo()
    decision.refresh_from_db()
    assert decision.outcome == DecisionOutcome.SCHEDULED
    assert status(submitted) is State.IN_REVIEW
    assert carry_out_due(now=timezone.now() + timedelta(minutes=2)) == 1


@pytest.mark.django_db(databases=["default", "service"])
def test_the_command_of_the_relay_carries_out_what_was_left_when_a_worker_ended(submitted: Draft, agent: Any) -> None:
    approve(submitted, agent)
    ReviewDecision.objects.update(takes_effect_at=timezone.now() - timedelta(hours=1))
    call_command("relay", once=True)
    assert status(submitted) is State.SUBMITTED_TO_CSP


# With four eyes the confirmation can be undone; a proposal waits anyway.


@pytest.fixture
def confirmed(submitted: Draft, agent: Any, colleague: Any, settings: Any) -> Draft:
    """An approval that a second agent has just confirmed."""
    settings.FOUR_EYES = True
    assert approve(submitted, agent).takes_effect_at is None
    confirm_proposal(factories.again(submitted), by=colleague, version=now(submitted))
    return factories.again(submitted)


def test_a_confirmation_takes_effect_later_and_arrives_once(confirmed: Draft, colleague: Any) -> None:
    made = confirm_proposal(factories.again(confirmed), by=colleague, version=now(confirmed))
    assert (made.outcome, made.by) == (DecisionOutcome.SCHEDULED, colleague)
    assert status(confirmed) is State.IN_REVIEW
    let_decisions_take_effect()
    assert status(confirmed) is State.SUBMITTED_TO_CSP
    assert reviewed() == ["confirm", "take_effect"]


@pytest.mark.parametrize("end", ["undo", "stop"])
def test_a_proposal_waits_again_where_its_confirmation_does_not_take_effect(
    confirmed: Draft, agent: Any, colleague: Any, end: str
) -> None:
    if end == "undo":
        undo_decision(confirmed, by=colleague)
    else:
        write_note(confirmed, WHOLE_APPLICATION, text="One more thing", by=agent)
        assert letters("decision_stopped") == [colleague.email]
    assert let_decisions_take_effect() == 0
    waiting = waiting_decision(confirmed.application)
    assert waiting is not None
    assert waiting.proposed_by == agent
    confirmed.application.case.refresh_from_db()
    assert confirmed.application.case.proposed_by == agent
    withdraw(factories.again(confirmed), by=agent, version=now(confirmed))
