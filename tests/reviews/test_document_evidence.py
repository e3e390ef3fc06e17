"""Where a document proves a fact, and what it says there: what is kept, what is refused, what others did meanwhile."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.reviews.document_evidence import evidence_of_party, prove, remove_evidence
from formation_portal.reviews.models import Evidence
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused, changes_since
from tests import factories
from tests.reviews.deciding import now

pytestmark = pytest.mark.django_db

NAME = Target.of_field("ada", "person.last_name")


def noted(draft: Draft, by: Any, text: str = "BYRON, ADA", **more: Any) -> Evidence:
    passport = draft.documents_of(draft.party("ada"))["Passport"]
    return prove(
        draft, text=text, by=by, **{"target": NAME, "document": passport, "page": 1, "version": now(draft)} | more
    )


def test_the_newest_is_shown_and_what_it_replaces_is_kept(submitted: Draft, agent: Any, colleague: Any) -> None:
    noted(submitted, agent)
    made = noted(submitted, colleague, text="BYRON\n  ADA AUGUSTA")
    assert (made.slot, made.page, made.label, made.text) == ("Passport", 1, "Last name", "BYRON ADA AUGUSTA")
    assert evidence_of_party(submitted, "ada") == {NAME: made}
    assert [one.removed_at is None for one in Evidence.objects.all()] == [False, True]
    assert remove_evidence(submitted, NAME, by=agent, version=now(submitted))
    assert not remove_evidence(submitted, NAME, by=agent, version=now(submitted))
    assert (evidence_of_party(submitted, "ada"), Evidence.objects.count()) == ({}, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"page": 0},
        {"page": 2},
        {"document": None},
        {"text": "x" * 301},
        {"target": Target.of_field("ada", "person.nickname")},
        {"target": Target.of_field("the-company", "entity.name")},
    ],
)
def test_no_other_page_document_or_fact_is_taken(submitted: Draft, agent: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ReviewRefused):
        noted(submitted, agent, **wrong)
    assert not Evidence.objects.exists()


def test_what_a_colleague_has_noted_meanwhile_is_not_replaced(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = now(submitted)
    noted(factories.again(submitted), colleague, text="LOVELACE")
    with pytest.raises(ReviewChanged):
        noted(submitted, agent, version=seen)
    with pytest.raises(ReviewChanged):
        remove_evidence(submitted, NAME, by=agent, version=seen)
    assert evidence_of_party(submitted, "ada")[NAME].text == "LOVELACE"
    news = [one.what for one in changes_since(submitted.application, seen, by=agent)]
    assert "noted what Passport says about Last name" in news
