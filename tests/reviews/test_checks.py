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
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused
from tests import factories
from tests.encrypted_rows import update_each
from tests.reviews.deciding import ask, check, decide, now

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
NAME = Target.of_field("ada", "person.first_name")
PASSPORT = Target.of_document("ada", "Passport")
FUNDS = Target(TargetKind.SECTION, "funds")


def states(draft: Draft, *targets: Target) -> list[str]:
    facts = {fact.target: fact.state for fact in load_checklist(draft)}
    return [facts[target] for target in targets]


def to_do(draft: Draft) -> set[Target]:
    return {BIRTH, PASSPORT, FUNDS} & {fact.target for fact in load_checklist(draft) if fact.is_to_do}


def test_everything_that_was_answered_is_accepted_once_and_begins_the_review(
    submitted: Draft, agent: Any, colleague: Any
) -> None:
    own, ada = load_checklist(submitted).holders
    assert [fact.label for fact in own.facts] == ["The company", "Funds", "Share classes"]
    labels = [fact.label for fact in ada.facts]
    assert (labels[0], labels[-1]) == ("Roles", "Passport")
    assert {"Date of birth", "First name", "Is pep"} <= set(labels)
    assert "Pep office" not in labels
    assert {fact.state for fact in ada.facts} == {OPEN}
    assert check(submitted, BIRTH, PASSPORT, by=agent) == 2
    assert submitted.application.status is State.IN_REVIEW
    assert states(submitted, BIRTH, PASSPORT, FUNDS) == [ACCEPTED, ACCEPTED, OPEN]
    entry = Entry.objects.filter(action=AuditAction.REVIEW).get()
    assert "Ada" not in entry.detail
    assert entry.account == agent.pk
    seen = now(submitted)
    assert check(submitted, BIRTH, by=colleague) == 0
    assert now(submitted) == seen
    fact = load_checklist(submitted).at(BIRTH)
    assert fact is not None
    assert fact.check is not None
    assert fact.check.by == agent


def test_what_somebody_asks_about_is_not_accepted_and_not_to_do_any_more(
    submitted: Draft, agent: Any, colleague: Any
) -> None:
    seen, theirs = now(submitted), factories.again(submitted)
    assert to_do(submitted) == {BIRTH, PASSPORT, FUNDS}
    ask(submitted, BIRTH, "The passport says 1984", by=agent)
    with pytest.raises(ReviewChanged) as caught:
        accept(theirs, [BIRTH, PASSPORT], by=colleague, version=seen)
    assert [(move.by, move.what) for move in caught.value.changes] == [
        (agent, "drafted a query about Date of birth: The passport says 1984")
    ]
    assert states(factories.again(submitted), BIRTH, PASSPORT) == [QUERIED, OPEN]
    with pytest.raises(ReviewRefused, match="Date of birth"):
        check(submitted, BIRTH, by=agent)
    check(submitted, PASSPORT, by=agent)
    assert to_do(submitted) == {FUNDS}
    decide(submitted, RETURN, by=agent, version=now(submitted))
    assert BIRTH in to_do(submitted)


def test_an_acceptance_is_taken_back(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = now(submitted)
    check(submitted, BIRTH, by=agent)
    with pytest.raises(ReviewChanged):
        reopen(factories.again(submitted), BIRTH, by=colleague, version=seen)
    assert reopen(submitted, BIRTH, by=agent, version=seen)
    assert states(submitted, BIRTH) == [OPEN]
    assert not reopen(submitted, BIRTH, by=agent, version=seen)


def test_the_second_round_keeps_what_was_accepted_and_opens_what_changed(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    check(submitted, BIRTH, NAME, by=agent)
    decide(submitted, RETURN, text="Look at the name", by=agent, version=now(submitted))
    ada = submitted.party("ada")
    assert ada is not None
    services.save_party(submitted, ada, {**ada.raw, "person.first_name": "Augusta"}, version=ada.version, by=owner)
    services.submit(submitted, by=owner)
    assert states(submitted, BIRTH, NAME) == [ACCEPTED, CHANGED]


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
    reviewed: Draft, change: Callable[[Any], object], opened: str
) -> None:
    assert {fact.state for fact in load_checklist(reviewed)} == {ACCEPTED}
    change(reviewed.application)
    facts = {str(fact.target): fact.state for fact in load_checklist(factories.again(reviewed))}
    assert facts[opened] != ACCEPTED


def test_nothing_is_accepted_of_what_its_customer_took_back(submitted: Draft, agent: Any, owner: Any) -> None:
    seen = now(submitted)
    services.withdraw(factories.again(submitted), by=owner)
    with pytest.raises(services.Closed):
        accept(submitted, [BIRTH], by=agent, version=seen)
