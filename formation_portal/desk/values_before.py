"""What stood where something was changed: since it was accepted, or else since it was asked about."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import ROLES
from formation_portal.reviews.checklist import Fact, HolderChecklist
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.readback import answer_in_words, share_class_choices
from formation_portal.ui.roles import role_words

# What stood there where nothing was answered.
NOT_ANSWERED = "Not answered"


def values_before(draft: Draft, party: PartyRow, sheet: HolderChecklist) -> Mapping[Target, str]:
    """The earlier value of each fact of a party that has changed, in words. One query, or none where nothing has."""
    since = {fact.target: at for fact in sheet.facts if (at := _looked_at(fact)) is not None}
    if not since:
        return {}
    told = {**dict(_answers(draft, party, since)), **dict(_files(draft, party, sheet, since))}
    now = {fact.target: fact.value for fact in sheet.facts}
    return {place: words for place, words in told.items() if words != now[place]}


def _looked_at(fact: Fact) -> datetime | None:
    """When an agent last said something of what stood there; None where nothing is to be compared."""
    check, remark = fact.check, fact.query
    if check is not None and check.digest:
        return check.at if check.digest != fact.digest else None
    return remark.sent_at if remark is not None else None


def _answers(draft: Draft, party: PartyRow, since: Mapping[Target, datetime]) -> Iterator[tuple[Target, str]]:
    entries = draft.application.changes.filter(holder=party.token, at__gte=min(since.values()))
    # The newest first, so that of several changes the oldest is said last, and stays.
    for entry in entries:
        for change in entry.changes:
            place = _place(party, change["field"])
            if place in since and entry.at >= since[place]:
                yield place, _in_words(draft, party, change)


def _place(party: PartyRow, name: str) -> Target:
    return Target(TargetKind.PARTY, party.token) if name == ROLES else Target.of_field(party.token, name)


def _in_words(draft: Draft, party: PartyRow, change: Mapping[str, Any]) -> str:
    before = change["before"]
    if change["field"] == ROLES:
        return role_words(before or ())
    spec = next((one for one in draft.schema.fields_of(party.kind, party.roles) if one.name == change["field"]), None)
    words = answer_in_words(spec, before, share_class_choices(draft)) if spec else ""
    return words or NOT_ANSWERED


def _files(
    draft: Draft, party: PartyRow, sheet: HolderChecklist, since: Mapping[Target, datetime]
) -> Iterator[tuple[Target, str]]:
    for fact in sheet.facts:
        if fact.document is not None and fact.target in since:
            earlier = draft.replaced_in(party, fact.document.slot)
            there = next((one for one in earlier if _was_there(one, since[fact.target])), None)
            if there is not None:
                yield fact.target, f"{there.name} ({file_facts(there)})"


def _was_there(document: Document, at: datetime) -> bool:
    return document.uploaded_at <= at and document.replaced_at is not None and document.replaced_at > at
