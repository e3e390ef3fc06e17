"""What our reviewer's return says on the pages where things are mended: notes at their places, and what is locked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import changed_names
from formation_portal.applications.locks import NO_LOCKS, Locks, locks_of
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.asked import Asked, asked_of, words_of
from formation_portal.reviews.naming import label_of, spec_at
from formation_portal.reviews.places import Kind

from . import moments
from .asked_places import Line, is_touched, title_of
from .note import Note
from .read_back import in_words

RETURN = "return"
# The button that takes a proposed answer over, and the box for a reply; each names the question by its number.
USE, REPLY, REPLY_WAS = "use", "reply", "reply-was"


@dataclass(frozen=True)
class CameBack:
    """What is asked and still open, with the lines of the history since; and what is locked meanwhile.

    `said` is what our reviewer wrote about the whole, where they ask about nothing in particular.
    """

    draft: Draft
    said: str = ""
    asked: tuple[Asked, ...] = ()
    touched: frozenset[Line] = frozenset()
    locks: Locks = NO_LOCKS

    def at_answers(self, holder: str) -> dict[str, Note]:
        """The notes at the answers of a section, party or class, by their names."""
        return {spec.name: self.note_of(one) for one in self._of(holder) if (spec := spec_at(self.draft, one.place))}

    def at_documents(self, holder: str) -> dict[str, Note]:
        """The notes at the documents of a party, or of the entity, by their slots."""
        asked = (one for one in self._of(holder) if one.place.kind is Kind.DOCUMENT)
        return {slot: self.note_of(one) for one in asked if (slot := label_of(self.draft, one.place))}

    def at_page(self, holder: str) -> tuple[Note, ...]:
        """The notes about a section, party or class as a whole, and about what it has no more."""
        return tuple(
            self.note_of(one)
            for one in self._of(holder)
            if one.place.kind in (Kind.PARTY, Kind.SECTION) or label_of(self.draft, one.place) is None
        )

    def proposed(self, holder: str, pressed: str) -> dict[str, Any]:
        """The answer that the pressed button takes over, by its name."""
        return {
            spec.name: one.proposal
            for one in self._of(holder)
            if str(one.number) == pressed and one.proposal is not None and (spec := spec_at(self.draft, one.place))
        }

    def _of(self, holder: str) -> tuple[Asked, ...]:
        return tuple(one for one in self.asked if one.place.holder == holder)

    def note_of(self, one: Asked) -> Note:
        """One question with all that there is to say of it."""
        return Note(
            number=one.number,
            title=title_of(self.draft, one),
            text=one.text,
            when=moments.full(one.sent_at),
            reply=one.reply,
            is_changed=is_touched(self.draft, one.place, self.touched),
            use=self._use(one),
            can_be_answered=self.draft.application.can_be_changed,
        )

    def _use(self, one: Asked) -> str:
        """Nothing where it is what stands there."""
        spec = spec_at(self.draft, one.place) if one.proposal is not None else None
        if spec is None or not changed_names(self._raw(one.place.holder), {spec.name: one.proposal}):
            return ""
        return in_words(spec, one.proposal)

    def _raw(self, holder: str) -> Mapping[str, Any]:
        row = self.draft.party(holder) or self.draft.share_class(holder)
        return row.raw if row else self.draft.entity_raw


def came_back(draft: Draft) -> CameBack:
    """What there is: no query, but six for an application that an agent has returned."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return CameBack(draft)
    words = words_of(application, RETURN)
    if application.submissions not in words:
        # The service sent it back, which says itself what is amiss.
        return CameBack(draft)
    asked = tuple(one for one in asked_of(application) if not one.is_settled)
    said = "" if asked else words[application.submissions]
    return CameBack(draft, said, asked, lines_since_return(draft), locks_of(draft))


def said_of_the_whole(draft: Draft) -> str:
    """The same words for a page that shows nothing else of a return: two queries at most."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return ""
    said = words_of(application, RETURN).get(application.submissions, "")
    return "" if not said or any(not one.is_settled for one in asked_of(application)) else said


def lines_since_return(draft: Draft) -> frozenset[Line]:
    """What was changed since it came back last: two queries."""
    changes = draft.application.changes
    moved = changes.filter(moved_to=State.RETURNED_FOR_CHANGES).order_by("-pk").values_list("pk", flat=True).first()
    since = changes.filter(pk__gt=moved or 0).values_list("holder", "changes")
    return frozenset((holder, str(one["field"])) for holder, lines in since for one in lines)
