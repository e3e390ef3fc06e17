"""What a customer may read of a review: what was sent to them, and never who wrote it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from formation_portal.applications.access import Author
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import Closed
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import State
from formation_portal.core.encrypted_fields import update_rows

from .models import MAX_TEXT, DecisionOutcome, Query, ReviewDecision
from .targets import Target


@dataclass(frozen=True, slots=True)
class CustomerQuery:
    """One thing that was asked of a customer, and what they have answered to it."""

    number: int
    target: Target
    label: str
    text: str
    # An answer as it would be typed, or None.
    proposal: Any
    round: int
    sent_at: datetime
    reply: str
    is_settled: bool


def customer_queries(application: Application) -> tuple[CustomerQuery, ...]:
    """Everything that was ever sent, in its order: one query."""
    sent = Query.objects.filter(application=application, dropped_at=None).exclude(sent_at=None)
    return tuple(map(_customer_query, sent.order_by("pk")))


def _customer_query(row: Query) -> CustomerQuery:
    assert row.round is not None
    assert row.sent_at is not None
    return CustomerQuery(
        number=row.pk,
        target=row.target,
        label=row.label,
        text=row.text,
        proposal=row.proposal,
        round=row.round,
        sent_at=row.sent_at,
        reply=row.reply,
        is_settled=row.settled_at is not None,
    )


def decision_texts(application: Application, deed: str) -> dict[int, str]:
    """What a decision that was carried out said to the customer, by the number of the submission: one query."""
    done = ReviewDecision.objects.filter(application=application, deed=deed, outcome=DecisionOutcome.DONE)
    return {row.round: row.text for row in done.order_by("pk").only("application", "row", "round", "text")}


@dataclass(frozen=True, slots=True)
class Reply:
    """What was written to the question of this number; `was` is what stood there when it was written."""

    number: int
    text: str
    was: str


def store_replies(draft: Draft, replies: Sequence[Reply], *, by: Author) -> int:
    """Keep answers to open questions; to how many of them. Four queries, however many there are.

    What somebody else has written there meanwhile stays, before it. Raises Closed.
    """
    with application_transaction(draft, by=by):
        if draft.application.status is not State.RETURNED_FOR_CHANGES:
            raise Closed(draft.application.status)
        sent = Query.objects.filter(application=draft.application, dropped_at=None, settled_at=None)
        asked = sent.exclude(sent_at=None).in_bulk([reply.number for reply in replies])
        came = [reply for reply in replies if reply.number in asked]
        written = []
        for one in came:
            query, text, was = asked[one.number], _normalized(one.text), _normalized(one.was)
            if text not in (was, query.reply):
                joined = text if query.reply == was else f"{query.reply}\n\n{text}".strip()
                query.reply = joined[:MAX_TEXT]
                query.replied_at = timezone.now() if query.reply else None
                written.append(query)
        if written:
            update_rows(written, ["reply", "replied_at"])
            did = {"reply": [query.pk for query in written]}
            chain.append(AuditAction.REVIEW, by=by, application=draft.application, rows=written, did=did)
        return len(came)


def _normalized(text: str) -> str:
    """As it is kept: browsers post other ends of lines."""
    return text.replace("\r\n", "\n").replace("\x00", "").strip()
