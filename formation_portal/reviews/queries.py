"""Draft, change, delete and resolve queries to the customer, and keep notes for colleagues."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.bounds import Objection
from formation_portal.contract.fields.values import Problem
from formation_portal.contract.lifecycle import State
from formation_portal.contract.record import Answers, validate

from .models import MAX_LABEL, Note, Query, QueryReason
from .targets import Target, field_at, label_of
from .transactions import ReviewRefused, ReviewVersion, ReviewWork, cleaned_text, review_transaction

# Even a closed case takes notes.
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
    """Draft a query about a target, or change its drafted query. An earlier query that was sent about the target stays
    open until the draft is sent.

    `proposal` is an answer as typed. Raises ReviewChanged, ReviewRefused and Closed.
    """
    label = label_of(draft, target)
    if label is None:
        raise ReviewRefused("This is no longer part of the application.")
    text = cleaned_text(text, "text", if_missing="Enter what needs to change.")
    if reason not in QueryReason.values:
        raise ReviewRefused("Select a reason.", field="reason")
    if proposal is not None:
        _validate_proposal(draft, target, proposal)
    with review_transaction(draft, by=by, version=version) as work:
        query = draft_at(draft, target) or Query(application=draft.application, **target.columns)
        newer = Query.objects.filter(application=draft.application, version__gt=work.seen.version, **target.columns)
        if newer.exclude(by=by.pk).exists():
            raise work.outdated_error()
        work.save(query, "ask", label=label[:MAX_LABEL], reason=reason, text=text, proposal=proposal)
        return query


def delete_draft(draft: Draft, query_id: int, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Delete a drafted query. Returns False if there is none. Raises ReviewChanged and Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        drafts = _open_queries(draft).filter(pk=query_id, sent_at=None)
        return work.save_first(drafts, "drop", dropped_at=timezone.now())


def resolve(draft: Draft, query_id: int, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Resolve a query that was sent. Returns False if none is open. Raises ReviewChanged and Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        sent = _open_queries(draft).filter(pk=query_id).exclude(sent_at=None)
        return work.save_first(sent, "settle", settled_at=timezone.now())


def resolve_within(work: ReviewWork, query: Query) -> None:
    work.save(query, "settle", settled_at=timezone.now())


def send_drafts(work: ReviewWork) -> list[Query]:
    """Mark all drafted queries as sent, and return them. Resolves earlier queries about the same targets."""
    queries = list(_open_queries(work.draft))
    drafts = [query for query in queries if query.is_draft]
    drafted_targets = {query.target for query in drafts}
    for query in queries:
        if query.is_draft:
            work.save(query, "send", sent_at=timezone.now(), round=work.draft.application.submissions)
        elif query.target in drafted_targets:
            resolve_within(work, query)
    return drafts


def _validate_proposal(draft: Draft, target: Target, proposal: Any) -> None:
    spec = field_at(draft, target)
    if spec is None or spec.provided_by_agent or spec.refers_to_share_class:
        raise ReviewRefused("You cannot propose an answer here.", field="proposal")
    answers = validate((spec,), {spec.name: proposal})
    if problem := answers.problems.get(spec.name):
        raise ReviewRefused(problem.message, field="proposal")
    if spec.name not in answers.values:
        raise ReviewRefused("Enter the answer you propose, or remove it.", field="proposal")
    # A valid answer may still be impossible (INTERFACE.md, "Bounds").
    objection: Objection | Problem | None
    if row := draft.party(target.holder):
        party = replace(row.record, answers=Answers({**row.record.answers.values, **answers.values}))
        objection = draft.form_state.impossible_answers(party).get(spec.name)
    else:
        objection = spec.bounds.objection(answers.values[spec.name], spec, draft.days)
    if objection:
        raise ReviewRefused(objection.message, field="proposal")


def _open_queries(draft: Draft) -> QuerySet[Query]:
    return Query.objects.filter(application=draft.application, dropped_at=None, settled_at=None)


def draft_at(draft: Draft, target: Target) -> Query | None:
    return _open_queries(draft).filter(sent_at=None, **target.columns).first()


def write_note(draft: Draft, target: Target, *, text: str, by: AbstractBaseUser) -> Note:
    """Write a note, or return an equal newest note, as when a form arrives twice. Raises ReviewRefused and Closed."""
    text = cleaned_text(text, "note", if_missing="Enter a note.")
    with review_transaction(draft, by=by, version=None, states=_SUBMITTED, begins=False) as work:
        newest = Note.objects.filter(application=draft.application, **target.columns).first()
        if newest is not None and (newest.text, newest.by_id, newest.removed_at) == (text, by.pk, None):
            return newest
        note = Note(application=draft.application, **target.columns)
        work.save(note, "note", text=text, label=(label_of(draft, target) or "")[:MAX_LABEL])
        return note


def remove_note(draft: Draft, note_id: int, *, by: AbstractBaseUser) -> bool:
    """Remove the agent's own note. Returns False if there is none."""
    with review_transaction(draft, by=by, version=None, states=_SUBMITTED, begins=False) as work:
        own = Note.objects.filter(application=draft.application, pk=note_id, by=by.pk, removed_at=None)
        return work.save_first(own, "remove_note", removed_at=timezone.now())
