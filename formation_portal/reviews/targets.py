"""What a check, query or note is about, as pages and tables name it, and what the form calls it at present."""

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
    """What a target can be."""

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
        """One answer of a section, party or share class."""
        return cls(TargetKind.FIELD, holder, _index_name(name))

    @classmethod
    def of_document(cls, holder: str, slot: str) -> "Target":
        """One document of a party, or of the entity itself."""
        return cls(TargetKind.DOCUMENT, holder, _index_name(slot))

    @classmethod
    def parse(cls, text: str) -> "Target | None":
        """The target that a control names; None where it names none."""
        parts = text.split(":")
        if len(parts) != len(("kind", "holder", "name")) or parts[0] not in TargetKind.values:
            return None
        return cls(TargetKind(parts[0]), unquote(parts[1]), unquote(parts[2]))

    @property
    def columns(self) -> dict[str, Any]:
        """As the tables keep it, each part by its column."""
        return {"kind": self.kind.value, "holder": self.holder, "name": self.name}

    def __str__(self) -> str:
        return ":".join((self.kind.value, quote(self.holder, safe=""), quote(self.name, safe="")))


def _index_name(name: str) -> str:
    """A name that fits into an index, shortened as documents' slots are."""
    return document_subject(None, name).removeprefix("/")


WHOLE_APPLICATION = Target(TargetKind.APPLICATION)
SCREENING = "screening"


def label_of(draft: Draft, target: Target) -> str | None:
    """What the form calls a target; None where the application has no such target."""
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
            return next((one.name for one in slots if Target.of_document(target.holder, one.name) == target), None)
    spec = field_at(draft, target)
    return spec.label if spec else None


def holder_name(draft: Draft, target: Target) -> str:
    """The name of the party or class that it belongs to; nothing for what is the application's own, or gone."""
    party = draft.party(target.holder) if target.holder else None
    share_class = draft.share_class(target.holder) if target.holder else None
    return party.label if party else share_class.label if share_class else ""


def field_at(draft: Draft, target: Target) -> FieldSpec | None:
    """The question that a target is; None for any other."""
    if target.kind is not TargetKind.FIELD:
        return None
    questions, section = draft.schema.cached(_Questions), draft.schema.section(target.holder)
    if section is not None:
        return questions.of_section(section).get(target.name) if section.is_entity else None
    if (party := draft.party(target.holder)) is not None:
        return questions.of_party(party.kind, tuple(party.roles)).get(target.name)
    return questions.of_share_class.get(target.name) if draft.share_class(target.holder) is not None else None


class _Questions:
    """The schema's questions by the names that targets give them; of several of one name the first."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._known: dict[tuple[str, ...], dict[str, FieldSpec]] = {}

    def of_section(self, section: Section) -> dict[str, FieldSpec]:
        """Those of a section about the entity."""
        return self._by_name(("section", section.key), section.fields)

    def of_party(self, kind: str, roles: tuple[str, ...]) -> dict[str, FieldSpec]:
        """Those that a party of the kind is asked in its roles."""
        return self._by_name(("party", kind, *roles), self._schema.fields_of(kind, roles))

    @cached_property
    def of_share_class(self) -> dict[str, FieldSpec]:
        """Those about a class of shares."""
        return self._by_name(("share_class",), self._schema.share_class_fields)

    def _by_name(self, whose: tuple[str, ...], fields: Iterable[FieldSpec]) -> dict[str, FieldSpec]:
        if whose not in self._known:
            self._known[whose] = {_index_name(spec.name): spec for spec in reversed(tuple(fields))}
        return self._known[whose]
