"""Where a party's documents prove its facts: the page, and in one line what it says. Agents note it for each other."""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.documents import findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document

from .checklist import load_checklist
from .models import MAX_LABEL, Evidence
from .targets import Target
from .transactions import ReviewRefused, ReviewVersion, review_transaction


def evidence_of_party(draft: Draft, token: str) -> Mapping[Target, Evidence]:
    """What is noted of a party, by fact: one query."""
    found = Evidence.objects.filter(application=draft.application, holder=token, removed_at=None)
    return {one.target: one for one in found.select_related("by")}


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
    """Note that this page of a document of the fact's party proves the fact, and what it says; what was noted there
    before is removed by it.

    Raises ReviewRefused where there is no such fact, document or page, or the text is too long; ReviewChanged where
    others have noted something there since the page was drawn; Closed.
    """
    line = " ".join(text.replace("\x00", " ").split())
    if len(line) > MAX_LABEL:
        raise ReviewRefused(f"Use {MAX_LABEL:,} characters or fewer.", field="says")
    with review_transaction(draft, by=by, version=version) as work:
        holder = load_checklist(draft).of_holder(target.holder) if target.holder else None
        fact = next((one for one in holder.facts if one.target == target), None) if holder else None
        if fact is None:
            raise ReviewRefused("This is no longer part of the application.")
        if document is None or document.party is None or document.party.token != target.holder:
            raise ReviewRefused("This document was removed or replaced.")
        if not 1 <= page <= (findings_of(document).pages or 1):
            raise ReviewRefused("This document has no such page.")
        before = evidence_of_party(draft, target.holder).get(target)
        if before is not None:
            if work.is_changed_by_others(before):
                raise work.outdated_error()
            work.save(before, "unprove", removed_at=timezone.now())
        made = Evidence(application=draft.application, **target.columns)
        named = {"label": fact.label[:MAX_LABEL], "slot": document.slot, "sha256": document.sha256}
        work.save(made, "prove", **named, page=page, text=line)
        return made


def remove_evidence(draft: Draft, target: Target, *, by: AbstractBaseUser, version: ReviewVersion) -> bool:
    """Take back what is noted at a fact; False where nothing is. Raises ReviewChanged as `prove` does; Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        found = evidence_of_party(draft, target.holder).get(target)
        if found is None:
            return False
        if work.is_changed_by_others(found):
            raise work.outdated_error()
        work.save(found, "unprove", removed_at=timezone.now())
        return True
