"""Accepting facts, and taking that back."""

from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.applications.draft import Draft

from .changes_since import ReviewVersion
from .checklist import Checklist, Fact, load_checklist
from .exceptions import ReviewRefused
from .models import MAX_LABEL, Check, Query
from .opened_documents import require_opened
from .queries import resolve_within
from .targets import Target, TargetKind
from .transactions import ReviewWork, review_transaction


def accept(
    draft: Draft,
    targets: Collection[Target],
    *,
    by: AbstractBaseUser,
    version: ReviewVersion,
    acknowledged: Collection[int] | None = None,
) -> int:
    """Accept facts as they stand and resolve the queries that were sent about them; how many were not accepted
    before.

    Raises ReviewChanged where others have asked about one of them, or undone its acceptance, since the page was
    drawn; ReviewRefused where this agent has drafted a query about one; DocumentsNotOpened where this agent has not
    opened a document that is not among the `acknowledged` ones (None: this is not checked); Closed. Then nothing is
    accepted.
    """
    with review_transaction(draft, by=by, version=version) as work:
        facts = load_checklist(draft)
        chosen = [fact for fact in facts if fact.target in set(targets)]
        _refuse_if_changed(work, facts, chosen)
        require_opened(draft, [fact for fact in chosen if not fact.is_done], acknowledged, by=by)
        for fact in chosen:
            for query in _queries_answered_by(facts, fact):
                resolve_within(work, query)
            if not fact.is_done:
                _store_check(work, fact, fact.digest)
        return sum(what == "accept" for what, _ in work.done)


def reopen(draft: Draft, target: Target, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Undo the acceptance of a fact; False where there is none. Raises ReviewChanged where somebody else has
    accepted it since the page was drawn; Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        fact = load_checklist(draft).at(target)
        if fact is None or fact.check is None or not fact.check.digest:
            return False
        if work.is_changed_by_others(fact.check):
            raise work.outdated_error()
        _store_check(work, fact, "")
        return True


def _refuse_if_changed(work: ReviewWork, facts: Checklist, chosen: Collection[Fact]) -> None:
    for fact in chosen:
        asked = _queries_answered_by(facts, fact)
        touched = [row for row in (fact.check, *asked) if row is not None and work.is_changed_by_others(row)]
        # Whoever accepts what others have accepted meanwhile agrees with them.
        if touched and not fact.is_done:
            raise work.outdated_error()
        if any(query.is_draft for query in asked):
            raise ReviewRefused(f"There is a draft query about {fact.label}. Send or delete it first.")


def _queries_answered_by(facts: Checklist, fact: Fact) -> list[Query]:
    """The open queries that accepting a fact answers: those about its target, for a section also about its answers."""
    target = fact.target
    is_within = target.kind is TargetKind.SECTION
    return [one for one in facts.queries if one.target == target or (is_within and one.holder == target.holder)]


def _store_check(work: ReviewWork, fact: Fact, digest: str) -> None:
    kept = work.authorship | {"label": fact.label[:MAX_LABEL], "digest": digest}
    application = work.draft.application
    check, _ = Check.objects.update_or_create(application=application, **fact.target.columns, defaults=kept)
    work.note_done("accept" if digest else "reopen", check)
