"""Describe returned items, corrections since the return, and earlier rounds of review."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.reviews.customer_queries import CustomerQuery, customer_queries, decision_texts, open_queries
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.targets import Target, TargetKind, field_at, holder_name
from formation_portal.reviews.transactions import UNDER_REVIEW
from formation_portal.ui import formats
from formation_portal.ui.forms.question import QueryNote

from ..feedback import ChangedLine, DeliverySummary, ReviewFeedback, changed_lines, is_changed, query_title, query_url
from ..pages import need_url

# A change since the return: its text, the text's language if not the page's, and the labels of the changed answers.
Correction = tuple[str, str, str]

# A long list of corrections is cut here.
_MAX_CORRECTIONS = 50


@dataclass(frozen=True, slots=True)
class ReturnedItem:
    """An answer or document to change. Without a query of our reviewer (`note`), the service has refused it."""

    title: str
    holder: str
    text: str
    when: str
    url: str
    action: str
    # Changed since the return, sufficiently or not.
    is_changed: bool = False
    note: QueryNote | None = None

    @property
    def is_answered(self) -> bool:
        return self.is_changed or bool(self.note and self.note.is_answered)


class Returned:
    """The items to correct after a return, and the changes since. Makes three SQL queries if the return is known."""

    def __init__(self, delivery: DeliverySummary, move: Change | None, *, back_to: str = "") -> None:
        draft = delivery.draft
        changes: list[Change] = []
        texts: dict[int, str] = {}
        if move:
            changes = list(draft.application.changes.filter(pk__gt=move.pk))
            texts = decision_texts(draft.application, RETURN)
        # Our reviewer has returned the application, not the service.
        self.is_agents = draft.application.submissions in texts
        queries = open_queries(draft.application) if self.is_agents else ()
        feedback = ReviewFeedback(draft, queries=queries, changed_lines=changed_lines(changes))
        self.items = [
            *_queried_items(feedback, back_to),
            *_refused_items(delivery, feedback.changed_lines, back_to),
        ]
        self.corrections = corrections_of(changes)
        # The message about the whole application.
        self.message = texts.get(draft.application.submissions, "")
        if move and not self.is_agents and not self.items:
            self.message = move.text
        # The keys and tokens of the sections, parties and share classes with queries, refusals or changes.
        self.holders = {holder for holder, _ in feedback.changed_lines}
        self.holders |= {query.target.holder for query in queries}
        for problem, _ in delivery.deliveries.refusals:
            self.holders.add(problem.need.party_id or problem.need.share_class_id or problem.need.section)
        open_items = [item for item in self.items if not item.is_answered]
        self.open_count = len(open_items)
        # Queries can be sent back unanswered; refusals of the service have to be corrected.
        self.unanswered = [item for item in open_items if item.note]
        self.refused_count = len(open_items) - len(self.unanswered)
        self.is_untouched = bool(self.unanswered) or not (self.items or self.corrections)


def corrections_of(changes: Iterable[Change]) -> tuple[Correction, ...]:
    lines: dict[Correction, None] = {}
    for change in changes:
        if not change.moved_to:
            lines[change.text, change.language, ", ".join(change.labels)] = None
    return tuple(lines)[:_MAX_CORRECTIONS]


def _queried_items(feedback: ReviewFeedback, back_to: str) -> Iterator[ReturnedItem]:
    actions = {TargetKind.DOCUMENT: gettext("Upload it again"), TargetKind.FIELD: gettext("Change it")}
    for query in feedback.queries:
        note = feedback.query_note(query)
        yield ReturnedItem(
            title=note.title,
            holder=holder_name(feedback.draft, query.target),
            text=query.text,
            when=note.when,
            url=query_url(feedback.draft, query.target, back_to=back_to),
            action=actions.get(query.target.kind, gettext("Go to this page")),
            is_changed=note.is_changed,
            note=note,
        )


def _refused_items(delivery: DeliverySummary, lines: frozenset[ChangedLine], back_to: str) -> Iterator[ReturnedItem]:
    """Yield the documents and answers that the service has refused; documents first, as they take longest."""
    draft = delivery.draft
    times: dict[Need, datetime] = {}
    for problem, at in sorted(delivery.deliveries.refusals, key=lambda refusal: refusal[0].need.slot is None):
        times.setdefault(problem.need, at)
    for need, at in times.items():
        holder = need.party_id or need.share_class_id or ""
        target = Target.of_field(holder or need.section, need.field or "")
        spec = field_at(draft, target)
        section = draft.schema.section(need.section)
        title = gettext("Your application")
        action = gettext("Change it")
        if need.slot is not None:
            target = Target.of_document(holder, need.slot)
            title = draft.slot_words(need.slot)
            action = gettext("Upload it again")
        elif spec:
            title = spec.label
        elif section:
            title = section.title
        yield ReturnedItem(
            title=title,
            holder=holder_name(draft, target),
            text=need.text,
            when=formats.full_date_and_time(at),
            url=need_url(draft, need, back_to=back_to),
            action=action,
            is_changed=is_changed(draft, target, lines),
        )


@dataclass(frozen=True, slots=True)
class ReviewRound:
    """A return with the customer's reply. During the next review, customers don't see which queries are resolved."""

    number: int
    title: str
    # When the corrections were sent, and whether there were any.
    answered: str
    message: str
    queries: list[tuple[CustomerQuery, str, str]]
    corrections: tuple[Correction, ...]
    is_under_review: bool


def review_rounds(draft: Draft, moves: Sequence[Change]) -> list[ReviewRound]:
    """Return the rounds that the customer has answered, newest first. Makes three SQL queries if there are any."""
    answered: list[tuple[int, Change, Change]] = []
    number = 0
    for move, following in pairwise(moves):
        number += move.moved_to == State.SUBMITTED_FOR_REVIEW
        if move.moved_to == State.RETURNED_FOR_CHANGES and following.moved_to == State.SUBMITTED_FOR_REVIEW:
            answered.append((number, move, following))
    texts = decision_texts(draft.application, RETURN) if answered else {}
    # The formation service returned the others.
    answered = [pair for pair in answered if pair[0] in texts]
    if not answered:
        return []
    queries = customer_queries(draft.application)
    changes = list(draft.application.changes.filter(pk__gt=answered[0][1].pk, pk__lt=answered[-1][2].pk))
    rounds: list[ReviewRound] = []
    for number, move, answer in reversed(answered):
        corrections = corrections_of(change for change in changes if move.pk < change.pk < answer.pk)
        sentence = gettext("Sent on %(day)s")
        own_queries = [query for query in queries if query.round == number]
        if not corrections and not any(query.reply for query in own_queries):
            sentence = gettext("Sent without changes on %(day)s")
        rounds.append(
            ReviewRound(
                number=number,
                title=gettext("Corrections, round %(number)d") % {"number": number},
                answered=sentence % {"day": formats.day(answer.at)},
                message=texts[number],
                queries=[(query, query_title(draft, query), holder_name(draft, query.target)) for query in own_queries],
                corrections=corrections,
                is_under_review=draft.application.status in UNDER_REVIEW,
            )
        )
    return rounds
