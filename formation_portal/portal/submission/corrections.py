"""What came back to the customer and what was corrected since; and the rounds before the present one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.reviews.customer_queries import CustomerQuery, customer_queries, decision_texts
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.targets import TargetKind, holder_name
from formation_portal.reviews.transactions import UNDER_REVIEW
from formation_portal.ui import formats
from formation_portal.ui.forms.question import QueryNote

from ..feedback import ChangedLine, DeliverySummary, ReviewFeedback, query_title, query_url
from ..pages import need_url

# A change made since, in words, their language where it isn't the page's, and the questions that it answered.
Correction = tuple[str, str, str]

# A long list of corrections is cut here; the newest are told.
_CORRECTIONS = 50


@dataclass(frozen=True, slots=True)
class ReturnedItem:
    """One thing that has to change: what it is and whose, the note about it, and where it is mended.

    `is_done` says that it was changed since; whether that is what was asked for, is seen when corrections are sent.
    `note` is our reviewer's, which can be answered; without one the service has refused it. Without a `url` it is
    about the whole, or gone.
    """

    title: str
    whose: str
    said: str
    when: str
    url: str
    act: str
    is_done: bool = False
    note: QueryNote | None = None

    @property
    def is_answered(self) -> bool:
        """Whether something was done about it, or said to it."""
        return self.is_done or bool(self.note and self.note.is_answered)


@dataclass(frozen=True, slots=True)
class Returned:
    """Everything that came back, and every correction made since; `said` is a note about the whole.

    `is_agents` says that our reviewer has returned it, and not the service. `holders` are the sections, parties and
    share classes, by key or token, that something was asked about, refused or changed in.
    """

    items: tuple[ReturnedItem, ...]
    corrections: tuple[Correction, ...] = ()
    said: str = ""
    is_agents: bool = False
    holders: frozenset[str] = frozenset()

    @property
    def left(self) -> int:
        """How many of the items nobody has done or said anything about since."""
        return sum(not item.is_answered for item in self.items)

    @property
    def stands_in_the_way(self) -> int:
        """How many of them the service has refused: what our reviewer asks can be sent as it is."""
        return sum(not item.is_answered for item in self.items if item.note is None)

    @property
    def is_as_it_was(self) -> bool:
        """Whether something that our reviewer asks was left alone, or nothing at all was done about a return."""
        return bool(self.as_they_were) or not (self.items or self.corrections)

    @property
    def as_they_were(self) -> tuple[ReturnedItem, ...]:
        """What our reviewer asks and nobody has touched or answered."""
        return tuple(item for item in self.items if item.note and not item.is_answered)


def returned(delivery: DeliverySummary, move: Change | None, *, back_to: str = "") -> Returned:
    """What came back, by `move` as far as it is known, and what was changed since: three queries where it is."""
    application = delivery.draft.application
    since = tuple(application.changes.filter(pk__gt=move.pk)) if move else ()
    words = decision_texts(application, RETURN) if move else {}
    is_agents = application.submissions in words
    asked = tuple(one for one in customer_queries(application) if not one.is_settled) if is_agents else ()
    page = ReviewFeedback(delivery.draft, asked=asked, changed_lines=_lines(since))
    items = (*_asked(page, back_to), *_items(delivery, since, back_to))
    corrections = corrections_of(since)
    said = words.get(application.submissions, "") if is_agents else move.text if move and not items else ""
    changed, queried = {holder for holder, _ in page.changed_lines}, {one.target.holder for one in asked}
    refused = {need.party_id or need.share_class_id or need.section for need, _ in delivery.refusals}
    holders = frozenset(changed | queried | refused)
    return Returned(items, corrections, said=said, is_agents=is_agents, holders=holders)


def corrections_of(changes: Iterable[Change]) -> tuple[Correction, ...]:
    """What was changed, each line once."""
    return tuple(
        dict.fromkeys(
            (change.text, change.language, ", ".join(change.labels)) for change in changes if not change.moved_to
        )
    )[:_CORRECTIONS]


def _lines(since: Iterable[Change]) -> frozenset[ChangedLine]:
    return frozenset((change.holder, str(one["field"])) for change in since for one in change.changes)


def _asked(page: ReviewFeedback, back_to: str) -> Iterator[ReturnedItem]:
    """What our reviewer asks, with the way to each place."""
    acts = {TargetKind.DOCUMENT: gettext("Upload it again"), TargetKind.FIELD: gettext("Change it")}
    for one in page.asked:
        note = page.query_note(one)
        yield ReturnedItem(
            title=note.title,
            whose=holder_name(page.draft, one.target),
            said=one.text,
            when=note.when,
            url=query_url(page.draft, one.target, back_to=back_to),
            act=acts.get(one.target.kind, gettext("Go to this page")),
            is_done=note.is_changed,
            note=note,
        )


def _items(delivery: DeliverySummary, since: Iterable[Change], back_to: str) -> Iterator[ReturnedItem]:
    touched = _lines(since)
    seen = set()
    # Papers first: they take longest.
    for need, at in sorted(delivery.refusals, key=lambda refusal: refusal[0].slot is None):
        if need not in seen:
            seen.add(need)
            party = delivery.draft.party(need.party_id) if need.party_id else None
            share_class = delivery.draft.share_class(need.share_class_id) if need.share_class_id else None
            yield ReturnedItem(
                title=refusal_title(delivery.draft, need),
                whose=party.label if party else share_class.label if share_class else "",
                said=need.text,
                when=formats.date_and_time(at),
                url=need_url(delivery.draft, need, back_to=back_to),
                act=gettext("Upload it again") if need.slot is not None else gettext("Change it"),
                is_done=bool(touched & set(_places(delivery.draft, need))),
            )


def _places(draft: Draft, need: Need) -> Iterator[tuple[str, str]]:
    """What a change of it is kept under in the history: whose, and which. An answer may stand in two sections."""
    name = need.slot if need.slot is not None else need.field or ""
    if need.party_id or need.share_class_id or need.slot is not None:
        yield (need.party_id or need.share_class_id or "", name)
        return
    yield from ((section.key, name) for section in draft.schema.entity_sections)


def refusal_title(draft: Draft, need: Need) -> str:
    """What it is about: the document, the question, or the section where neither is named."""
    if need.slot is not None:
        return draft.slot_words(need.slot)
    party = draft.party(need.party_id) if need.party_id else None
    if party is not None:
        asked = draft.schema.fields_of(party.kind, party.roles)
    else:
        asked = draft.schema.share_class_fields if need.share_class_id else draft.schema.entity_fields
    spec = next((spec for spec in asked if spec.name == need.field), None)
    section = draft.schema.section(need.section)
    return spec.label if spec else section.title if section else gettext("Your application")


@dataclass(frozen=True, slots=True)
class ReviewRound:
    """One return that was answered, by its number, and what came of it; `answer` is the move that followed."""

    draft: Draft
    number: int
    answer: Change
    said: str
    asked: tuple[CustomerQuery, ...]
    corrections: tuple[Correction, ...]

    @property
    def title(self) -> str:
        return gettext("Corrections, round %(number)d") % {"number": self.number}

    @property
    def answered(self) -> str:
        """When the corrections were sent, and whether there were any."""
        is_answered = bool(self.corrections) or any(one.reply for one in self.asked)
        words = gettext("Sent on %(day)s") if is_answered else gettext("Sent without changes on %(day)s")
        return words % {"day": formats.day(self.answer.at)}

    @property
    def items(self) -> Iterator[tuple[CustomerQuery, str, str]]:
        """Each question with what it is about, and whose that is."""
        return ((one, query_title(self.draft, one), holder_name(self.draft, one.target)) for one in self.asked)

    @property
    def is_under_review(self) -> bool:
        """Whether somebody reviews it again: what they do meanwhile is theirs, and not said."""
        return self.draft.application.status in UNDER_REVIEW


def review_rounds(draft: Draft, moves: Sequence[Change]) -> list[ReviewRound]:
    """The rounds that were answered, the newest first: three queries, or none where there is no such round."""
    answered = list(_answered(moves))
    words = decision_texts(draft.application, RETURN) if answered else {}
    answered = [one for one in answered if one[0] in words]
    if not answered:
        return []
    asked = customer_queries(draft.application)
    first, last = answered[0][1], answered[-1][2]
    between = tuple(draft.application.changes.filter(pk__gt=first.pk, pk__lt=last.pk))
    return [
        ReviewRound(
            draft,
            number,
            answer,
            words[number],
            tuple(one for one in asked if one.round == number),
            corrections_of(change for change in between if out.pk < change.pk < answer.pk),
        )
        for number, out, answer in reversed(answered)
    ]


def _answered(moves: Sequence[Change]) -> Iterator[tuple[int, Change, Change]]:
    """Each return that was answered: the number of the submission that came back, the return, and what followed."""
    number = 0
    for move, following in pairwise(moves):
        number += move.moved_to == State.SUBMITTED_FOR_REVIEW
        if (move.moved_to, following.moved_to) == (State.RETURNED_FOR_CHANGES, State.SUBMITTED_FOR_REVIEW):
            yield number, move, following
