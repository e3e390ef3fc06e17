"""Save a section about the entity, and undo a choice."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from formation_portal.contract.fields.base import FieldSpec, fields_by_name
from formation_portal.contract.inactive_answers import answers_in_rules
from formation_portal.contract.schema import Section

from ..access import Author
from ..draft import Draft
from ..fields import changed_names, with_answers
from ..models import Change
from .exceptions import Gone, LockedByReview, Overtaken
from .parties import save_party
from .shares import save_share_class
from .transactions import (
    KeptTheirs,
    PageVersion,
    answer_changes,
    application_transaction,
    asked_answers,
    compare_versions,
    unlocked_answers,
)


def save_section(
    draft: Draft,
    section: Section,
    raw: Mapping[str, Any],
    *,
    version: int,
    by: Author,
    page_version: PageVersion | None = None,
) -> KeptTheirs:
    """Save the posted answers of a section exactly as typed, also invalid and inactive ones.

    Answers that were not posted stay, and so do those that others have changed since `version` and this page has not;
    the names of the latter are returned. Raises Stale about answers that both have changed, once the others are saved;
    Closed.
    """
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        stored = draft.raw(section)
        asked = asked_answers(draft, section.fields_by_name, raw, by=by, where=section.key, stored=stored)
        posted = unlocked_answers(draft, journal, section.fields_by_name, asked, stored=stored)
        merge = compare_versions(
            draft.application,
            version=version,
            current=draft.version(section.key),
            stored=stored,
            posted=posted,
            holders=[one.key for one in draft.schema.entity_sections],
            page_version=page_version,
            asked=section.fields_by_name,
        )
        if merge.names:
            _store_answers(draft, {name: posted[name] for name in merge.names})
            journal.note(
                "Changed “{section}”",
                holder=section.key,
                changes=answer_changes(section.fields_by_name, merge.names, stored, posted),
                section=section.title,
            )
    return merge.result()


def _store_answers(draft: Draft, answers: Mapping[str, Any]) -> None:
    """Store each answer in the row of the section that it belongs to."""
    for key in dict.fromkeys(map(draft.home_section, answers)):
        row = draft.section_row(key)
        row.raw = with_answers(row.raw, {name: raw for name, raw in answers.items() if draft.home_section(name) == key})
        row.version += 1
        row.save()


def restorable_choices(draft: Draft, change: Change) -> dict[str, str]:
    """The answers of a change that decide what is asked, with their labels; none where their holder is removed."""
    schema = draft.schema
    decisive = answers_in_rules(schema)
    changed = [one["field"] for one in change.changes if one["field"] in decisive]
    if not changed:
        return {}
    fields: Mapping[str, FieldSpec] = {}
    if section := schema.section(change.holder):
        fields = section.fields_by_name if section.is_entity else {}
    elif party := draft.party(change.holder):
        fields = fields_by_name(schema.fields_of(party.kind, party.roles))
    elif draft.share_class(change.holder):
        fields = fields_by_name(schema.share_class_fields)
    return {name: fields[name].label for name in changed if name in fields}


def restore_choices(draft: Draft, change: Change, *, by: Author) -> None:
    """Set the choices of a change back to what they were before it; what else it changed stays. Idempotent.

    Raises Overtaken where one of them was answered again since; Gone, Closed.
    """
    with application_transaction(draft, by=by) as journal:
        labels = restorable_choices(draft, change)
        if not labels:
            raise Gone(gettext("This question is no longer asked"))
        before = {one["field"]: one["before"] for one in change.changes if one["field"] in labels}
        after = {one["field"]: one["after"] for one in change.changes if one["field"] in labels}
        section = draft.schema.section(change.holder)
        party, share_class = draft.party(change.holder), draft.share_class(change.holder)
        row = party or share_class
        current = draft.raw(section) if section else row.raw if row else {}
        if not changed_names(current, before):
            return
        if overtaken := changed_names(current, after):
            raise Overtaken([labels[name] for name in overtaken])
        if journal.locks.answers_of("" if section else change.holder) & set(changed_names(current, before)):
            raise LockedByReview
        # Who presses Undo has seen this answer, whatever else was saved since.
        if section:
            save_section(draft, section, before, version=draft.version(change.holder), by=by)
        elif party:
            save_party(draft, party, before, version=party.version, by=by)
        elif share_class:
            save_share_class(draft, share_class, before, version=share_class.version, by=by)
