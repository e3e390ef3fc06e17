"""Taking a choice back: the answer stands again exactly as it was typed before one change."""

from collections.abc import Iterable, Mapping
from typing import Any

from formation_portal.contract.field import FieldSpec
from formation_portal.contract.language import say
from formation_portal.contract.parking import choices

from ..answers import differing
from ..drafts import Draft
from ..models import Change
from .authors import Author
from .parties import save_party
from .refusals import Accepted, Gone, Overtaken
from .sections import save_section
from .shares import save_share_class
from .writing import writing


def choices_of(draft: Draft, change: Change) -> dict[str, str]:
    """The answers of a change that rules read, with their labels; none where their holder is gone."""
    names = {spec.name for spec in _fields(draft, change.holder)} & choices(draft.schema)
    return {one["field"]: str(one["label"]) for one in change.changes if one["field"] in names}


def restore_choices(draft: Draft, change: Change, *, by: Author) -> None:
    """Answer the choices of the change as before it; what else it changed stays.

    Raises Overtaken where one of them was answered again since; Gone, Closed. Twice is the same as once.
    """
    with writing(draft, by=by) as journal:
        labels = choices_of(draft, change)
        if not labels:
            raise Gone(say("This question is no longer asked"))
        before = {one["field"]: one["before"] for one in change.changes if one["field"] in labels}
        after = {one["field"]: one["after"] for one in change.changes if one["field"] in labels}
        stands = _raw(draft, change.holder)
        if not differing(stands, before):
            return
        if overtaken := differing(stands, after):
            raise Overtaken([labels[name] for name in overtaken])
        holder = "" if draft.schema.section(change.holder) else change.holder
        if journal.locks.of(holder) & set(differing(stands, before)):
            raise Accepted
        _save(draft, change.holder, before, by)


def _fields(draft: Draft, holder: str) -> Iterable[FieldSpec]:
    if section := draft.schema.section(holder):
        return section.fields if section.is_entity else ()
    if party := draft.party(holder):
        return draft.schema.fields_of(party.kind, party.roles)
    return draft.schema.share_class_fields if draft.share_class(holder) else ()


def _raw(draft: Draft, holder: str) -> Mapping[str, Any]:
    if section := draft.schema.section(holder):
        return draft.raw(section)
    row = draft.party(holder) or draft.share_class(holder)
    return row.raw if row else {}


def _save(draft: Draft, holder: str, raw: Mapping[str, Any], by: Author) -> None:
    # Whoever presses Undo has seen this very answer, whatever else was saved since.
    if section := draft.schema.section(holder):
        save_section(draft, section, raw, version=draft.version(holder), by=by)
    elif party := draft.party(holder):
        save_party(draft, party, raw, version=party.version, by=by)
    elif share_class := draft.share_class(holder):
        save_share_class(draft, share_class, raw, version=share_class.version, by=by)
