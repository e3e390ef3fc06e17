"""Name what a check, query or note is about (its target) for pages and tables, and find its label in the form."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from django.db import models

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.contract.fields.base import FieldSpec


class TargetKind(models.TextChoices):
    FIELD = "field", "Answer"
    DOCUMENT = "document", "Document"
    PARTY = "party", "Party"
    SECTION = "section", "Section"
    APPLICATION = "application", "Application"


@dataclass(frozen=True, slots=True)
class Target:
    """The subject of a check, query or note. `holder` is the key of a section or the token of a party or share class;
    `name` is a field, a document slot, or SCREENING.

    The entity's documents and the whole application have no holder; parties and sections have no name.
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
        """Parse a target that a form posts. None for any other text."""
        kind, *names = text.split(":")
        if len(names) != 2 or kind not in TargetKind.values:
            return None
        return cls(TargetKind(kind), unquote(names[0]), unquote(names[1]))

    @property
    def columns(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "holder": self.holder, "name": self.name}

    def __str__(self) -> str:
        return ":".join((self.kind.value, quote(self.holder, safe=""), quote(self.name, safe="")))


def _index_name(name: str) -> str:
    """Shorten a name to fit into an index, as document slots are shortened."""
    return document_subject(None, name).removeprefix("/")


WHOLE_APPLICATION = Target(TargetKind.APPLICATION)
SCREENING = "screening"


def label_of(draft: Draft, target: Target) -> str | None:
    """Return the form's label of a target; None where the application has no such target."""
    section = draft.schema.section(target.holder)
    party = draft.party(target.holder)
    match target.kind:
        case TargetKind.APPLICATION if target == WHOLE_APPLICATION:
            return ""
        case TargetKind.SECTION if section:
            return section.title
        case TargetKind.PARTY if party:
            return party.label
        case TargetKind.DOCUMENT if party or not target.holder:
            for slot in draft.slots_of(party):
                if Target.of_document(target.holder, slot.name) == target:
                    return slot.name
    spec = field_at(draft, target)
    return spec.label if spec else None


def holder_name(draft: Draft, target: Target) -> str:
    """Return the name of the party or class that a target belongs to; "" for any other or a removed holder."""
    holder = draft.party(target.holder) or draft.share_class(target.holder)
    return holder.label if holder else ""


def field_at(draft: Draft, target: Target) -> FieldSpec | None:
    """Return the question that a target is about (the first of that name); None if it is not about a question."""
    fields: Iterable[FieldSpec] = ()
    section = draft.schema.section(target.holder)
    party = draft.party(target.holder)
    if target.kind is not TargetKind.FIELD:
        return None
    if section is not None and section.is_entity:
        fields = section.fields
    elif party is not None:
        fields = draft.schema.fields_of(party.kind, party.roles)
    elif draft.share_class(target.holder) is not None:
        fields = draft.schema.share_class_fields
    return next((spec for spec in fields if _index_name(spec.name) == target.name), None)
