"""Save the answers of a section, party or share class; undo a choice."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from formation_portal.contract.fields.base import FieldSpec, fields_by_name
from formation_portal.contract.inactive_answers import answers_in_rules
from formation_portal.contract.schema import Section

from ..access import Author
from ..draft import Draft
from ..fields import changed_answers, without_blanks
from ..models import Change
from .exceptions import Gone, LockedByReview, Overtaken
from .parties import save_party
from .shares import save_share_class
from .transactions import PageVersion, SaveResult, answer_changes, application_transaction


def save_answers(
    draft: Draft,
    holder: str,
    raw: Mapping[str, Any],
    *,
    version: int,
    by: Author,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Save posted answers. `holder` is a section's key, or a party's or share class's token. Raises Gone, Closed."""
    if section := draft.schema.section(holder):
        return save_section(draft, section, raw, version=version, by=by, page_version=page_version)
    if party := draft.party(holder):
        return save_party(draft, party, raw, version=version, by=by, page_version=page_version)
    if share_class := draft.share_class(holder):
        return save_share_class(draft, share_class, raw, version=version, by=by, page_version=page_version)
    raise Gone(gettext("This question is no longer asked"))


def save_section(
    draft: Draft,
    section: Section,
    raw: Mapping[str, Any],
    *,
    version: int,
    by: Author,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Save the posted answers of a section exactly as typed, also invalid and inactive ones. Raises Closed."""
    fields = section.fields_by_name
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        stored = draft.raw(section)
        locked = journal.locks.answers_of("")
        changed = journal.merge(
            stored,
            journal.accept(fields, raw, where=section.key, stored=stored, locked=locked),
            version=version,
            current=draft.version(section.key),
            holders=[section.key for section in draft.schema.entity_sections],
            page_fields=fields,
        )
        # Each answer belongs to the row of the first section that asks it.
        by_section: dict[str, dict[str, Any]] = {}
        for name, answer in changed.items():
            by_section.setdefault(draft.home_section(name), {})[name] = answer
        for key, answers in by_section.items():
            row = draft.section_row(key)
            row.raw = without_blanks(row.raw | answers)
            row.version += 1
            row.save()
        if changed:
            changes = answer_changes(fields, stored, changed)
            journal.note("Changed “{section}”", holder=section.key, changes=changes, section=section.original.title)
    return journal.result()


def restorable_choices(draft: Draft, change: Change) -> dict[str, str]:
    """Return the labels, by name, of the changed answers that decide what is asked; {} if their holder was removed."""
    schema = draft.schema
    decisive = answers_in_rules(schema)
    changed = [line["field"] for line in change.changes if line["field"] in decisive]
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


def restore_choices(draft: Draft, change: Change, *, by: Author) -> SaveResult:
    """Undo the `restorable_choices` of a change; no-op if that was done. Raises Overtaken, Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        labels = restorable_choices(draft, change)
        if not labels:
            raise Gone(gettext("This question is no longer asked"))
        before = {line["field"]: line["before"] for line in change.changes if line["field"] in labels}
        after = {line["field"]: line["after"] for line in change.changes if line["field"] in labels}
        stored, version = _answers_and_version(draft, change.holder)
        returning = changed_answers(stored, before)
        if not returning:
            return SaveResult()
        if overtaken := changed_answers(stored, after):
            raise Overtaken([labels[name] for name in overtaken])
        locked = journal.locks.answers_of("" if draft.schema.section(change.holder) else change.holder)
        if not locked.isdisjoint(returning):
            raise LockedByReview
        # The person who undoes a choice has seen its present answer, whatever else was saved since.
        return save_answers(draft, change.holder, before, version=version, by=by)


def _answers_and_version(draft: Draft, holder: str) -> tuple[Mapping[str, Any], int]:
    if section := draft.schema.section(holder):
        return draft.raw(section), draft.version(holder)
    row = draft.party(holder) or draft.share_class(holder)
    return (row.raw, row.version) if row else ({}, 0)
