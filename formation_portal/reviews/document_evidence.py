"""Note which page of a party's documents proves a fact, and in one line what it says."""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from formation_portal.applications.documents import findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document

from .checklist import load_checklist
from .models import MAX_LABEL, Evidence
from .targets import Target
from .transactions import ReviewRefused, ReviewVersion, review_transaction


def evidence_of_party(draft: Draft, token: str) -> Mapping[Target, Evidence]:
    rows = Evidence.objects.filter(application=draft.application, holder=token, removed_at=None)
    return {row.target: row for row in rows.select_related("by")}


def prove(
    draft: Draft,
    target: Target,
    document: Document | None,
    page: int,
    *,
    text: str,
    by: AbstractBaseUser,
    version: ReviewVersion,
) -> Evidence:
    """Note that a page of a document proves a fact of the same party, and what the page says; replace an earlier note.
    Raises ReviewRefused, ReviewChanged and Closed."""
    line = " ".join(text.replace("\x00", " ").split())
    if len(line) > MAX_LABEL:
        raise ReviewRefused(f"Use {MAX_LABEL:,} characters or fewer.", field="says")
    with review_transaction(draft, by=by, version=version) as work:
        fact = load_checklist(draft).at(target)
        if fact is None:
            raise ReviewRefused("This is no longer part of the application.")
        if document is None or document.party is None or document.party.token != target.holder:
            raise ReviewRefused("This document was removed or replaced.")
        if not 1 <= page <= (findings_of(document).pages or 1):
            raise ReviewRefused("This document has no such page.")
        work.save_first(_evidence_at(draft, target), "unprove", removed_at=timezone.now())
        evidence = Evidence(application=draft.application, slot=document.slot, page=page, **target.columns)
        work.save(evidence, "prove", label=fact.label[:MAX_LABEL], sha256=document.sha256, text=line)
        return evidence


def remove_evidence(draft: Draft, target: Target, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Remove the evidence of a fact. Returns False if there is none. Raises as `prove`."""
    with review_transaction(draft, by=by, version=version) as work:
        return work.save_first(_evidence_at(draft, target), "unprove", removed_at=timezone.now())


def _evidence_at(draft: Draft, target: Target) -> QuerySet[Evidence]:
    return Evidence.objects.filter(application=draft.application, removed_at=None, **target.columns)
