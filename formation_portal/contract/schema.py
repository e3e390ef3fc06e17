"""The form schema of a product (INTERFACE.md, "Form schema", "Section", "Document slots").

Models are frozen. Unknown members are ignored, identifying members are required, and descriptions may be missing. The
mistakes of a readable schema are found by `schema_check.check_schema`, and raise nothing here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from . import canonical
from .conditions import Condition, ConditionalMinimum, count_of
from .fields import parsing
from .fields.base import DescribedModel, FieldSpec, fields_by_name
from .fields.default_fields import COMPANY_FIELDS, PERSON_FIELDS, SHARE_CLASS_FIELDS, with_defaults
from .fields.types import Field as AnyField
from .localisation import get_language, gettext

ENTITY, ROLE, SHARE_CLASS = "entity", "role", "share_class"

Cached = TypeVar("Cached")


# A text for which a service may send null.
NullableText = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]


class Model(DescribedModel):
    """Base of models that a service sends: frozen, ignoring unknown members, taking numbers as texts."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class DocumentSlot(Model):
    """A document that is asked for. The name is sent verbatim as `document_key`."""

    name: str
    required: bool = False
    help: NullableText = ""
    label: NullableText = ""

    @property
    def words(self) -> str:
        return self.label or self.name


class Total(Model):
    """The sum that the answers of all parties in a role must equal or not exceed (INTERFACE.md, "Bounds")."""

    field: str = ""
    equals: Decimal | None = None
    maximum: Decimal | None = None

    @property
    def limit(self) -> Decimal:
        limit = self.maximum if self.equals is None else self.equals
        return limit or Decimal(0)


class Section(Model):
    """A section of a form (INTERFACE.md, "Section"). The key is the portal's own: unique and fit for a URL."""

    key: str = ""
    scope: str = ""
    title: NullableText = ""
    help: NullableText = ""
    fields: tuple[AnyField, ...] = ()
    person_fields: tuple[AnyField, ...] = ()
    corporate_fields: tuple[AnyField, ...] = ()
    foundation_fields: tuple[AnyField, ...] = ()
    minimum: Any = 0
    maximum: Any = None
    total: Total | None = None
    bound_message: NullableText = ""
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
        return {name: slots or () for name, slots in parsing.mapping_or_empty(value).items()}

    @field_validator("total", mode="before")
    @classmethod
    def _read_total_leniently(cls, value: Any) -> Any:
        """Replace an unreadable total by an empty one, which the schema check reports."""
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
        head, _, role = self.scope.partition(":")
        return role if head == ROLE and role else None

    @property
    def is_drawn(self) -> bool:
        """Tell whether the section has a known scope and asks something."""
        if self.is_entity:
            return bool(self.fields) or bool(self.slots(ENTITY))
        return bool(self.role) or self.is_share_structure

    @cached_property
    def fields_by_name(self) -> Mapping[str, FieldSpec]:
        return fields_by_name(self.fields)

    @property
    def groups(self) -> Mapping[str, tuple[FieldSpec, ...]]:
        """Return the questions by who answers them: the entity, share classes or a kind of party. Defaults included."""
        language = get_language()
        if language not in self._groups:
            groups: dict[str, tuple[FieldSpec, ...]] = {}
            if self.is_entity:
                groups[ENTITY] = self.fields
            elif self.is_share_structure:
                groups[SHARE_CLASS] = with_defaults(SHARE_CLASS_FIELDS, self.fields)
            elif self.role:
                groups["person"] = with_defaults(PERSON_FIELDS, self.person_fields)
                groups["corporate"] = self.corporate_fields or with_defaults(COMPANY_FIELDS, ())
                groups["foundation"] = self.foundation_fields or with_defaults(COMPANY_FIELDS, ())
            self._groups[language] = MappingProxyType(groups)
        return self._groups[language]

    @cached_property
    def _groups(self) -> dict[str, Mapping[str, tuple[FieldSpec, ...]]]:
        return {}

    @property
    def base_minimum(self) -> int:
        return count_of(self.minimum) or 0

    @property
    def most_parties(self) -> int | None:
        """Return how many parties the role may have at most (INTERFACE.md, "Bounds"); None without such a bound."""
        most = count_of(self.maximum)
        least = self.base_minimum
        if self.conditional_min:
            least = max(least, count_of(self.conditional_min.minimum) or 0)
        return most if most and most >= least else None

    def allows(self, kind: str) -> bool:
        allowed = {"person": True, "corporate": self.allows_corporate, "foundation": self.allows_foundation}
        return allowed.get(kind, False)

    def counts(self, kind: str, roles: Sequence[str]) -> bool:
        """Tell whether a party has this role and is of an allowed kind (INTERFACE.md, "Parties")."""
        return self.role is not None and self.role in roles and self.allows(kind)

    def total_fields(self) -> Mapping[str, FieldSpec]:
        if self.total is None or (self.total.equals is None and self.total.maximum is None):
            return {}
        fields = {}
        for kind, specs in self.groups.items():
            for spec in specs:
                if self.total.field in (spec.key, spec.name) and spec.is_number:
                    fields[kind] = spec
        return fields

    def slots(self, kind: str) -> tuple[DocumentSlot, ...]:
        return self.documents.get(canonical.SLOT_KEYS.get(kind, kind), ())


class Validation(Model):
    """A rule across the answers of an application (INTERFACE.md, "Validations"). Read leniently; judged elsewhere.

    The rule is an expression that is true when all is well. `field` or `section` tells where the message stands.
    """

    rule: NullableText = ""
    message: NullableText = ""
    level: NullableText = "error"
    field: NullableText = ""
    section: NullableText = ""


class FormSchema(Model):
    """The form of a product (INTERFACE.md, "Form schema"). `agent_address` has a text for each part of the address."""

    id: str = ""
    csp_name: str = ""
    form_name: str = ""
    version: str = ""
    agent_address: dict[str, str] = Field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    validations: tuple[Validation, ...] = ()

    @field_validator("validations", mode="before")
    @classmethod
    def _read_validations_leniently(cls, value: Any) -> tuple[Validation, ...]:
        """Replace what has another shape by an empty validation, which the schema check reports."""
        return tuple(map(_validation, value if isinstance(value, list | tuple) else [value]))

    @cached_property
    def other_documents(self) -> dict[str, Any]:
        """Return a dict for callers to fill: by other language, the stored JSON document of the form."""
        return {}

    @cached_property
    def translations(self) -> dict[str, tuple[Any, FormSchema]]:
        """Return a dict for callers to fill: by other language, the document of the texts and the form with them."""
        return {}

    @cached_property
    def slot_words(self) -> dict[str, str]:
        labels = {}
        for section in self.sections:
            for slots in section.documents.values():
                labels.update({slot.name: slot.words for slot in slots})
        return labels

    @model_validator(mode="before")
    @classmethod
    def _give_sections_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        document = {name: value for name, value in data.items() if value is not None}
        # A key for each section, from its title; a repeated key gets a number.
        sections: dict[str, Mapping[str, Any]] = {}
        for section in parsing.list_or_empty(document.get("sections")):
            if not isinstance(section, Mapping):
                continue
            slug = _slug(str(section.get("title") or "")) or _slug(str(section.get("scope") or "")) or "section"
            key = slug
            count = 1
            while key in sections:
                count += 1
                key = f"{slug}-{count}"
            sections[key] = {**section, "key": key}
        document["sections"] = tuple(sections.values())
        return document

    @field_validator("agent_address", mode="before")
    @classmethod
    def _keep_texts(cls, value: Any) -> dict[str, str]:
        texts = parsing.mapping_or_empty(value)
        return {str(part): text for part, text in texts.items() if parsing.text_or_none(text)}

    @cached_property
    def entity_sections(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.is_entity and section.is_drawn)

    @cached_property
    def role_sections(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.role)

    @cached_property
    def share_section(self) -> Section | None:
        return next((section for section in self.sections if section.is_share_structure), None)

    def section(self, key: str) -> Section | None:
        return next((section for section in self.sections if section.key == key), None)

    def sections_of(self, roles: Sequence[str]) -> tuple[Section, ...]:
        """Return the sections of these roles, in the order of the schema, for any kind of party."""
        return tuple(section for section in self.role_sections if section.role in roles)

    def sections_for(self, kind: str, roles: Sequence[str]) -> tuple[Section, ...]:
        """Return the role sections that a party of the kind with these roles answers, in the order of the schema."""
        key = ("sections", kind, *roles)
        if key not in self._cache:
            self._cache[key] = tuple(section for section in self.role_sections if section.counts(kind, roles))
        return cast(tuple[Section, ...], self._cache[key])

    def fields_of(self, kind: str, roles: Sequence[str]) -> tuple[FieldSpec, ...]:
        """Return the fields that a party of the kind is asked in its roles, one for each name.

        Of fields that share a name, the first is returned, at the position of the last.
        """
        key = ("fields", get_language(), kind, *roles)
        if key not in self._cache:
            specs: list[FieldSpec] = []
            for section in self.sections_for(kind, roles):
                specs += section.groups[kind]
            self._cache[key] = tuple({spec.name: spec for spec in reversed(specs)}.values())[::-1]
        return cast(tuple[FieldSpec, ...], self._cache[key])

    @cached_property
    def entity_fields(self) -> tuple[FieldSpec, ...]:
        return tuple(spec for section in self.entity_sections for spec in section.fields)

    @property
    def share_class_fields(self) -> tuple[FieldSpec, ...]:
        return self.share_section.groups[SHARE_CLASS] if self.share_section else ()

    def cached(self, make: Callable[[FormSchema], Cached]) -> Cached:
        """Return what `make` computes from the schema alone. Cached with the schema, by language."""
        key = (make, get_language())
        if key not in self._cache:
            self._cache[key] = make(self)
        return cast(Cached, self._cache[key])

    @cached_property
    def _cache(self) -> dict[Any, Any]:
        return {}

    def why_unanswerable(self, spec: FieldSpec) -> str | None:
        """Return why the field cannot be answered here, or None (INTERFACE.md, "Faults in a schema")."""
        if spec.provided_by_agent:
            return None if self.agent_address else gettext("we don’t have the agent’s address")
        if spec.needs_options and not spec.options:
            return gettext("it has no options")
        if spec.refers_to_share_class and self.share_section is None:
            return gettext("this company type has no share classes")
        return None


def _validation(value: Any) -> Validation:
    try:
        return Validation.model_validate(value)
    except ValidationError:
        return Validation()


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
