"""The form schema of a product (interface, "Form schema", "Section", "Document slots").

Frozen models. Unknown members are ignored; what identifies a thing must be there; what merely describes it may be
missing. What is wrong with a readable schema is told by `schema_check.check_schema`, not by an exception here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar, cast

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from . import canonical
from .conditions import Condition, ConditionalMinimum, count_of
from .fields import parsing
from .fields.base import FieldSpec, fields_by_name
from .fields.default_fields import COMPANY_FIELDS, PERSON_FIELDS, SHARE_CLASS_FIELDS, with_defaults
from .fields.types import Field as AnyField
from .localisation import get_language, gettext
from .texts import DescribedModel

ENTITY, ROLE, SHARE_CLASS = "entity", "role", "share_class"

Cached = TypeVar("Cached")


class Model(DescribedModel):
    """Base of what a service sends: frozen, unknown members ignored, numbers taken where texts are meant."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class DocumentSlot(Model):
    """One document that is asked for; the name is sent verbatim as `document_key`."""

    name: str
    required: bool = False
    help: str = ""
    # What people read for it; the name where there is none.
    label: str = ""

    @field_validator("help", "label", mode="before")
    @classmethod
    def _no_text_is_empty(cls, value: Any) -> Any:
        return "" if value is None else value

    @property
    def words(self) -> str:
        """What it is called."""
        return self.label or self.name


class Total(Model):
    """The sum that the answers of all parties in a role have to reach or not to exceed (supplement, "Bounds")."""

    field: str = ""
    equals: Decimal | None = None
    maximum: Decimal | None = None

    @property
    def limit(self) -> Decimal:
        limit = self.maximum if self.equals is None else self.equals
        return Decimal(0) if limit is None else limit


class Section(Model):
    """One section of a form, of any scope (interface, "Section"). The key is ours: unique, fit for a URL."""

    key: str = ""
    scope: str = ""
    title: str = ""
    help: str = ""
    fields: tuple[AnyField, ...] = ()
    person_fields: tuple[AnyField, ...] = ()
    corporate_fields: tuple[AnyField, ...] = ()
    foundation_fields: tuple[AnyField, ...] = ()
    minimum: Any = 0
    maximum: Any = None
    total: Total | None = None
    bound_message: str = ""
    allows_corporate: bool = False
    allows_foundation: bool = False
    depends_on: Condition | None = None
    conditional_min: ConditionalMinimum | None = None
    documents: dict[str, tuple[DocumentSlot, ...]] = Field(default_factory=dict)

    @field_validator("fields", "person_fields", "corporate_fields", "foundation_fields", mode="before")
    @classmethod
    def _no_list_is_empty(cls, value: Any) -> Any:
        return value or ()

    @field_validator("documents", mode="before")
    @classmethod
    def _no_documents_are_none(cls, value: Any) -> Any:
        return {name: slots or () for name, slots in value.items()} if isinstance(value, Mapping) else {}

    @field_validator("title", "help", "bound_message", mode="before")
    @classmethod
    def _no_text_is_empty(cls, value: Any) -> Any:
        return "" if value is None else value

    @field_validator("total", mode="before")
    @classmethod
    def _read_total_leniently(cls, value: Any) -> Any:
        """Return a total that cannot be read as one without a field; the schema check reports it."""
        try:
            return None if value is None else Total.model_validate(value)
        except ValidationError:
            return Total()

    @property
    def is_entity(self) -> bool:
        return self.scope == ENTITY

    @property
    def is_share_structure(self) -> bool:
        return self.scope == "share_structure"

    @cached_property
    def role(self) -> str | None:
        """Return the role that the section is about; None for any other section."""
        head, _, role = self.scope.partition(":")
        return role if head == ROLE and role else None

    @property
    def is_drawn(self) -> bool:
        """Whether there is anything to show: a known scope, and something asked."""
        if self.is_entity:
            return bool(self.fields) or bool(self.slots(ENTITY))
        return bool(self.role) or self.is_share_structure

    @cached_property
    def fields_by_name(self) -> Mapping[str, FieldSpec]:
        """The questions of a section about the entity by the names of their answers."""
        return fields_by_name(self.fields)

    @cached_property
    def has_canonical_fields(self) -> bool:
        """Whether a question about the entity has a canonical name, so that its answer belongs to the entity's own."""
        return any(spec.canonical_field is not None for spec in self.fields)

    @cached_property
    def has_csp_fields(self) -> bool:
        """Whether a question about the entity has none, so that its answer is sent as csp-data."""
        return any(spec.canonical_field is None for spec in self.fields)

    @property
    def groups(self) -> Mapping[str, tuple[FieldSpec, ...]]:
        """The questions by who answers them, with those that are asked even where the schema doesn't list them.

        Worked out once a language: those that the schema doesn't list are in our words.
        """
        spoken = get_language()
        if spoken not in self._groups:
            found: dict[str, tuple[FieldSpec, ...]] = {}
            if self.is_entity:
                found[ENTITY] = self.fields
            elif self.is_share_structure:
                found[SHARE_CLASS] = with_defaults(SHARE_CLASS_FIELDS, self.fields)
            elif self.role:
                found["person"] = with_defaults(PERSON_FIELDS, self.person_fields)
                found["corporate"] = self.corporate_fields or with_defaults(COMPANY_FIELDS, ())
                found["foundation"] = self.foundation_fields or with_defaults(COMPANY_FIELDS, ())
            self._groups[spoken] = MappingProxyType(found)
        return self._groups[spoken]

    @cached_property
    def _groups(self) -> dict[str, Mapping[str, tuple[FieldSpec, ...]]]:
        return {}

    @property
    def base_minimum(self) -> int:
        """The minimum that stands while no condition replaces it; 0 where it is no count."""
        return count_of(self.minimum) or 0

    @property
    def most_parties(self) -> int | None:
        """Return the most parties in the role (supplement, "Bounds"); None where there is no such bound."""
        most = count_of(self.maximum)
        least = count_of(self.conditional_min.minimum) if self.conditional_min else None
        return most if most and most >= max(self.base_minimum, least or 0) else None

    def allows(self, kind: str) -> bool:
        """Whether a party of the kind may be in this role."""
        return {"person": True, "corporate": self.allows_corporate, "foundation": self.allows_foundation}.get(
            kind, False
        )

    def counts(self, kind: str, roles: Sequence[str]) -> bool:
        """Whether a party of the kind with these roles is in this one: a role that its kind can't have counts nowhere.

        Interface, "Errors": a company or foundation is allowed in a role section only where the section says so.
        """
        return self.role is not None and self.role in roles and self.allows(kind)

    def total_fields(self) -> Mapping[str, FieldSpec]:
        """Return the questions that the section's total adds up, by kind of party; empty where there is no total."""
        if self.total is None or (self.total.equals is None and self.total.maximum is None):
            return {}
        fields = {}
        for kind, specs in self.groups.items():
            for spec in specs:
                if self.total.field in (spec.key, spec.name) and spec.is_number:
                    fields[kind] = spec
        return fields

    def slots(self, kind: str) -> tuple[DocumentSlot, ...]:
        """The documents asked of a party of the kind, or of the new entity itself."""
        return self.documents.get(ENTITY if kind == ENTITY else canonical.SLOT_KEYS[kind], ())


class FormSchema(Model):
    """A product's form (interface, "Form schema"). `agent_address` as it arrived: text by part."""

    id: str = ""
    csp_name: str = ""
    form_name: str = ""
    version: str = ""
    agent_address: dict[str, str] = Field(default_factory=dict)
    sections: tuple[Section, ...] = ()

    @cached_property
    def other_documents(self) -> dict[str, Any]:
        """The form as the service has said it in other languages, where that is kept."""
        return {}

    @cached_property
    def translations(self) -> dict[str, tuple[Any, FormSchema]]:
        """The form in other languages, each with what its words were taken from."""
        return {}

    @cached_property
    def slot_words(self) -> dict[str, str]:
        """What document slots are called, by their names."""
        every = (slot for section in self.sections for slots in section.documents.values() for slot in slots)
        return {slot.name: slot.words for slot in every}

    @model_validator(mode="before")
    @classmethod
    def _give_sections_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        read = {name: value for name, value in data.items() if value is not None}
        listed = read.get("sections")
        sections = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list | tuple) else []
        # A key for each section, from its title; a repeated one gets a number.
        keyed: dict[str, Mapping[str, Any]] = {}
        for section in sections:
            slug = _slug(str(section.get("title") or "")) or _slug(str(section.get("scope") or "")) or "section"
            key, count = slug, 1
            while key in keyed:
                count += 1
                key = f"{slug}-{count}"
            keyed[key] = {**section, "key": key}
        read["sections"] = tuple(keyed.values())
        return read

    @field_validator("agent_address", mode="before")
    @classmethod
    def _keep_texts(cls, value: Any) -> dict[str, str]:
        if not isinstance(value, Mapping):
            return {}
        return {str(part): text for part, text in value.items() if parsing.text_or_none(text)}

    @cached_property
    def entity_sections(self) -> tuple[Section, ...]:
        """Sections about the entity that have something to ask."""
        return tuple(section for section in self.sections if section.is_entity and section.is_drawn)

    @cached_property
    def role_sections(self) -> tuple[Section, ...]:
        """Sections about parties, in the order of the schema."""
        return tuple(section for section in self.sections if section.role)

    @cached_property
    def share_section(self) -> Section | None:
        """The section about classes of shares, if the product has one."""
        return next((section for section in self.sections if section.is_share_structure), None)

    def section(self, key: str) -> Section | None:
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[str, Section]:
        return {section.key: section for section in self.sections}

    def sections_of(self, roles: Sequence[str]) -> tuple[Section, ...]:
        """The role sections of these roles, in the order of the schema, whoever may have them."""
        return tuple(section for section in self.role_sections if section.role in roles)

    def sections_for(self, kind: str, roles: Sequence[str]) -> tuple[Section, ...]:
        """The role sections that a party of the kind with these roles answers, in the order of the schema."""
        known = (kind, *roles)
        if known not in self._sections_for:
            self._sections_for[known] = tuple(one for one in self.role_sections if one.counts(kind, roles))
        return self._sections_for[known]

    @cached_property
    def _sections_for(self) -> dict[tuple[str, ...], tuple[Section, ...]]:
        return {}

    def fields_of(self, kind: str, roles: Sequence[str]) -> tuple[FieldSpec, ...]:
        """All fields a party of the kind is asked in its roles, once each by name."""
        known = (get_language(), kind, *roles)
        if known not in self._fields_of:
            specs = [spec for section in self.sections_for(kind, roles) for spec in section.groups[kind]]
            self._fields_of[known] = tuple({spec.name: spec for spec in reversed(specs)}.values())[::-1]
        return self._fields_of[known]

    @cached_property
    def _fields_of(self) -> dict[tuple[str, ...], tuple[FieldSpec, ...]]:
        return {}

    @cached_property
    def entity_fields(self) -> tuple[FieldSpec, ...]:
        return tuple(spec for section in self.entity_sections for spec in section.fields)

    @property
    def share_class_fields(self) -> tuple[FieldSpec, ...]:
        return self.share_section.groups[SHARE_CLASS] if self.share_section else ()

    def cached(self, make: Callable[[FormSchema], Cached]) -> Cached:
        """What is worked out from the schema alone, made once a language and kept as long as the schema."""
        known = (make, get_language())
        if known not in self._cache:
            self._cache[known] = make(self)
        return cast(Cached, self._cache[known])

    @cached_property
    def _cache(self) -> dict[Any, Any]:
        return {}

    def why_unanswerable(self, spec: FieldSpec) -> str | None:
        """Why nobody can answer the field here, or None (supplement, "What a schema may get wrong")."""
        if spec.provided_by_agent:
            return None if self.agent_address else gettext("we don’t have the agent’s address")
        if spec.needs_options and not spec.options:
            return gettext("it has no options")
        if spec.refers_to_share_class and self.share_section is None:
            return gettext("this company type has no share classes")
        return None


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
