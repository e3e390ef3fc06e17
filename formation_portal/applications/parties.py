"""The parties and share classes of a draft, as stored and as evaluated, and the questions that name a party."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical, record
from formation_portal.contract.fields import default_fields
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.schema import FormSchema

from .models import Document, Holding, Party, ShareClass

_NAMELESS = {
    "person": gettext_noop("Unnamed person"),
    "corporate": gettext_noop("Unnamed company"),
    "foundation": gettext_noop("Unnamed foundation"),
}


@dataclass(frozen=True, slots=True)
class PartyRow:
    """A party as stored and as evaluated."""

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
        """Whether it is a natural person."""
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
        """Its name, or what it is where it has none."""
        return self.record.label or gettext(_NAMELESS.get(self.kind, gettext_noop("Somebody without a name")))


@dataclass(frozen=True, slots=True)
class ShareClassRow:
    """A class of shares as stored and as evaluated."""

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
        """Its name, or what it is where it has none."""
        return self.record.label or gettext("Unnamed share class")


@dataclass(frozen=True, slots=True)
class References:
    """What refers to a party or share class: removed with it, or to be answered again."""

    holdings: tuple[Holding, ...] = ()
    documents: tuple[Document, ...] = ()
    # Answers that name a share class: the party's or class's label (empty for the entity), and the question.
    answers: tuple[tuple[str, FieldSpec], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.holdings or self.documents or self.answers)


def name_fields(schema: FormSchema, kind: str) -> tuple[FieldSpec, ...]:
    """The questions that hold a party's name, whichever role asks them: those of the form first, then general ones."""
    asked = (spec for section in schema.role_sections for spec in section.groups[kind])
    general = default_fields.PERSON_FIELDS if canonical.is_person(kind) else default_fields.COMPANY_FIELDS
    named = {spec.name: spec for spec in (*asked, *general) if canonical.is_name(spec.canonical_field)}
    return tuple(named.values())


class NameFields:
    """The questions that name a party of some kind and roles. Found once a schema: every list of parties asks."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._known: dict[tuple[str, ...], tuple[FieldSpec, ...]] = {}

    def of(self, kind: str, roles: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        """Those of its roles; without a role those that any would ask."""
        known = (kind, *roles)
        if known not in self._known:
            asked = self._schema.fields_of(kind, roles) or name_fields(self._schema, kind)
            self._known[known] = tuple(spec for spec in asked if canonical.is_name(spec.canonical_field))
        return self._known[known]


def name_answers(schema: FormSchema, kind: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The answers that give a party its name, from the properties `first_name` and `last_name`, or `name`.

    They are stored under the fields that a role would ask later.
    """
    raw: dict[str, str] = {}
    for name, text in properties.items():
        fields = name_fields(schema, kind)
        spec = next(one for one in fields if canonical.property_of(one.canonical_field or "") == name)
        raw[spec.name] = text
    return raw


def label_as_typed(fields: Iterable[FieldSpec], raw: Mapping[str, Any]) -> str:
    """The holder's name as typed, also where it cannot be parsed yet."""
    named = {
        canonical.property_of(spec.canonical_field): clean_line(raw[spec.name])
        for spec in fields
        if spec.canonical_field and isinstance(raw.get(spec.name), str) and not is_blank(raw[spec.name])
    }
    return canonical.label_of(named)
