"""Drafting what a customer is asked: where, with which words, and whose draft it stays."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.reviews.models import TEXT_LIMIT, Note, Reason
from formation_portal.reviews.notes import remove_note, write_note
from formation_portal.reviews.places import WHOLE, Kind, Place
from formation_portal.reviews.refusals import Overtaken, Refused
from formation_portal.reviews.remarks import ask, drop
from formation_portal.reviews.since import Sight, sight_of, since

from .conftest import again

pytestmark = pytest.mark.django_db

BIRTH = Place.of_field("ada", "person.date_of_birth")
PROPOSED = {"day": "10", "month": "12", "year": "1984"}


def test_a_draft_is_changed_where_it_stands(submitted: Draft, agent: Any) -> None:
    seen = sight_of(submitted.application)
    first = ask(submitted, BIRTH, text="Which year?", by=agent, sight=seen)
    second = ask(submitted, BIRTH, text="1984?", reason=Reason.DIFFERS, proposal=PROPOSED, by=agent, sight=seen)
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
    drafted = ask(submitted, BIRTH, text="Which year?", by=agent, sight=sight_of(submitted.application))
    seen = sight_of(submitted.application)
    assert drop(again(submitted), drafted.pk, by=colleague, sight=seen)
    with pytest.raises(Overtaken) as caught:
        ask(submitted, BIRTH, text="The year, please?", by=agent, sight=seen)
    assert [move.what for move in caught.value.moves] == ["deleted the draft query about Date of birth"]
    assert ask(submitted, BIRTH, text="The year, please?", by=agent, sight=sight_of(submitted.application)).pk


def test_a_colleagues_draft_is_not_overwritten(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen, theirs = sight_of(submitted.application), again(submitted)
    drafted = ask(submitted, BIRTH, text="Which year?", by=agent, sight=seen)
    with pytest.raises(Overtaken):
        ask(theirs, BIRTH, text="Which day?", by=colleague, sight=seen)
    with pytest.raises(Overtaken):
        drop(theirs, drafted.pk, by=colleague, sight=seen)
    drafted.refresh_from_db()
    assert (drafted.text, drafted.by, drafted.is_draft) == ("Which year?", agent, True)


@pytest.mark.parametrize(
    ("place", "more", "field"),
    [
        (BIRTH, {"text": "  "}, "text"),
        (BIRTH, {"text": "x" * (TEXT_LIMIT + 1)}, "text"),
        (BIRTH, {"text": "Look", "reason": "because"}, "reason"),
        (BIRTH, {"text": "Look", "proposal": {"day": "31", "month": "2", "year": "1984"}}, "proposal"),
        (Place(Kind.PARTY, "ada"), {"text": "Look", "proposal": "Bob"}, "proposal"),
        (Place.of_field("ada", "no.such"), {"text": "Look"}, ""),
        (Place.of_document("", "No such paper"), {"text": "Look"}, ""),
        (Place(Kind.PARTY, "bob"), {"text": "Look"}, ""),
    ],
    ids=["empty", "long", "reason", "date", "of a party", "no field", "no slot", "no party"],
)
def test_what_cannot_be_asked_is_refused(
    submitted: Draft, agent: Any, place: Place, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(Refused) as caught:
        ask(submitted, place, by=agent, sight=sight_of(submitted.application), **more)
    assert caught.value.field == field


def test_a_place_is_read_as_it_was_written() -> None:
    for place in (BIRTH, WHOLE, Place.of_document("", "Proof: of address, 50 %"), Place(Kind.SECTION, "the-company")):
        assert Place.read(str(place)) == place
    for text in ("", "field", "field:a", "colour:a:b", "field:a:b:c"):
        assert Place.read(text) is None


def test_a_sight_is_read_as_it_was_written() -> None:
    assert Sight.read(str(Sight(2, 17))) == Sight(2, 17)
    for text in ("", "2", "2.", ".1", "a.b", "1.2.3", "²." + "1"):
        assert Sight.read(text) == Sight(0, 0)


def test_a_note_is_its_writers_to_remove(submitted: Draft, agent: Any, colleague: Any) -> None:
    note = write_note(submitted, WHOLE, text="Known to us", by=agent)
    assert not remove_note(submitted, note.pk, by=colleague)
    assert remove_note(submitted, note.pk, by=agent)
    assert Note.objects.get().removed_at is not None
    with pytest.raises(Refused):
        write_note(submitted, WHOLE, text=" ", by=agent)


def test_the_news_tell_what_others_did(submitted: Draft, agent: Any, colleague: Any) -> None:
    seen = sight_of(submitted.application)
    write_note(submitted, WHOLE, text="Known to us", by=agent)
    assert [move.what for move in since(submitted.application, seen, by=colleague)] == ["wrote a note: Known to us"]
    assert since(submitted.application, seen, by=agent) == ()
