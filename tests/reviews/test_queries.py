"""Drafting what a customer is asked: where, with which words, and whose draft it stays."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.reviews.models import MAX_TEXT, Note, QueryReason
from formation_portal.reviews.queries import delete_draft, remove_note, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused, ReviewVersion, changes_since
from tests import factories
from tests.reviews.deciding import ask, now

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
PROPOSED = {"day": "10", "month": "12", "year": "1984"}


def test_a_draft_is_changed_where_it_stands_and_the_drafts_stand_in_their_order(submitted: Draft, agent: Any) -> None:
    seen = now(submitted)
    first = ask(submitted, BIRTH, "Which year?", by=agent)
    others = [
        ask(submitted, target, "Look", by=agent)
        for target in (WHOLE_APPLICATION, Target.of_field("ada", "person.first_name"))
    ]
    second = ask(submitted, BIRTH, "1984?", reason=QueryReason.DIFFERS, proposal=PROPOSED, by=agent, version=seen)
    second.refresh_from_db()
    assert (second.text, second.reason, second.proposal) == ("1984?", "differs", PROPOSED)
    assert second.label == "Date of birth"
    assert [query.pk for query in submitted.application.queries.all()] == [first.pk, *(query.pk for query in others)]
    assert second.pk == first.pk


def test_a_query_that_a_colleague_ended_or_drafted_is_not_written_over_unseen(
    submitted: Draft, agent: Any, colleague: Any
) -> None:
    before, theirs = now(submitted), factories.again(submitted)
    drafted = ask(submitted, BIRTH, "Which year?", by=agent)
    with pytest.raises(ReviewChanged, match="A colleague or the customer changed this after you opened the page"):
        ask(theirs, BIRTH, "Which day?", by=colleague, version=before)
    with pytest.raises(ReviewChanged):
        delete_draft(theirs, drafted.pk, by=colleague, version=before)
    drafted.refresh_from_db()
    assert (drafted.text, drafted.by, drafted.is_draft) == ("Which year?", agent, True)
    seen = now(submitted)
    assert delete_draft(theirs, drafted.pk, by=colleague, version=seen)
    with pytest.raises(ReviewChanged) as caught:
        ask(submitted, BIRTH, "The year, please?", by=agent, version=seen)
    assert [move.what for move in caught.value.changes] == ["deleted the draft query about Date of birth"]
    assert ask(submitted, BIRTH, "The year, please?", by=agent).pk


@pytest.mark.parametrize(
    ("target", "more", "field"),
    [
        (BIRTH, {"text": "  "}, "text"),
        (BIRTH, {"text": "x" * (MAX_TEXT + 1)}, "text"),
        (BIRTH, {"reason": "because"}, "reason"),
        (BIRTH, {"proposal": {"day": "31", "month": "2", "year": "1984"}}, "proposal"),
        (BIRTH, {"proposal": {"day": "3", "month": "4", "year": "2999"}}, "proposal"),
        (Target(TargetKind.PARTY, "ada"), {"proposal": "Bob"}, "proposal"),
        (Target.of_field("ada", "no.such"), {}, ""),
        (Target.of_document("", "No such paper"), {}, ""),
        (Target(TargetKind.PARTY, "bob"), {}, ""),
    ],
    ids=["empty", "long", "reason", "date", "impossible", "of a party", "no field", "no slot", "no party"],
)
def test_what_cannot_be_asked_is_refused(
    submitted: Draft, agent: Any, target: Target, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(ReviewRefused) as caught:
        ask(submitted, target, by=agent, **{"text": "Look"} | more)
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


def test_a_note_is_its_writers_to_remove_and_news_to_others(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = now(submitted)
    note = write_note(submitted, BIRTH, text="Known to us", by=agent)
    assert Note.objects.get().label == "Date of birth"
    assert [move.what for move in changes_since(submitted.application, seen, by=colleague)] == [
        "wrote a note: Known to us"
    ]
    assert changes_since(submitted.application, seen, by=agent) == ()
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
