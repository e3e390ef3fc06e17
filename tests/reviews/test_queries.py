"""Drafting what a customer is asked: where, with which words, and whose draft it stays."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.reviews.models import MAX_TEXT, Note, QueryReason
from formation_portal.reviews.queries import delete_draft, draft_query, remove_note, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import (
    ReviewChanged,
    ReviewRefused,
    ReviewVersion,
    changes_since,
    current_version,
)
from tests import factories

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
PROPOSED = {"day": "10", "month": "12", "year": "1984"}


def test_a_draft_is_changed_where_it_stands(submitted: Draft, agent: Any) -> None:
    seen = current_version(submitted.application)
    first = draft_query(submitted, BIRTH, text="Which year?", by=agent, version=seen)
    second = draft_query(
        submitted, BIRTH, text="1984?", reason=QueryReason.DIFFERS, proposal=PROPOSED, by=agent, version=seen
    )
    assert second.pk == first.pk
    second.refresh_from_db()
    assert (second.text, second.reason, second.proposal, second.label) == (
        "1984?",
        "differs",
        PROPOSED,
        "Date of birth",
    )


def test_a_question_that_a_colleague_ended_is_not_asked_again_unseen(
    submitted: Draft, agent: Any, colleague: Any
) -> None:
    drafted = draft_query(
        submitted, BIRTH, text="Which year?", by=agent, version=current_version(submitted.application)
    )
    seen = current_version(submitted.application)
    assert delete_draft(factories.again(submitted), drafted.pk, by=colleague, version=seen)
    with pytest.raises(ReviewChanged) as caught:
        draft_query(submitted, BIRTH, text="The year, please?", by=agent, version=seen)
    assert [move.what for move in caught.value.changes] == ["deleted the draft query about Date of birth"]
    assert draft_query(
        submitted, BIRTH, text="The year, please?", by=agent, version=current_version(submitted.application)
    ).pk


def test_a_colleagues_draft_is_not_overwritten(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen, theirs = current_version(submitted.application), factories.again(submitted)
    drafted = draft_query(submitted, BIRTH, text="Which year?", by=agent, version=seen)
    with pytest.raises(ReviewChanged, match="A colleague or the customer changed this after you opened the page"):
        draft_query(theirs, BIRTH, text="Which day?", by=colleague, version=seen)
    with pytest.raises(ReviewChanged):
        delete_draft(theirs, drafted.pk, by=colleague, version=seen)
    drafted.refresh_from_db()
    assert (drafted.text, drafted.by, drafted.is_draft) == ("Which year?", agent, True)


@pytest.mark.parametrize(
    ("target", "more", "field"),
    [
        (BIRTH, {"text": "  "}, "text"),
        (BIRTH, {"text": "x" * (MAX_TEXT + 1)}, "text"),
        (BIRTH, {"text": "Look", "reason": "because"}, "reason"),
        (BIRTH, {"text": "Look", "proposal": {"day": "31", "month": "2", "year": "1984"}}, "proposal"),
        (BIRTH, {"text": "Look", "proposal": {"day": "3", "month": "4", "year": "2999"}}, "proposal"),
        (Target(TargetKind.PARTY, "ada"), {"text": "Look", "proposal": "Bob"}, "proposal"),
        (Target.of_field("ada", "no.such"), {"text": "Look"}, ""),
        (Target.of_document("", "No such paper"), {"text": "Look"}, ""),
        (Target(TargetKind.PARTY, "bob"), {"text": "Look"}, ""),
    ],
    ids=["empty", "long", "reason", "date", "impossible", "of a party", "no field", "no slot", "no party"],
)
def test_what_cannot_be_asked_is_refused(
    submitted: Draft, agent: Any, target: Target, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(ReviewRefused) as caught:
        draft_query(submitted, target, by=agent, version=current_version(submitted.application), **more)
    assert caught.value.field == field


def test_a_place_and_a_version_are_read_as_they_were_written() -> None:
    for target in (
        BIRTH,
        WHOLE_APPLICATION,
        Target.of_document("", "Proof: of address, 50 %"),
        Target(TargetKind.SECTION, "the-company"),
    ):
        assert Target.parse(str(target)) == target
    for text in ("", "field", "field:a", "colour:a:b", "field:a:b:c"):
        assert Target.parse(text) is None
    assert ReviewVersion.parse(str(ReviewVersion(2, 17))) == ReviewVersion(2, 17)
    for text in ("", "2.", "a.b", "1.2.3", "².1"):
        assert ReviewVersion.parse(text) == ReviewVersion(0, 0)


def test_a_note_is_its_writers_to_remove(submitted: Draft, agent: Any, colleague: Any) -> None:
    note = write_note(submitted, WHOLE_APPLICATION, text="Known to us", by=agent)
    assert not remove_note(submitted, note.pk, by=colleague)
    assert remove_note(submitted, note.pk, by=agent)
    assert Note.objects.get().removed_at is not None
    with pytest.raises(ReviewRefused):
        write_note(submitted, WHOLE_APPLICATION, text=" ", by=agent)


def test_a_note_that_arrives_twice_is_one(submitted: Draft, agent: Any, colleague: Any) -> None:
    first = write_note(submitted, BIRTH, text="Known to us", by=agent)
    assert write_note(submitted, BIRTH, text=" Known to us ", by=agent).pk == first.pk
    others = [
        write_note(submitted, BIRTH, text="Known to us", by=colleague),
        write_note(submitted, BIRTH, text="Known to me", by=colleague),
        write_note(submitted, WHOLE_APPLICATION, text="Known to me", by=colleague),
    ]
    assert remove_note(submitted, others[1].pk, by=colleague)
    others.append(write_note(submitted, BIRTH, text="Known to me", by=colleague))
    assert len({note.pk for note in (first, *others)}) == Note.objects.count() == 5


def test_queries_stand_in_the_order_in_which_they_were_asked(submitted: Draft, agent: Any) -> None:
    targets = [BIRTH, WHOLE_APPLICATION, Target.of_field("ada", "person.first_name")]
    asked = [
        draft_query(submitted, target, text="Look", by=agent, version=current_version(submitted.application)).pk
        for target in targets
    ]
    assert [query.pk for query in submitted.application.queries.all()] == asked


def test_the_news_tell_what_others_did(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = current_version(submitted.application)
    write_note(submitted, BIRTH, text="Known to us", by=agent)
    assert Note.objects.get().label == "Date of birth"
    assert [move.what for move in changes_since(submitted.application, seen, by=colleague)] == [
        "wrote a note: Known to us"
    ]
    assert changes_since(submitted.application, seen, by=agent) == ()
