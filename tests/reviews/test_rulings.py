"""Decisions: what stops them, what they send, and that a second agent sees them first where that is asked for."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checks import accept
from formation_portal.reviews.facts import facts_of
from formation_portal.reviews.models import Outcome, Remark, Ruling
from formation_portal.reviews.places import Kind, Place
from formation_portal.reviews.refusals import NotYet, Overtaken, Refused
from formation_portal.reviews.remarks import ask, drop, settle
from formation_portal.reviews.rulings import (
    APPROVE,
    DECLINE,
    INCORPORATE,
    RETURN,
    confirm,
    refuse,
    rule,
    waiting_ruling,
)
from formation_portal.reviews.since import sight_of, since
from tests.subscribing import subscribe

from .conftest import again

pytestmark = pytest.mark.django_db

BIRTH = Place.of_field("ada", "person.date_of_birth")
ACTIVITY = Place.of_field("the-company", "xy.activity")


def now(draft: Draft) -> Any:
    return sight_of(draft.application)


def accept_all(draft: Draft, by: Any) -> None:
    accept(draft, [fact.place for fact in facts_of(draft)], by=by, sight=now(draft))


def test_what_was_not_checked_is_not_approved(submitted: Draft, agent: Any) -> None:
    accept(submitted, [BIRTH], by=agent, sight=now(submitted))
    with pytest.raises(NotYet) as caught:
        rule(submitted, APPROVE, by=agent, sight=now(submitted))
    said = {(one.whose, one.text) for one in caught.value.objections}
    assert ("Ada Lovelace", "Passport: not checked") in said
    assert ("", "Funds: not checked") in said
    assert not any("Date of birth" in text for _, text in said)
    assert again(submitted).application.status is State.IN_REVIEW


def test_what_was_checked_whole_is_approved_and_then_incorporated(submitted: Draft, agent: Any) -> None:
    accept_all(submitted, agent)
    rule(submitted, APPROVE, by=agent, sight=now(submitted))
    assert again(submitted).application.status is State.SUBMITTED_TO_CSP
    rule(submitted, INCORPORATE, by=agent, sight=now(submitted))
    assert again(submitted).application.status is State.INCORPORATED
    with pytest.raises(services.Closed):
        rule(submitted, DECLINE, text="Too late", by=agent, sight=now(submitted))


def test_a_return_sends_what_was_drafted_and_nothing_that_was_dropped(
    submitted: Draft, agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ask(submitted, BIRTH, text="The passport says 1984", by=agent, sight=now(submitted))
    dropped = ask(submitted, ACTIVITY, text="Which trade?", by=agent, sight=now(submitted))
    assert drop(submitted, dropped.pk, by=agent, sight=now(submitted))
    heard: list[Any] = []

    def hear(draft: Draft, remarks: Any) -> None:
        heard.extend(remarks)

    subscribe(monkeypatch, "application_returned", hear)
    rule(submitted, RETURN, text="One thing is left", by=agent, sight=now(submitted))
    assert heard == [kept]
    told = Remark.objects.get(pk=kept.pk)
    assert (told.round, told.is_draft, told.is_open) == (1, False, True)
    assert Remark.objects.get(pk=dropped.pk).sent_at is None
    assert submitted.application.status is State.RETURNED_FOR_CHANGES
    move = submitted.application.changes.get(moved_to=State.RETURNED_FOR_CHANGES)
    assert move.named["note"] == "One thing is left\nDate of birth: The passport says 1984"


def test_nothing_is_returned_without_a_word(submitted: Draft, agent: Any) -> None:
    with pytest.raises(Refused) as caught:
        rule(submitted, RETURN, by=agent, sight=now(submitted))
    assert caught.value.field == "text"


def test_a_question_asked_again_takes_the_place_of_the_first(submitted: Draft, agent: Any, owner: Any) -> None:
    ask(submitted, BIRTH, text="Which year?", by=agent, sight=now(submitted))
    rule(submitted, RETURN, by=agent, sight=now(submitted))
    services.submit(submitted, by=owner)
    ask(submitted, BIRTH, text="And the day?", by=agent, sight=now(submitted))
    assert [one.text for one in facts_of(submitted).asked] == ["Which year?", "And the day?"]
    rule(submitted, RETURN, by=agent, sight=now(submitted))
    assert [one.text for one in facts_of(submitted).asked] == ["And the day?"]


def test_a_question_is_open_until_somebody_settles_it(submitted: Draft, agent: Any, owner: Any) -> None:
    asked = ask(submitted, ACTIVITY, text="Which trade?", by=agent, sight=now(submitted))
    rule(submitted, RETURN, by=agent, sight=now(submitted))
    services.submit(submitted, by=owner)
    with pytest.raises(NotYet) as caught:
        rule(submitted, APPROVE, by=agent, sight=now(submitted))
    assert "Activity: open query" in [one.text for one in caught.value.objections]
    assert settle(submitted, asked.pk, by=agent, sight=now(submitted))
    accept_all(submitted, agent)
    rule(submitted, APPROVE, by=agent, sight=now(submitted))


def test_accepting_a_section_settles_what_was_asked_in_it(submitted: Draft, agent: Any, owner: Any) -> None:
    ask(submitted, ACTIVITY, text="Which trade?", by=agent, sight=now(submitted))
    rule(submitted, RETURN, by=agent, sight=now(submitted))
    services.submit(submitted, by=owner)
    # What it settles by the way is no fact.
    assert accept(submitted, [Place(Kind.SECTION, "the-company")], by=agent, sight=now(submitted)) == 1
    assert facts_of(submitted).asked == ()


def test_whoever_decides_is_told_first_what_others_did(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = now(submitted)
    ask(submitted, BIRTH, text="The passport says 1984", by=colleague, sight=seen)
    with pytest.raises(Overtaken) as caught:
        rule(submitted, DECLINE, text="We can't take it", by=agent, sight=seen)
    assert [move.by for move in caught.value.moves] == [colleague]
    assert again(submitted).application.status is State.IN_REVIEW


def test_a_page_of_an_earlier_round_is_told_of_that_round_and_what_followed(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    rule(submitted, RETURN, text="Look again", by=agent, sight=now(submitted))
    services.submit(submitted, by=owner)
    seen = now(submitted)
    rule(submitted, RETURN, text="And again", by=agent, sight=now(submitted))
    services.submit(submitted, by=owner)
    with pytest.raises(Overtaken) as caught:
        rule(submitted, DECLINE, text="We can't take it", by=agent, sight=seen)
    of_the_customer = [move for move in caught.value.moves if move.by == owner]
    assert len(of_the_customer) == 1, "the second submission of two is what this page was drawn after"
    told = [move.by for move in since(submitted.application, seen, by=None)]
    assert told.count(owner) == 1
    assert told.count(agent) >= 2, "the review was begun, and the application returned"


def test_ones_own_checks_overtake_nobody(submitted: Draft, agent: Any) -> None:
    seen = now(submitted)
    accept_all(submitted, agent)
    rule(submitted, APPROVE, by=agent, sight=seen)
    assert submitted.application.status is State.SUBMITTED_TO_CSP


def test_with_four_eyes_a_second_agent_confirms(submitted: Draft, agent: Any, colleague: Any, settings: Any) -> None:
    settings.FOUR_EYES = True
    accept_all(submitted, agent)
    proposed = rule(submitted, APPROVE, by=agent, sight=now(submitted))
    assert proposed.outcome == Outcome.WAITING
    assert submitted.application.status is State.IN_REVIEW
    with pytest.raises(Refused, match="second agent"):
        confirm(submitted, by=agent, sight=now(submitted))
    confirm(submitted, by=colleague, sight=now(submitted))
    assert submitted.application.status is State.SUBMITTED_TO_CSP
    kept = Ruling.objects.get(pk=proposed.pk)
    assert (kept.outcome, kept.proposed_by, kept.by) == (Outcome.DONE, agent, colleague)


def test_a_second_agent_may_refuse(submitted: Draft, agent: Any, colleague: Any, settings: Any) -> None:
    settings.FOUR_EYES = True
    rule(submitted, DECLINE, text="We can't take it", by=agent, sight=now(submitted))
    with pytest.raises(Refused):
        refuse(submitted, why=" ", by=colleague, sight=now(submitted))
    refuse(submitted, why="It is fine", by=colleague, sight=now(submitted))
    assert waiting_ruling(submitted) is None
    assert submitted.application.status is State.IN_REVIEW


def test_what_came_up_since_it_was_proposed_stops_an_approval(
    submitted: Draft, agent: Any, colleague: Any, settings: Any
) -> None:
    settings.FOUR_EYES = True
    accept_all(submitted, agent)
    rule(submitted, APPROVE, by=agent, sight=now(submitted))
    ask(submitted, BIRTH, text="The passport says 1984", by=colleague, sight=now(submitted))
    with pytest.raises(NotYet):
        confirm(submitted, by=colleague, sight=now(submitted))


def test_a_return_and_a_withdrawal_overtake_what_waits(
    submitted: Draft, agent: Any, colleague: Any, owner: Any, settings: Any
) -> None:
    settings.FOUR_EYES = True
    first = rule(submitted, DECLINE, text="We can't take it", by=agent, sight=now(submitted))
    rule(submitted, RETURN, text="Look again", by=colleague, sight=now(submitted))
    assert Ruling.objects.get(pk=first.pk).outcome == Outcome.OVERTAKEN
    services.submit(submitted, by=owner)
    second = rule(submitted, DECLINE, text="We can't take it", by=agent, sight=now(submitted))
    seen = now(submitted)
    services.withdraw(submitted, by=owner)
    assert now(submitted).version == seen.version + 1
    assert Ruling.objects.get(pk=second.pk).outcome == Outcome.OVERTAKEN
    with pytest.raises(services.Closed):
        confirm(submitted, by=colleague, sight=now(submitted))
