"""What our reviewer asks on a return, at the answers and documents it is about; what is locked; and replies to it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import changed_names
from formation_portal.applications.history import Author
from formation_portal.applications.locks import NO_LOCKS, Locks, locks_of
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.reviews.customer_queries import (
    CustomerQuery,
    Reply,
    customer_queries,
    decision_texts,
    store_replies,
)
from formation_portal.reviews.targets import Target, TargetKind, field_at, label_of
from formation_portal.ui import formats
from formation_portal.ui.forms.question import QueryNote

from .navigation import need_url

# A line of the history: whose, and which answer or document.
ChangedLine = tuple[str, str]


def query_title(draft: Draft, asked: CustomerQuery) -> str:
    """What it is called; as it was called then, where the form has it no more."""
    return label_of(draft, asked.target) or asked.label or gettext("Your application")


def query_url(draft: Draft, place: Target, *, back_to: str = "") -> str:
    """The way to it. What is gone leads to whose it was; empty for the whole, and where that is gone too."""
    need = _need(draft, place)
    return need_url(draft, need, back_to=back_to) if need else ""


def is_changed(draft: Draft, place: Target, touched: Collection[ChangedLine]) -> bool:
    """Whether one of the lines is about it."""
    if place.kind is TargetKind.APPLICATION:
        return bool(touched)
    holders = holders_of(draft, place)
    if place.kind in (TargetKind.PARTY, TargetKind.SECTION):
        return any(holder in holders for holder, _ in touched)
    return any(holder in holders and Target.of_field("", name).name == place.name for holder, name in touched)


def holders_of(draft: Draft, place: Target) -> frozenset[str]:
    """What the history calls whose it is. An answer of the entity may stand in two sections; shares have classes."""
    section = draft.schema.section(place.holder)
    if section is None:
        return frozenset({place.holder})
    if section.is_share_structure:
        return frozenset({place.holder, *(one.token for one in draft.share_classes)})
    return frozenset({one.key for one in draft.schema.entity_sections} if place.name else {place.holder})


def _need(draft: Draft, place: Target) -> Need | None:
    """The place as a need would have it, for the way there."""
    if place.kind is TargetKind.DOCUMENT:
        slot = label_of(draft, place)
        return Need("asked", "", "", party_id=place.holder or None, slot=slot) if slot else _whose(draft, place)
    spec = field_at(draft, place)
    if spec is None:
        return _whose(draft, place)
    is_party, is_class = draft.party(place.holder), draft.share_class(place.holder)
    return Need(
        "asked",
        "",
        "" if is_party or is_class else place.holder,
        party_id=place.holder if is_party else None,
        share_class_id=place.holder if is_class else None,
        field=spec.name,
    )


def _whose(draft: Draft, place: Target) -> Need | None:
    if draft.party(place.holder):
        return Need("asked", "", "", party_id=place.holder)
    return Need("asked", "", place.holder) if draft.schema.section(place.holder) else None


RETURN = "return"
# The button that takes a proposed answer over, and the box for a reply; each names the question by its number.
USE, REPLY, REPLY_WAS = "use", "reply", "reply-was"


@dataclass(frozen=True)
class ReviewFeedback:
    """What is asked and still open, with the lines of the history since; and what is locked meanwhile.

    `said` is what our reviewer wrote about the whole, where they ask about nothing in particular.
    """

    draft: Draft
    said: str = ""
    asked: tuple[CustomerQuery, ...] = ()
    changed_lines: frozenset[ChangedLine] = frozenset()
    locks: Locks = NO_LOCKS

    def at_answers(self, holder: str) -> dict[str, QueryNote]:
        """The notes at the answers of a section, party or class, by their names."""
        return {
            spec.name: self.query_note(one) for one in self._of(holder) if (spec := field_at(self.draft, one.target))
        }

    def at_documents(self, holder: str) -> dict[str, QueryNote]:
        """The notes at the documents of a party, or of the entity, by their slots."""
        asked = (one for one in self._of(holder) if one.target.kind is TargetKind.DOCUMENT)
        return {slot: self.query_note(one) for one in asked if (slot := label_of(self.draft, one.target))}

    def at_page(self, holder: str) -> tuple[QueryNote, ...]:
        """The notes about a section, party or class as a whole, and about what it has no more."""
        return tuple(
            self.query_note(one)
            for one in self._of(holder)
            if one.target.kind in (TargetKind.PARTY, TargetKind.SECTION) or label_of(self.draft, one.target) is None
        )

    def proposed(self, holder: str, pressed: str) -> dict[str, Any]:
        """The answer that the pressed button takes over, by its name."""
        return {
            spec.name: one.proposal
            for one in self._of(holder)
            if str(one.number) == pressed and one.proposal is not None and (spec := field_at(self.draft, one.target))
        }

    def _of(self, holder: str) -> tuple[CustomerQuery, ...]:
        return tuple(one for one in self.asked if one.target.holder == holder)

    def query_note(self, one: CustomerQuery) -> QueryNote:
        """One question with all that there is to say of it."""
        return QueryNote(
            number=one.number,
            title=query_title(self.draft, one),
            text=one.text,
            when=formats.date_and_time(one.sent_at),
            reply=one.reply,
            is_changed=is_changed(self.draft, one.target, self.changed_lines),
            proposal=self._use(one),
            can_be_answered=self.draft.application.can_be_changed,
        )

    def _use(self, one: CustomerQuery) -> str:
        """Nothing where it is what stands there."""
        spec = field_at(self.draft, one.target) if one.proposal is not None else None
        row = self.draft.party(one.target.holder) or self.draft.share_class(one.target.holder)
        raw = row.raw if row else self.draft.entity_raw
        if spec is None or not changed_names(raw, {spec.name: one.proposal}):
            return ""
        return answer_in_words(spec, one.proposal)


def review_feedback(draft: Draft) -> ReviewFeedback:
    """What there is: no query, but six for an application that an agent has returned."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return ReviewFeedback(draft)
    words = decision_texts(application, RETURN)
    if application.submissions not in words:
        # The service sent it back, which says itself what is amiss.
        return ReviewFeedback(draft)
    asked = tuple(one for one in customer_queries(application) if not one.is_settled)
    said = "" if asked else words[application.submissions]
    return ReviewFeedback(draft, said, asked, changes_since_return(draft), locks_of(draft))


def return_message(draft: Draft) -> str:
    """The same words for a page that shows nothing else of a return: two queries at most."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return ""
    said = decision_texts(application, RETURN).get(application.submissions, "")
    return "" if not said or any(not one.is_settled for one in customer_queries(application)) else said


def changes_since_return(draft: Draft) -> frozenset[ChangedLine]:
    """What was changed since it came back last: two queries."""
    changes = draft.application.changes
    moved = changes.filter(moved_to=State.RETURNED_FOR_CHANGES).order_by("-pk").values_list("pk", flat=True).first()
    since = changes.filter(pk__gt=moved or 0).values_list("holder", "changes")
    return frozenset((holder, str(one["field"])) for holder, lines in since for one in lines)


def save_replies(draft: Draft, post: QueryDict, *, by: Author) -> int:
    """Keep every reply that came; how many are about questions that are still open. Raises Closed."""
    return store_replies(draft, list(posted_replies(post)), by=by)


def has_replies(post: QueryDict) -> bool:
    """Whether the page that posts had a box for one."""
    return any(True for _ in posted_replies(post))


def posted_replies(post: QueryDict) -> Iterator[Reply]:
    """What came, with what stood there when it was written."""
    for control in post:
        name, _, number = control.partition(":")
        if name == REPLY and number.isascii() and number.isdecimal() and len(number) < 10:
            yield Reply(int(number), str(post[control]), post.get(f"{REPLY_WAS}:{number}", ""))
