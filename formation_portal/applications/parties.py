"""The parties and share classes of a draft, as stored and as evaluated, and the questions that name a party."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from formation_portal.contract import canonical, record
from formation_portal.contract.fields import default_fields
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.schema import FormSchema

from .models import Party, ShareClass


class _HolderRow:
    model: Party | ShareClass

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


@dataclass(frozen=True)
class PartyRow(_HolderRow):
    """A party as stored and as evaluated."""

    model: Party
    record: record.Party

    @property
    def kind(self) -> str:
        return self.model.kind

    @property
    def is_person(self) -> bool:
        return self.kind == canonical.PERSON

    @property
    def is_owned(self) -> bool:
        return self.kind == canonical.COMPANY

    @property
    def roles(self) -> tuple[str, ...]:
        return self.record.roles

    @property
    def label(self) -> str:
        return self.record.label or canonical.unnamed_label(self.kind)


@dataclass(frozen=True)
class ShareClassRow(_HolderRow):
    """A class of shares as stored and as evaluated."""

    model: ShareClass
    record: record.ShareClass

    @property
    def label(self) -> str:
        return self.record.label or gettext("Unnamed share class")


def name_fields(schema: FormSchema, kind: str) -> tuple[FieldSpec, ...]:
    """Return the questions for a party's name in any role: the form's own first, then general ones."""
    fields: list[FieldSpec] = []
    for section in schema.role_sections:
        fields += section.groups[kind]
    fields += default_fields.PERSON_FIELDS if kind == canonical.PERSON else default_fields.COMPANY_FIELDS
    return tuple({spec.name: spec for spec in fields if canonical.is_name(spec.canonical_field)}.values())


class NameFields:
    """The questions for parties' names, found once per schema, since every list of parties needs them."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._fields: dict[tuple[str, ...], tuple[FieldSpec, ...]] = {}

    def of(self, kind: str, roles: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        key = (kind, *roles)
        if key not in self._fields:
            specs = self._schema.fields_of(kind, roles) or name_fields(self._schema, kind)
            self._fields[key] = tuple(spec for spec in specs if canonical.is_name(spec.canonical_field))
        return self._fields[key]


def name_answers(schema: FormSchema, kind: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Turn properties like `first_name` into answers to the questions for a party's name."""
    fields = name_fields(schema, kind)
    raw: dict[str, str] = {}
    for name, text in properties.items():
        spec = next(spec for spec in fields if canonical.property_of(spec.canonical_field or "") == name)
        raw[spec.name] = text
    return raw


def label_as_typed(fields: Iterable[FieldSpec], raw: Mapping[str, Any]) -> str:
    """Return a party's or share class's name as typed, even if unreadable."""
    properties = {}
    for spec in fields:
        text = raw.get(spec.name)
        if spec.canonical_field and isinstance(text, str) and not is_blank(text):
            properties[canonical.property_of(spec.canonical_field)] = clean_line(text)
    return canonical.label_of(properties)
