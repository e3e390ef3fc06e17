"""The form schemas of entities, parsed once, and which answers, documents and roles each of their holders may have.

A person, company or foundation may be given every answer that any role section has for its kind, so that roles can
come and go in any order with the answers. Which of them count is judged on submit.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.fields import default_fields
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.schema import ENTITY
from formation_portal.contract.schema import FormSchema as Form
from formation_portal.service.models import Entity, FormSchema, Party, ShareClass
from formation_portal.service.problems import ErrorDetail, pointer, raise_if_any

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HolderFields:
    """The fields that one holder may answer: by the path of the property, and by csp_field_key."""

    properties: Mapping[Path, FieldSpec]
    csp: Mapping[str, FieldSpec]


def parsed_form(row: FormSchema) -> Form:
    """The row's schema, parsed once per process and content."""
    known = _parsed.get(row.digest)
    if known is None:
        known = _parsed[row.digest] = Form.model_validate(row.document)
    return known


# Bounded by the schemas that were ever loaded: some dozens.
_parsed: dict[str, Form] = {}


def entity_fields(form: Form) -> HolderFields:
    """What is asked about the entity (interface, "Section scopes and where answers go")."""
    return form.cached(_entity_fields)


def party_fields(form: Form, kind: str, roles: Iterable[str]) -> HolderFields:
    """What is asked of a party of the kind; where two roles ask the same, the party's own role decides how."""
    known = form.cached(_party_fields_by_roles)
    held = (kind, *roles)
    if held not in known:
        mine = form.fields_of(kind, held[1:])
        others = (spec for section in form.role_sections for spec in section.groups[kind])
        general = default_fields.PERSON_FIELDS if canonical.is_person(kind) else default_fields.COMPANY_FIELDS
        known[held] = _holder_fields((*mine, *others, *general), path_of=property_path)
    return known[held]


def share_class_fields(form: Form) -> HolderFields:
    """What is asked about a class of shares."""
    return form.cached(_share_class_fields)


def _entity_fields(form: Form) -> HolderFields:
    return _holder_fields(form.entity_fields, path_of=canonical.path_of)


def _party_fields_by_roles(_: Form) -> dict[tuple[str, ...], HolderFields]:
    return {}


def _share_class_fields(form: Form) -> HolderFields:
    return _holder_fields((*form.share_class_fields, *default_fields.SHARE_CLASS_FIELDS), path_of=property_path)


def document_keys(form: Form, party: Party | None) -> frozenset[str]:
    """The slots for documents of the entity itself, or of a party."""
    sections, kind = (form.role_sections, party.party_type) if party else (form.entity_sections, ENTITY)
    return frozenset(slot.name for section in sections for slot in section.slots(kind))


def answers_by_agent(form: Form, holder: Entity | Party | ShareClass) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the agent provides about a holder, as properties and as csp-data (interface, "Field")."""
    path_of = canonical.path_of if isinstance(holder, Entity) else property_path
    specs = form.share_class_fields if isinstance(holder, ShareClass) else form.entity_fields
    if isinstance(holder, Party):
        specs = form.fields_of(holder.party_type, tuple(holder.roles))
    properties: dict[str, Any] = {}
    csp: dict[str, Any] = {}
    for spec in specs:
        if spec.provided_by_agent and form.agent_address:
            record = properties if spec.canonical_field else csp
            *outer, last = path_of(spec.canonical_field) if spec.canonical_field else (spec.name,)
            for step in outer:
                record = record.setdefault(step, {})
            record[last] = dict(form.agent_address)
    return properties, csp


def property_path(canonical_field: str) -> Path:
    """Where a canonical field of a party or a share class is in its record."""
    return (canonical.property_of(canonical_field),)


def _holder_fields(specs: Iterable[FieldSpec], *, path_of: Callable[[str], Path]) -> HolderFields:
    properties: dict[Path, FieldSpec] = {}
    csp: dict[str, FieldSpec] = {}
    for spec in specs:
        if spec.canonical_field:
            properties.setdefault(path_of(spec.canonical_field), spec)
        else:
            csp.setdefault(spec.name, spec)
    return HolderFields(properties, csp)


# The interface's role table; it decides where the entity's schema has no section for the role.
APPLIES_TO = {
    "director": frozenset({"person", "corporate"}),
    "shareholder": frozenset({"person", "corporate"}),
    "ubo": frozenset({"person"}),
    "member": frozenset({"person", "corporate"}),
    "supervisor": frozenset({"person", "corporate"}),
    "officer": frozenset({"person"}),
}


def active_roles(party: Party) -> list[str]:
    """Those that a party has: who has no shares is a potential shareholder only (interface, "States and transitions").

    Whether it has any is read with the party (`queries.with_shares_held`); a new one has none.
    """
    return [role for role in party.roles if role != canonical.SHAREHOLDER or getattr(party, "holds", False)]


def refuse_unsuitable_roles(form: Form, kind: str, roles: Iterable[str]) -> None:
    """Raises 422 with an error for each role that nobody has here, or that a party of the kind may not have."""
    errors = []
    for place, role in enumerate(roles):
        sections = form.sections_of([role])
        at = pointer("roles", place)
        if not sections and role not in APPLIES_TO:
            errors.append(ErrorDetail(at, "unknown_role", f"There is no role {role} here.", "roles"))
        elif not (any(section.allows(kind) for section in sections) if sections else kind in APPLIES_TO[role]):
            detail = f"A party of type {kind} can't have the role {role} here."
            errors.append(ErrorDetail(at, "party_type_not_allowed", detail, "roles"))
    raise_if_any(errors)
