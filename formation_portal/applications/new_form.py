"""An open draft under another version of its form: how it would read, and which answers would no longer count. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formation_portal.contract.answers import Answers
from formation_portal.contract.language import say
from formation_portal.contract.schema import FormSchema

from .drafts import Draft
from .rows import PartyRow


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """An answer that doesn't count under the other form: not asked there, or to be answered again."""

    holder: str
    label: str
    is_asked: bool


def under(draft: Draft, schema: FormSchema) -> Draft:
    """The same answers, read by another form; nothing is written."""
    other = Draft(draft.application, schema=schema, today=draft.today)
    other.sections = draft.sections
    other.party_models = draft.party_models
    other.share_class_models = draft.share_class_models
    other.holdings = draft.holdings
    other.documents = draft.documents
    return other


def lost_answers(draft: Draft, schema: FormSchema) -> tuple[LostAnswer, ...]:
    """Every answer that can be read now and doesn't count under the other form. Costs no query."""
    return tuple(_lost(draft, under(draft, schema)))


def _lost(draft: Draft, other: Draft) -> Iterator[LostAnswer]:
    yield from _between(draft.title, draft.schema.entity_fields, draft.record.answers, other.record.answers)
    for before, after in zip(draft.parties, other.parties, strict=True):
        fields = draft.schema.fields_of(before.kind, before.roles)
        yield from _between(before.label, fields, before.record.answers, after.record.answers)
        yield from _lost_roles(other.schema, before)
    for held, then in zip(draft.share_classes, other.share_classes, strict=True):
        yield from _between(held.label, draft.schema.share_class_fields, held.record.answers, then.record.answers)


def _between(holder: str, fields: Any, before: Answers, after: Answers) -> Iterator[LostAnswer]:
    labels = {spec.name: spec.label for spec in fields}
    for name in before.values:
        if name not in after.values:
            yield LostAnswer(holder, labels[name], is_asked=name in after.problems)


def _lost_roles(schema: FormSchema, row: PartyRow) -> Iterator[LostAnswer]:
    known = {section.role for section in schema.role_sections}
    for role in row.roles:
        if role not in known:
            yield LostAnswer(row.label, say("Role: {role}", role=role), is_asked=False)
