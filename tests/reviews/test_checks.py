"""Accepting facts: what there is to check, what an acceptance is worth, and that nobody's is overwritten."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, load_checklist
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused, current_version
from tests import factories
from tests.encrypted_rows import update_each
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
PASSPORT = Target.of_document("ada", "Passport")
FUNDS = Target(TargetKind.SECTION, "funds")


def state(draft: Draft, target: Target) -> str:
    fact = load_checklist(draft).at(target)
    assert fact is not None
    return fact.state


def test_everything_that_was_answered_is_to_be_checked(submitted: Draft) -> None:
    own, ada = load_checklist(submitted).holders
    assert [fact.label for fact in own.facts] == ["The company", "Funds", "Share classes"]
    labels = [fact.label for fact in ada.facts]
    assert labels[0] == "Roles"
    assert labels[-1] == "Passport"
    assert {"Date of birth", "First name", "Is pep"} <= set(labels)
    assert "Pep office" not in labels
    assert {fact.state for fact in ada.facts} == {OPEN}


def test_an_accepted_fact_is_done_and_begins_the_review(submitted: Draft, agent: Any) -> None:
    assert accept(submitted, [BIRTH, PASSPORT], by=agent, version=current_version(submitted.application)) == 2
    assert submitted.application.status is State.IN_REVIEW
    assert state(submitted, BIRTH) == state(submitted, PASSPORT) == ACCEPTED
    assert state(submitted, FUNDS) == OPEN
    entry = Entry.objects.filter(action=AuditAction.REVIEW).get()
    assert "Ada" not in entry.detail
    assert entry.account == agent.pk


def test_what_was_accepted_already_is_not_accepted_again(submitted: Draft, agent: Any, colleague: Any) -> None:
    accept(submitted, [BIRTH], by=agent, version=current_version(submitted.application))
    seen = current_version(submitted.application)
    assert accept(submitted, [BIRTH], by=colleague, version=seen) == 0
    assert current_version(submitted.application) == seen
    fact = load_checklist(submitted).at(BIRTH)
    assert fact is not None
    assert fact.check is not None
    assert fact.check.by == agent


def test_a_question_that_somebody_asked_meanwhile_is_not_accepted_away(
    submitted: Draft, agent: Any, colleague: Any
) -> None:
    seen, theirs = current_version(submitted.application), factories.again(submitted)
    draft_query(submitted, BIRTH, text="The passport says 1984", by=agent, version=seen)
    with pytest.raises(ReviewChanged) as caught:
        accept(theirs, [BIRTH, PASSPORT], by=colleague, version=seen)
    assert [(move.by, move.what) for move in caught.value.changes] == [
        (agent, "drafted a query about Date of birth: The passport says 1984")
    ]
    assert state(factories.again(submitted), BIRTH) == QUERIED
    assert state(factories.again(submitted), PASSPORT) == OPEN


def test_one_does_not_accept_what_one_asks_about(submitted: Draft, agent: Any) -> None:
    draft_query(submitted, BIRTH, text="Please look", by=agent, version=current_version(submitted.application))
    with pytest.raises(ReviewRefused, match="Date of birth"):
        accept(submitted, [BIRTH], by=agent, version=current_version(submitted.application))


def test_an_acceptance_is_taken_back(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = current_version(submitted.application)
    accept(submitted, [BIRTH], by=agent, version=seen)
    with pytest.raises(ReviewChanged):
        reopen(factories.again(submitted), BIRTH, by=colleague, version=seen)
    assert reopen(submitted, BIRTH, by=agent, version=seen)
    assert state(submitted, BIRTH) == OPEN
    assert not reopen(submitted, BIRTH, by=agent, version=seen)


def test_the_second_round_keeps_what_was_accepted_and_opens_what_changed(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    name = Target.of_field("ada", "person.first_name")
    accept(submitted, [BIRTH, name], by=agent, version=current_version(submitted.application))
    decide(submitted, RETURN, text="Look at the name", by=agent, version=current_version(submitted.application))
    ada = submitted.party("ada")
    assert ada is not None
    services.save_party(submitted, ada, {**ada.raw, "person.first_name": "Augusta"}, version=ada.version, by=owner)
    services.submit(submitted, by=owner)
    assert state(submitted, BIRTH) == ACCEPTED
    assert state(submitted, name) == CHANGED


@pytest.mark.parametrize(
    ("change", "opened"),
    [
        (lambda rows: rows.parties.update(roles=["director", "manager", "shareholder"]), "party:ada:"),
        (lambda rows: rows.parties.update(kind="corporate"), "party:ada:"),
        (lambda rows: update_each(rows.section_answers.filter(section_key="funds"), raw={}), "section:funds:"),
        (lambda rows: update_each(rows.share_classes, raw=factories.VOTING), "section:share-classes:"),
        (lambda rows: update_each(rows.holdings, typed="9,999", shares=9999), "section:share-classes:"),
        (lambda rows: update_each(rows.documents, sha256="0" * 64, name="other.pdf"), "document:ada:Passport"),
    ],
    ids=["roles", "kind", "section", "share class", "holding", "document"],
)
def test_a_fact_is_opened_by_any_change_of_what_it_covers(
    submitted: Draft, agent: Any, change: Callable[[Any], object], opened: str
) -> None:
    factories.accept_everything(submitted, agent)
    facts = [fact for holder in load_checklist(submitted).holders for fact in holder.facts]
    assert {fact.state for fact in facts} == {ACCEPTED}
    change(submitted.application)
    target = next(fact.target for fact in facts if str(fact.target) == opened)
    fact = load_checklist(factories.again(submitted)).at(target)
    assert fact is not None
    assert fact.state != ACCEPTED


def test_nothing_is_accepted_of_what_its_customer_took_back(submitted: Draft, agent: Any, owner: Any) -> None:
    seen = current_version(submitted.application)
    services.withdraw(factories.again(submitted), by=owner)
    with pytest.raises(services.Closed):
        accept(submitted, [BIRTH], by=agent, version=seen)


def test_what_is_queried_in_a_draft_is_not_to_do_any_more(submitted: Draft, agent: Any) -> None:
    def to_do() -> set[Target]:
        return {fact.target for fact in load_checklist(submitted) if fact.is_to_do}

    assert {BIRTH, PASSPORT, FUNDS} <= to_do()
    accept(submitted, [PASSPORT], by=agent, version=current_version(submitted.application))
    draft_query(submitted, BIRTH, text="Look again", by=agent, version=current_version(submitted.application))
    assert {BIRTH, PASSPORT, FUNDS} & to_do() == {FUNDS}
    decide(submitted, RETURN, by=agent, version=current_version(submitted.application))
    assert BIRTH in to_do()
