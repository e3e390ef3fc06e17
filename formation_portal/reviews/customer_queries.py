"""Read queries and decisions without agents' names, for the customer, and store the customer's replies."""

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
    number: int
    target: Target
    label: str
    text: str
    # The proposed answer as typed, or None.
    proposal: Any
    round: int | None
    sent_at: datetime
    reply: str
    is_settled: bool


def customer_queries(application: Application) -> tuple[CustomerQuery, ...]:
    """Return all queries that were ever sent, oldest first. One database query."""
    sent = Query.objects.filter(application=application, dropped_at=None).exclude(sent_at=None)
    queries = []
    for row in sent.order_by("pk"):
        assert row.sent_at is not None
        is_settled = row.settled_at is not None
        values = (row.label, row.text, row.proposal, row.round, row.sent_at, row.reply, is_settled)
        queries.append(CustomerQuery(row.pk, row.target, *values))
    return tuple(queries)


def open_queries(application: Application) -> tuple[CustomerQuery, ...]:
    """Return the queries that are not settled, oldest first. One database query."""
    return tuple(query for query in customer_queries(application) if not query.is_settled)


def decision_texts(application: Application, kind: str) -> dict[int, str]:
    """Return the messages of this kind's decisions that took effect, by the submission's number. One SQL query."""
    done = ReviewDecision.objects.filter(application=application, kind=kind, outcome=DecisionOutcome.DONE)
    return {row.round: row.text for row in done.order_by("pk").only("application", "row", "round", "text")}


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to the query of this number; `was` is the earlier reply that the page showed."""

    number: int
    text: str
    was: str


def store_replies(draft: Draft, replies: Sequence[Reply], *, by: Author) -> int:
    """Store replies to open queries, each after any reply that was stored meanwhile. Returns how many of the queries
    were open. Four SQL queries for any number of replies. Raises Closed."""
    with application_transaction(draft, by=by):
        if draft.application.status is not State.RETURNED_FOR_CHANGES:
            raise Closed(draft.application.status)
        sent = Query.objects.filter(application=draft.application, dropped_at=None, settled_at=None)
        queries = sent.exclude(sent_at=None).in_bulk([reply.number for reply in replies])
        changed = []
        for reply in replies:
            query = queries.get(reply.number)
            if query is None:
                continue
            text = _normalized(reply.text)
            was = _normalized(reply.was)
            if text in (was, query.reply):
                continue
            if query.reply != was:
                text = f"{query.reply}\n\n{text}".strip()
            query.reply = text[:MAX_TEXT]
            query.replied_at = timezone.now() if query.reply else None
            changed.append(query)
        if changed:
            update_rows(changed, ["reply", "replied_at"])
            did = {"reply": [query.pk for query in changed]}
            chain.append(AuditAction.REVIEW, by=by, application=draft.application, rows=changed, did=did)
        return len(queries)


def _normalized(text: str) -> str:
    """Normalise line ends, which browsers post as CR LF, and strip."""
    return text.replace("\r\n", "\n").replace("\x00", "").strip()
