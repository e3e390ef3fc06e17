"""Describe an application's state at the formation service and in review: deliveries, refusals, queries, replies."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import changed_answers
from formation_portal.applications.locks import NO_LOCKS, Locks, locks_of
from formation_portal.applications.models import Change
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.relay.delivery_status import (
    ApplicationDeliveries,
    DeliveryStage,
    DeliveryStatus,
    deliveries_for_customer,
)
from formation_portal.relay.models import ResourceKind
from formation_portal.relay.service_profile import Profile
from formation_portal.reviews.customer_queries import CustomerQuery, Reply, decision_texts, open_queries
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.targets import Target, TargetKind, field_at, label_of
from formation_portal.ui import formats
from formation_portal.ui.forms.question import QueryNote

from .pages import need_url


def before_submission(profile: Profile) -> str:
    if profile.can_edit:
        return gettext(
            "We save your answers and prepare them with the formation service as you go. Nothing is "
            "filed and you owe nothing until you submit."
        )
    return gettext("We save your answers here. Nothing is filed and you owe nothing until you submit.")


class DeliverySummary:
    """The deliveries of an application in summary: the most urgent status, and every refusal."""

    def __init__(self, draft: Draft, deliveries: ApplicationDeliveries) -> None:
        self.draft = draft
        self.deliveries = deliveries
        # The service's refusals as needs, without repetitions.
        self.refused = tuple(dict.fromkeys(problem.need for problem in deliveries.overall.problems))

    @property
    def is_notable(self) -> bool:
        """Tell whether the status says more than "Saved", which pages say anyway."""
        return self.deliveries.overall.words != gettext(DeliveryStage.SAVED.label)

    @cached_property
    def unresolved(self) -> tuple[tuple[str, DeliveryStatus], ...]:
        return self.deliveries.unresolved(self.draft.schema.slot_words)

    @property
    def before_submission(self) -> str:
        if self.draft.application.status is not State.DRAFT:
            return ""
        return before_submission(self.deliveries.profile)


def delivery_summary(draft: Draft) -> DeliverySummary:
    """Read the deliveries of an application. Makes two SQL queries."""
    return DeliverySummary(draft, deliveries_for_customer(draft.application))


def answers_delivery(
    deliveries: ApplicationDeliveries,
    status: DeliveryStatus,
    *,
    party: str = "",
    share_class: str = "",
    changed_at: datetime | None,
) -> DeliveryStatus:
    """Return the delivery status of one holder's answers, with every problem that the service found.

    Problems of the whole submission are included until the holder's answers change.
    """
    problems = status.problems
    submission = deliveries.last_submission
    if submission.at and changed_at and changed_at < submission.at:
        problems += submission.problems
    holder = (party, share_class)
    own = [problem for problem in problems if (problem.party, problem.share_class) == holder]
    return replace(status, problems=tuple(own))


def refused_answers(status: DeliveryStatus) -> dict[str, str]:
    return {problem.field: problem.message for problem in status.problems}


# The stages shown beside a task, the most urgent first; "saved", "sent" and "received" are not shown.
_TASK_STAGES = (DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


def task_deliveries(draft: Draft, deliveries: ApplicationDeliveries) -> dict[str, str]:
    """Return the label of each task's most urgent unsettled delivery stage, by section key or "documents"."""
    stages: dict[str, set[DeliveryStage]] = {"documents": {deliveries.of_all(ResourceKind.DOCUMENT).state}}
    for section in draft.schema.entity_sections:
        stages[section.key] = {deliveries.of_section(section).state}
    party_stages = deliveries.party_states
    parties = draft.parties_of(party_stages)
    for section in draft.schema.role_sections:
        stages[section.key] = {party_stages[party.token] for party in parties if section.role in party.roles}
    if (shares := draft.schema.share_section) is not None:
        stages[shares.key] = {deliveries.of_share_class(row.token).state for row in draft.share_classes}
        stages[shares.key].add(deliveries.of_all(ResourceKind.SHAREHOLDING).state)
    labels: dict[str, str] = {}
    for key, own_stages in stages.items():
        for stage in _TASK_STAGES:
            if stage in own_stages:
                labels.setdefault(key, gettext(stage.label))
    return labels


# The holder and the name of a changed answer or document.
ChangedLine = tuple[str, str]


def changed_lines(changes: Iterable[Change]) -> frozenset[ChangedLine]:
    return frozenset((change.holder, str(line["field"])) for change in changes for line in change.changes)


def query_title(draft: Draft, query: CustomerQuery) -> str:
    """Return the label of a query's target, or its old label if the form no longer has the target."""
    return label_of(draft, query.target) or query.label or gettext("Your application")


def query_url(draft: Draft, target: Target, *, back_to: str = "") -> str:
    """Return the URL of a query's target, or of its holder if the target is gone; "" if both are gone."""
    place: dict[str, str] = {}
    if draft.party(target.holder):
        place["party_id"] = target.holder
    if target.kind is TargetKind.DOCUMENT and (slot := label_of(draft, target)):
        place["slot"] = slot
    if spec := field_at(draft, target):
        place["field"] = spec.name
        if draft.share_class(target.holder):
            place["share_class_id"] = target.holder
    if not place and draft.schema.section(target.holder) is None:
        return ""
    return need_url(draft, Need("asked", "", target.holder, **place), back_to=back_to)


def is_changed(draft: Draft, target: Target, lines: Collection[ChangedLine]) -> bool:
    """Tell whether any of the changed lines concerns the target of a query."""
    if target.kind is TargetKind.APPLICATION:
        return bool(lines)
    section = draft.schema.section(target.holder)
    holders = {target.holder}
    if section and section.is_share_structure:
        # The history has share classes as holders.
        holders |= {row.token for row in draft.share_classes}
    elif section and target.name:
        # Two sections may share an answer of the entity.
        holders = {entity_section.key for entity_section in draft.schema.entity_sections}
    names = {name for holder, name in lines if holder in holders}
    if target.kind in (TargetKind.PARTY, TargetKind.SECTION):
        return bool(names)
    return any(Target.of_field("", name).name == target.name for name in names)


# The names of the button that accepts a proposed answer and of the controls of a reply; a query's number follows.
USE = "use"
REPLY = "reply"
REPLY_WAS = "reply-was"


@dataclass(frozen=True)
class ReviewFeedback:
    """Our reviewer's open queries or message about the whole application, the lines changed since, and the locks."""

    draft: Draft
    message: str = ""
    queries: tuple[CustomerQuery, ...] = ()
    changed_lines: frozenset[ChangedLine] = frozenset()
    locks: Locks = NO_LOCKS

    def at_answers(self, holder: str) -> dict[str, QueryNote]:
        """Return the notes about answers of a section, party or share class, by the answers' names."""
        notes: dict[str, QueryNote] = {}
        for query in self._queries_of(holder):
            if spec := field_at(self.draft, query.target):
                notes[spec.name] = self.query_note(query)
        return notes

    def at_documents(self, holder: str) -> dict[str, QueryNote]:
        """Return the notes about documents of a party or the entity, by slot."""
        notes: dict[str, QueryNote] = {}
        for query in self._queries_of(holder):
            slot = label_of(self.draft, query.target)
            if query.target.kind is TargetKind.DOCUMENT and slot:
                notes[slot] = self.query_note(query)
        return notes

    def at_page(self, holder: str) -> tuple[QueryNote, ...]:
        """Return the notes about a section, party or share class itself, or about answers or slots that are gone."""
        notes: list[QueryNote] = []
        for query in self._queries_of(holder):
            is_whole = query.target.kind in (TargetKind.PARTY, TargetKind.SECTION)
            if is_whole or label_of(self.draft, query.target) is None:
                notes.append(self.query_note(query))
        return tuple(notes)

    def proposed(self, holder: str, pressed: str) -> dict[str, Any]:
        """Return the answer that the pressed button accepts, as its name and the proposed value; {} without any."""
        for query in self._queries_of(holder):
            spec = field_at(self.draft, query.target)
            if str(query.number) == pressed and query.proposal is not None and spec:
                return {spec.name: query.proposal}
        return {}

    def _queries_of(self, holder: str) -> list[CustomerQuery]:
        return [query for query in self.queries if query.target.holder == holder]

    def query_note(self, query: CustomerQuery) -> QueryNote:
        """Build the note of a query. The proposed answer is left out if it is given already."""
        proposal = ""
        spec = field_at(self.draft, query.target)
        if spec is not None and query.proposal is not None:
            row = self.draft.party(query.target.holder) or self.draft.share_class(query.target.holder)
            raw = row.raw if row else self.draft.entity_raw
            if changed_answers(raw, {spec.name: query.proposal}):
                proposal = answer_in_words(spec, query.proposal)
        return QueryNote(
            number=query.number,
            title=query_title(self.draft, query),
            text=query.text,
            when=formats.full_date_and_time(query.sent_at),
            reply=query.reply,
            is_changed=is_changed(self.draft, query.target, self.changed_lines),
            proposal=proposal,
            can_be_answered=self.draft.application.can_be_changed,
        )


def review_feedback(draft: Draft) -> ReviewFeedback:
    """Read our reviewer's feedback. Makes six SQL queries if an agent has returned the application, else none."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return ReviewFeedback(draft)
    texts = decision_texts(application, RETURN)
    if application.submissions not in texts:
        # The service has returned the application, and its own problems say what is wrong.
        return ReviewFeedback(draft)
    queries = open_queries(application)
    returns = application.changes.filter(moved_to=State.RETURNED_FOR_CHANGES).order_by("-pk")
    last_return = returns.values_list("pk", flat=True).first() or 0
    changes = application.changes.filter(pk__gt=last_return).only("application", "row", "holder", "changes")
    return ReviewFeedback(
        draft,
        message="" if queries else texts[application.submissions],
        queries=queries,
        changed_lines=changed_lines(changes),
        locks=locks_of(draft),
    )


def return_message(draft: Draft) -> str:
    """Return the reviewer's message about the application; "" if queries are open. Makes up to two SQL queries."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return ""
    message = decision_texts(application, RETURN).get(application.submissions, "")
    if not message or open_queries(application):
        return ""
    return message


def posted_replies(post: QueryDict) -> Iterator[Reply]:
    """Read every reply in a post, each with the text that it replaces."""
    for control in post:
        name, _colon, number = control.partition(":")
        if name == REPLY and number.isascii() and number.isdecimal() and len(number) < 10:
            yield Reply(int(number), str(post[control]), post.get(f"{REPLY_WAS}:{number}", ""))
