"""Name the targets of checks, queries and notes, as pages and tables do, and find the form's labels for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from django.db import models

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.schema import FormSchema, Section


class TargetKind(models.TextChoices):
    FIELD = "field", "Answer"
    DOCUMENT = "document", "Document"
    PARTY = "party", "Party"
    SECTION = "section", "Section"
    APPLICATION = "application", "Application"


@dataclass(frozen=True, slots=True)
class Target:
    """`holder` is a section's key or a party's or class's token, `name` a field's name or a document's slot.

    A document of the entity itself and the whole application have no holder; parties and sections have no name, but
    for a party's screening checks (SCREENING).
    """

    kind: TargetKind
    holder: str = ""
    name: str = ""

    @classmethod
    def of_field(cls, holder: str, name: str) -> "Target":
        return cls(TargetKind.FIELD, holder, _index_name(name))

    @classmethod
    def of_document(cls, holder: str, slot: str) -> "Target":
        return cls(TargetKind.DOCUMENT, holder, _index_name(slot))

    @classmethod
    def parse(cls, text: str) -> "Target | None":
        """Parse the target in a form. None where the text names none."""
        kind, *names = text.split(":")
        if len(names) != 2 or kind not in TargetKind.values:
            return None
        return cls(TargetKind(kind), unquote(names[0]), unquote(names[1]))

    @property
    def columns(self) -> dict[str, Any]:
        """Return the values of the columns that store the target."""
        return {"kind": self.kind.value, "holder": self.holder, "name": self.name}

    def __str__(self) -> str:
        return ":".join((self.kind.value, quote(self.holder, safe=""), quote(self.name, safe="")))


def _index_name(name: str) -> str:
    """Shorten a name as documents' slots are, so that it fits into an index."""
    return document_subject(None, name).removeprefix("/")


WHOLE_APPLICATION = Target(TargetKind.APPLICATION)
SCREENING = "screening"


def label_of(draft: Draft, target: Target) -> str | None:
    """Return what the form calls a target; None where the application has no such target."""
    match target.kind:
        case TargetKind.APPLICATION:
            return "" if target == WHOLE_APPLICATION else None
        case TargetKind.SECTION:
            section = draft.schema.section(target.holder)
            return section.title if section else None
        case TargetKind.PARTY:
            party = draft.party(target.holder)
            return party.label if party else None
        case TargetKind.DOCUMENT:
            party = draft.party(target.holder) if target.holder else None
            if target.holder and party is None:
                return None
            slots = draft.form_state.slots(party.record if party else None)
            for slot in slots:
                if Target.of_document(target.holder, slot.name) == target:
                    return slot.name
            return None
    spec = field_at(draft, target)
    return spec.label if spec else None


def holder_name(draft: Draft, target: Target) -> str:
    """Return the name of the party or class that a target belongs to; "" for the application's own and removed ones."""
    holder = draft.party(target.holder) or draft.share_class(target.holder)
    return holder.label if holder else ""


def field_at(draft: Draft, target: Target) -> FieldSpec | None:
    """Return the question that a target is about; None for any other target."""
    if target.kind is not TargetKind.FIELD:
        return None
    questions = draft.schema.cached(_Questions)
    section = draft.schema.section(target.holder)
    if section is not None:
        return questions.of_section(section).get(target.name) if section.is_entity else None
    party = draft.party(target.holder)
    if party is not None:
        return questions.of_party(party.kind, tuple(party.roles)).get(target.name)
    return questions.of_share_class.get(target.name) if draft.share_class(target.holder) is not None else None


class _Questions:
    """Find the schema's questions by the names in targets; of several of one name the first."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._questions: dict[tuple[str, ...], dict[str, FieldSpec]] = {}

    def of_section(self, section: Section) -> dict[str, FieldSpec]:
        return self._by_name(("section", section.key), section.fields)

    def of_party(self, kind: str, roles: tuple[str, ...]) -> dict[str, FieldSpec]:
        return self._by_name(("party", kind, *roles), self._schema.fields_of(kind, roles))

    @cached_property
    def of_share_class(self) -> dict[str, FieldSpec]:
        return self._by_name(("share_class",), self._schema.share_class_fields)

    def _by_name(self, key: tuple[str, ...], fields: Iterable[FieldSpec]) -> dict[str, FieldSpec]:
        if key not in self._questions:
            self._questions[key] = {_index_name(spec.name): spec for spec in reversed(tuple(fields))}
        return self._questions[key]
