"""What the formation service and our reviewer say of an application to its customer: how far it has come, what the
service has refused, what our reviewer asks on a return and has accepted; and replies to it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import changed_names
from formation_portal.applications.locks import NO_LOCKS, Locks, locks_of
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.relay.delivery_status import (
    STAGE_WORDS,
    ApplicationDeliveries,
    DeliveryStage,
    DeliveryStatus,
    deliveries_for_customer,
)
from formation_portal.relay.models import ResourceKind
from formation_portal.relay.problems import LocatedProblem
from formation_portal.relay.service_profile import Profile
from formation_portal.reviews.customer_queries import CustomerQuery, Reply, customer_queries, decision_texts
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.targets import Target, TargetKind, field_at, label_of
from formation_portal.ui import formats
from formation_portal.ui.forms.question import QueryNote

from .pages import Link, need_links, need_url


def before_submission(profile: Profile) -> str:
    """What holds until an application is submitted, by whether the service takes its answers meanwhile."""
    if profile.can_edit:
        return gettext(
            "We save your answers and prepare them with the formation service as you go. Nothing is "
            "filed and you owe nothing until you submit."
        )
    return gettext("We save your answers here. Nothing is filed and you owe nothing until you submit.")


@dataclass(frozen=True)
class DeliverySummary:
    """The most urgent news of all, what the service refused, and what it can't do at all."""

    draft: Draft
    deliveries: ApplicationDeliveries

    @property
    def overall(self) -> DeliveryStatus:
        """The most urgent news."""
        return self.deliveries.overall

    @property
    def is_worth_saying(self) -> bool:
        """Whether it says more than that it is saved, which the page says anyway."""
        return self.overall.words != gettext(STAGE_WORDS[DeliveryStage.SAVED])

    @cached_property
    def unresolved(self) -> tuple[tuple[str, DeliveryStatus], ...]:
        """What is being checked or is with our team: titles and statuses."""
        return self.deliveries.unresolved(self.draft.schema.slot_words)

    @cached_property
    def before_submission(self) -> str:
        """What holds until it is submitted; nothing once it was."""
        return before_submission(self.deliveries.profile) if self.draft.application.status is State.DRAFT else ""

    @cached_property
    def refused(self) -> tuple[Need, ...]:
        """What the service refused and the customer has to change, told like any other need."""
        return tuple(dict.fromkeys(_need(trouble) for trouble in self.overall.problems))

    @property
    def refusals(self) -> tuple[tuple[Need, datetime], ...]:
        """The same, each with when the service said so."""
        return tuple((_need(trouble), at) for trouble, at in self.deliveries.refusals)

    @property
    def links(self) -> tuple[Link, ...]:
        """The same with the way to each."""
        return need_links(self.draft, self.refused)


def delivery_summary(draft: Draft) -> DeliverySummary:
    """Read how far an application's deliveries have come: two queries."""
    return DeliverySummary(draft, deliveries_for_customer(draft.application))


def _need(trouble: LocatedProblem) -> Need:
    return Need(
        "refused",
        trouble.message,
        trouble.section,
        party_id=trouble.party or None,
        share_class_id=trouble.share_class or None,
        field=trouble.field or None,
        slot=trouble.slot or None,
    )


def answers_delivery(
    deliveries: ApplicationDeliveries,
    status: DeliveryStatus,
    *,
    party: str = "",
    share_class: str = "",
    changed_at: datetime | None,
) -> DeliveryStatus:
    """How far the answers of one holder have come, with everything that the service said against them.

    That is also what it said against the whole submission, as long as the holder wasn't changed since.
    """
    said, submission = status.problems, deliveries.last_submission
    if submission.at and changed_at and changed_at < submission.at:
        said += submission.problems
    return replace(status, problems=tuple(one for one in said if (one.party, one.share_class) == (party, share_class)))


def refused_answers(status: DeliveryStatus) -> dict[str, str]:
    """The service's words against answers, by the name of the field."""
    return {one.field: one.message for one in status.problems}


# The most urgent first. What is saved, on its way or received needs no word beside its task.
_SHOWN = (DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


def task_deliveries(draft: Draft, deliveries: ApplicationDeliveries) -> Mapping[str, str]:
    """By the key of a section, and "documents": With our team, Checking whether it arrived, Waiting to retry."""
    found: dict[str, set[DeliveryStage]] = {"documents": {deliveries.of_all(ResourceKind.DOCUMENT).state}}
    for section in draft.schema.entity_sections:
        found[section.key] = {deliveries.of_section(section).state}
    states = {token: state for token, state in deliveries.party_states.items() if state in _SHOWN}
    parties = draft.parties_of(states)
    for section in draft.schema.role_sections:
        found[section.key] = {states[one.token] for one in parties if section.role in one.roles}
    if (shares := draft.schema.share_section) is not None:
        found[shares.key] = {deliveries.of_share_class(one.token).state for one in draft.share_classes}
        found[shares.key].add(deliveries.of_all(ResourceKind.SHAREHOLDING).state)
    words = {key: next((one for one in _SHOWN if one in stages), None) for key, stages in found.items()}
    return {key: gettext(STAGE_WORDS[stage]) for key, stage in words.items() if stage}


# A line of the history: whose, and which answer or document.
ChangedLine = tuple[str, str]


def query_title(draft: Draft, asked: CustomerQuery) -> str:
    """What it is called; as it was called then, where the form has it no more."""
    return label_of(draft, asked.target) or asked.label or gettext("Your application")


def query_url(draft: Draft, target: Target, *, back_to: str = "") -> str:
    """The way to it. What is gone leads to whose it was; empty for the whole, and where that is gone too."""
    party, share_class = draft.party(target.holder), draft.share_class(target.holder)
    slot = label_of(draft, target) if target.kind is TargetKind.DOCUMENT else None
    spec = field_at(draft, target)
    if not (slot or spec or party or draft.schema.section(target.holder)):
        return ""
    need = Need(
        "asked",
        "",
        "" if slot or party or share_class else target.holder,
        party_id=target.holder if party else None,
        share_class_id=target.holder if share_class else None,
        field=spec.name if spec else None,
        slot=slot,
    )
    return need_url(draft, need, back_to=back_to)


def is_changed(draft: Draft, target: Target, touched: Collection[ChangedLine]) -> bool:
    """Whether one of the lines is about it."""
    if target.kind is TargetKind.APPLICATION:
        return bool(touched)
    section = draft.schema.section(target.holder)
    # What the history calls whose it is. An answer of the entity may stand in two sections; shares have classes.
    holders = {target.holder}
    if section and section.is_share_structure:
        holders |= {one.token for one in draft.share_classes}
    elif section and target.name:
        holders = {one.key for one in draft.schema.entity_sections}
    if target.kind in (TargetKind.PARTY, TargetKind.SECTION):
        return any(holder in holders for holder, _ in touched)
    return any(holder in holders and Target.of_field("", name).name == target.name for holder, name in touched)


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
        """One question with all that there is to say of it; a proposed answer, unless it stands there already."""
        spec = field_at(self.draft, one.target) if one.proposal is not None else None
        row = self.draft.party(one.target.holder) or self.draft.share_class(one.target.holder)
        raw = row.raw if row else self.draft.entity_raw
        is_news = spec is not None and changed_names(raw, {spec.name: one.proposal})
        return QueryNote(
            number=one.number,
            title=query_title(self.draft, one),
            text=one.text,
            when=formats.date_and_time(one.sent_at),
            reply=one.reply,
            is_changed=is_changed(self.draft, one.target, self.changed_lines),
            proposal=answer_in_words(spec, one.proposal) if spec and is_news else "",
            can_be_answered=self.draft.application.can_be_changed,
        )


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
    # What was changed since it came back last.
    moved = application.changes.filter(moved_to=State.RETURNED_FOR_CHANGES).order_by("-pk")
    since = application.changes.filter(pk__gt=moved.values_list("pk", flat=True).first() or 0)
    moves = since.only("application", "row", "holder", "changes")
    lines = ((move.holder, str(one["field"])) for move in moves for one in move.changes)
    return ReviewFeedback(draft, said, asked, frozenset(lines), locks_of(draft))


def return_message(draft: Draft) -> str:
    """The same words for a page that shows nothing else of a return: two queries at most."""
    application = draft.application
    if application.status is not State.RETURNED_FOR_CHANGES:
        return ""
    said = decision_texts(application, RETURN).get(application.submissions, "")
    return "" if not said or any(not one.is_settled for one in customer_queries(application)) else said


def posted_replies(post: QueryDict) -> Iterator[Reply]:
    """Every reply that came, with what stood there when it was written."""
    for control in post:
        name, _colon, number = control.partition(":")
        if name == REPLY and number.isascii() and number.isdecimal() and len(number) < 10:
            yield Reply(int(number), str(post[control]), post.get(f"{REPLY_WAS}:{number}", ""))
