"""What a draft is made of: each party and share class as stored and as judged, and what hangs on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.contract import canonical, implied, record
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.language import noted, say
from formation_portal.contract.schema import FormSchema

from .models import Document, Holding, Party, ShareClass

_NAMELESS = {
    "person": noted("Unnamed person"),
    "corporate": noted("Unnamed company"),
    "foundation": noted("Unnamed foundation"),
}


@dataclass(frozen=True, slots=True)
class PartyRow:
    """A party as stored and as judged."""

    model: Party
    record: record.Party

    @property
    def token(self) -> str:
        return self.model.token

    @property
    def kind(self) -> str:
        return self.model.kind

    @property
    def is_person(self) -> bool:
        """Whether it is a natural person, behind whom nobody stands."""
        return canonical.is_person(self.kind)

    @property
    def is_owned(self) -> bool:
        """Whether it is a company, which has owners."""
        return canonical.is_owned(self.kind)

    @property
    def roles(self) -> tuple[str, ...]:
        return self.record.roles

    @property
    def raw(self) -> Mapping[str, Any]:
        raw: Mapping[str, Any] = self.model.raw
        return raw

    @property
    def version(self) -> int:
        return self.model.version

    @property
    def label(self) -> str:
        """What to call it: its name, else what it is."""
        return self.record.label or say(_NAMELESS.get(self.kind, noted("Somebody without a name")))


@dataclass(frozen=True, slots=True)
class ShareClassRow:
    """A class of shares as stored and as judged."""

    model: ShareClass
    record: record.ShareClass

    @property
    def token(self) -> str:
        return self.model.token

    @property
    def raw(self) -> Mapping[str, Any]:
        raw: Mapping[str, Any] = self.model.raw
        return raw

    @property
    def version(self) -> int:
        return self.model.version

    @property
    def label(self) -> str:
        """What to call it: its name, else what it is."""
        return self.record.label or say("Unnamed share class")


@dataclass(frozen=True, slots=True)
class References:
    """What hangs on a party or share class, and goes or must be mended when it is removed."""

    holdings: tuple[Holding, ...] = ()
    documents: tuple[Document, ...] = ()
    # Answers that name a share class: the party's or class's label (empty for the entity), and the question.
    answers: tuple[tuple[str, FieldSpec], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.holdings or self.documents or self.answers)


def name_fields(schema: FormSchema, kind: str) -> tuple[FieldSpec, ...]:
    """The questions that a name can stand in, whatever role asks them: those of the form first."""
    asked = (spec for section in schema.role_sections for spec in section.groups[kind])
    general = implied.PERSON_FIELDS if canonical.is_person(kind) else implied.COMPANY_FIELDS
    named = {spec.name: spec for spec in (*asked, *general) if canonical.is_name(spec.canonical_field)}
    return tuple(named.values())


def name_answers(schema: FormSchema, kind: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The answers that give a party its name, by the properties `first_name` and `last_name`, or `name`.

    They stand where a role would ask for them later.
    """
    raw: dict[str, str] = {}
    for name, text in properties.items():
        fields = name_fields(schema, kind)
        spec = next(one for one in fields if canonical.property_of(one.canonical_field or "") == name)
        raw[spec.name] = text
    return raw
