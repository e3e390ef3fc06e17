"""The answers, documents and roles that each record may have. A party may have every answer that any role section asks
of its kind, so that roles and answers can be changed in any order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.fields import default_fields
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.schema import ENTITY
from formation_portal.contract.schema import FormSchema as Form
from formation_portal.service.models import Entity, FormSchema, Party, ShareClass
from formation_portal.service.problems import ErrorDetail, pointer, raise_if_any, shown_list

Path = tuple[str, ...]

# The interface's table of roles, which applies to roles without a section in the entity's schema.
APPLIES_TO = {
    "director": frozenset({"person", "corporate"}),
    "shareholder": frozenset({"person", "corporate"}),
    "ubo": frozenset({"person"}),
    "member": frozenset({"person", "corporate"}),
    "supervisor": frozenset({"person", "corporate"}),
    "officer": frozenset({"person"}),
}


@dataclass(frozen=True, slots=True)
class HolderFields:
    """The fields that an entity, party or share class may have answers for, by the path in its record or csp-data."""

    properties: Mapping[Path, FieldSpec]
    csp: Mapping[Path, FieldSpec]


# Parsed forms by digest. They are never removed, since only some dozens are ever loaded.
_parsed_forms: dict[str, Form] = {}


def parsed_form(row: FormSchema) -> Form:
    form = _parsed_forms.get(row.digest)
    if form is None:
        form = _parsed_forms[row.digest] = Form.model_validate(row.document)
    return form


def entity_fields(form: Form) -> HolderFields:
    """Return the fields of the entity itself (INTERFACE.md, "Where answers go")."""
    return _holder_fields(form.entity_fields, of_entity=True)


def share_class_fields(form: Form) -> HolderFields:
    return _holder_fields([*form.share_class_fields, *default_fields.SHARE_CLASS_FIELDS])


def party_fields(form: Form, kind: str, roles: Sequence[str]) -> HolderFields:
    """Return the fields of a party. If several roles ask a question, the field of the party's own role counts."""
    specs = [*form.fields_of(kind, roles)]
    for section in form.role_sections:
        specs += section.groups[kind]
    specs += default_fields.PERSON_FIELDS if kind == canonical.PERSON else default_fields.COMPANY_FIELDS
    return _holder_fields(specs)


def _holder_fields(specs: Iterable[FieldSpec], *, of_entity: bool = False) -> HolderFields:
    properties: dict[Path, FieldSpec] = {}
    csp: dict[Path, FieldSpec] = {}
    for spec in specs:
        if spec.canonical_field:
            properties.setdefault(record_path(spec.canonical_field, of_entity=of_entity), spec)
        else:
            csp.setdefault((spec.name,), spec)
    return HolderFields(properties, csp)


def record_path(canonical_field: str, *, of_entity: bool = False) -> Path:
    """Return the path of a canonical field within its record. Only the properties of entities are nested."""
    if of_entity:
        return canonical.path_of(canonical_field)
    return (canonical.property_of(canonical_field),)


def set_path(record: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value at a path of a record, or remove it if the value is None."""
    name, *rest = path
    if rest:
        inner = dict(record.get(name) or {})
        set_path(inner, tuple(rest), value)
        value = inner or None
    if value is None:
        record.pop(name, None)
    else:
        record[name] = value


def document_keys(form: Form, party: Party | None) -> frozenset[str]:
    if party is None:
        sections, kind = form.entity_sections, ENTITY
    else:
        sections, kind = form.role_sections, party.party_type
    return frozenset(slot.name for section in sections for slot in section.slots(kind))


def answers_by_agent(form: Form, holder: Entity | Party | ShareClass) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the answers that the agent provides about a record: properties and csp-data (INTERFACE.md, "Field")."""
    specs = form.entity_fields
    if isinstance(holder, ShareClass):
        specs = form.share_class_fields
    elif isinstance(holder, Party):
        specs = form.fields_of(holder.party_type, tuple(holder.roles))
    properties: dict[str, Any] = {}
    csp: dict[str, Any] = {}
    if not form.agent_address:
        return properties, csp
    for spec in specs:
        if not spec.provided_by_agent:
            continue
        if not spec.canonical_field:
            csp[spec.name] = dict(form.agent_address)
            continue
        path = record_path(spec.canonical_field, of_entity=isinstance(holder, Entity))
        set_path(properties, path, dict(form.agent_address))
    return properties, csp


def active_roles(party: Party) -> list[str]:
    """Return a party's roles, but not shareholder if it has no shares (`holds`, set by `queries.with_shares_held`)."""
    return [role for role in party.roles if role != canonical.SHAREHOLDER or getattr(party, "holds", False)]


def refuse_unsuitable_roles(form: Form, kind: str, roles: Iterable[str]) -> None:
    """Raise 422 for roles that the form does not have or that a party of this kind may not have."""
    errors = []
    for index, role in enumerate(roles):
        sections = form.sections_of([role])
        if sections:
            is_suitable = any(section.allows(kind) for section in sections)
        elif role in APPLIES_TO:
            is_suitable = kind in APPLIES_TO[role]
        else:
            known_roles = sorted({*APPLIES_TO, *(section.role for section in form.role_sections if section.role)})
            detail = f"Entry {index + 1} of roles must be one of these: {shown_list(known_roles)}."
            errors.append(ErrorDetail(pointer("roles", index), "unknown_role", detail, "roles"))
            continue
        if not is_suitable:
            detail = f"Leave out the role {role}. A party of type {kind} cannot have it here."
            errors.append(ErrorDetail(pointer("roles", index), "party_type_not_allowed", detail, "roles"))
    raise_if_any(errors)
