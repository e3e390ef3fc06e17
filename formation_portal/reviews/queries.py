"""Draft, change, delete and resolve queries to the customer, and keep notes among colleagues.

Drafts are sent with a return (decisions.py).
"""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.contract.record import Answers, validate

from .models import MAX_LABEL, MAX_TEXT, Note, Query, QueryReason
from .targets import Target, field_at, label_of
from .transactions import ReviewRefused, ReviewVersion, ReviewWork, review_transaction

# A note may be written about any case, also a closed one.
_SUBMITTED = frozenset(State) - {State.DRAFT}


def draft_query(
    draft: Draft,
    target: Target,
    *,
    text: str,
    reason: str = QueryReason.OTHER,
    proposal: Any = None,
    by: AbstractBaseUser,
    version: ReviewVersion,
) -> Query:
    """Draft a query about a target, or change the one that is drafted there. A query that was sent about it stays open
    until this one is sent.

    `proposal` is an answer as it would be typed. Raises ReviewChanged where somebody else has drafted or ended a query
    there since the page was drawn; ReviewRefused; Closed.
    """
    text = " ".join(text.split("\x00")).strip()
    label = label_of(draft, target)
    _validate(draft, target, label=label, text=text, reason=reason, proposal=proposal)
    with review_transaction(draft, by=by, version=version) as work:
        query = draft_at(draft, target) or Query(application=draft.application, **target.columns)
        newer = Query.objects.filter(application=draft.application, version__gt=work.seen.version, **target.columns)
        if newer.exclude(by=by.pk).exists():
            raise work.outdated_error()
        work.save(query, "ask", label=(label or "")[:MAX_LABEL], reason=reason, text=text, proposal=proposal)
        return query


def delete_draft(draft: Draft, query_id: int, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Delete a drafted query. Returns False where there is none.

    Raises ReviewChanged where somebody else has changed it since the page was drawn, and Closed.
    """
    with review_transaction(draft, by=by, version=version) as work:
        query = _open_queries(draft).filter(pk=query_id, sent_at=None).first()
        if query is None:
            return False
        work.require_unchanged(query)
        work.save(query, "drop", dropped_at=timezone.now())
        return True


def resolve(draft: Draft, query_id: int, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Resolve a query that was sent. Returns False where there is none. Raises ReviewChanged and Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        query = _open_queries(draft).filter(pk=query_id).exclude(sent_at=None).first()
        if query is None:
            return False
        work.require_unchanged(query)
        resolve_within(work, query)
        return True


def resolve_within(work: ReviewWork, query: Query) -> None:
    """Resolve a query within a transaction that does more."""
    work.save(query, "settle", settled_at=timezone.now())


def send_drafts(work: ReviewWork) -> list[Query]:
    """Send all drafted queries, within the transaction that returns the application. Resolves the queries that were
    sent about the same targets before."""
    queries = list(_open_queries(work.draft))
    drafts = [query for query in queries if query.is_draft]
    drafted_targets = {query.target for query in drafts}
    for query in queries:
        if query.is_draft:
            work.save(query, "send", sent_at=timezone.now(), round=work.draft.application.submissions)
        elif query.target in drafted_targets:
            resolve_within(work, query)
    return drafts


def _validate(draft: Draft, target: Target, *, label: str | None, text: str, reason: str, proposal: Any) -> None:
    if label is None:
        raise ReviewRefused("This is no longer part of the application.")
    if not text:
        raise ReviewRefused("Enter what needs to change.", field="text")
    if len(text) > MAX_TEXT:
        raise ReviewRefused(f"Use {MAX_TEXT:,} characters or fewer.", field="text")
    if reason not in QueryReason.values:
        raise ReviewRefused("Select a reason.", field="reason")
    if proposal is not None:
        _validate_proposal(draft, target, proposal)


def _validate_proposal(draft: Draft, target: Target, proposal: Any) -> None:
    spec = field_at(draft, target)
    if spec is None or spec.provided_by_agent or spec.refers_to_share_class:
        raise ReviewRefused("You cannot propose an answer here.", field="proposal")
    answers = validate((spec,), {spec.name: proposal})
    if problem := answers.problems.get(spec.name):
        raise ReviewRefused(problem.message, field="proposal")
    if spec.name not in answers.values:
        raise ReviewRefused("Enter the answer you propose, or remove it.", field="proposal")
    if objection := _proposal_objection(draft, target, spec, answers):
        raise ReviewRefused(objection, field="proposal")


def _proposal_objection(draft: Draft, target: Target, spec: FieldSpec, proposed: Answers) -> str:
    """Return why a proposed answer cannot be true; "" where nothing speaks against it (supplement, "Bounds")."""
    row = draft.party(target.holder)
    if row is None:
        objection = spec.bounds.objection(proposed.values[spec.name], spec, draft.days)
        return objection.message if objection else ""
    party = replace(row.record, answers=Answers({**row.record.answers.values, **proposed.values}))
    problem = draft.form_state.impossible_answers(party).get(spec.name)
    return problem.message if problem else ""


def _open_queries(draft: Draft) -> QuerySet[Query]:
    return Query.objects.filter(application=draft.application, dropped_at=None, settled_at=None)


def draft_at(draft: Draft, target: Target) -> Query | None:
    """Return the query that is drafted about a target. One database query."""
    return _open_queries(draft).filter(sent_at=None, **target.columns).first()


def write_note(draft: Draft, target: Target, *, text: str, by: AbstractBaseUser) -> Note:
    """Keep a note. A repetition of the newest note there, by the same agent, is that note: its form has arrived twice.

    Raises ReviewRefused where the text is empty or too long.
    """
    text = text.strip()
    if not text:
        raise ReviewRefused("Enter a note.", field="note")
    if len(text) > MAX_TEXT:
        raise ReviewRefused(f"Use {MAX_TEXT:,} characters or fewer.", field="note")
    with review_transaction(draft, by=by, version=None, states=_SUBMITTED, begins=False) as work:
        newest = Note.objects.filter(application=draft.application, **target.columns).first()
        if newest is not None and (newest.text, newest.by_id, newest.removed_at) == (text, by.pk, None):
            return newest
        note = Note(application=draft.application, **target.columns)
        work.save(note, "note", text=text, label=(label_of(draft, target) or "")[:MAX_LABEL])
        return note


def remove_note(draft: Draft, note_id: int, *, by: AbstractBaseUser) -> bool:
    """Remove the agent's own note. Returns False where there is none."""
    with review_transaction(draft, by=by, version=None, states=_SUBMITTED, begins=False) as work:
        note = Note.objects.filter(application=draft.application, pk=note_id, by=by.pk, removed_at=None).first()
        if note is None:
            return False
        work.save(note, "remove_note", removed_at=timezone.now())
        return True
