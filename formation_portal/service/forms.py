"""The form schemas that entities answer, parsed once, and which answers each of their holders may give.

A person, company or foundation may be given every answer that any role section has for its kind, so that roles can
come and go in any order with the answers. Which of them count is judged on submit.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.contract import canonical, implied
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.schema import ENTITY
from formation_portal.contract.schema import FormSchema as Form
from formation_portal.service.models import FormSchema

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Askable:
    """The fields that one holder may answer: by the path of the property, and by csp_field_key."""

    properties: Mapping[Path, FieldSpec]
    csp: Mapping[str, FieldSpec]


def form_of(row: FormSchema) -> Form:
    """The row's schema, parsed once per process and content."""
    known = _parsed.get(row.digest)
    if known is None:
        known = _parsed[row.digest] = Form.model_validate(row.document)
    return known


# Bounded by the schemas that were ever loaded: some dozens.
_parsed: dict[str, Form] = {}


def askable_of_entity(form: Form) -> Askable:
    """What is asked about the entity (interface, "Section scopes and where answers go")."""
    return form.remembered(_of_entity)


def askable_of_party(form: Form, kind: str, roles: Iterable[str]) -> Askable:
    """What is asked of a party of the kind; where two roles ask the same, the party's own role decides how."""
    known = form.remembered(_of_parties)
    held = (kind, *roles)
    if held not in known:
        known[held] = _of_party(form, kind, held[1:])
    return known[held]


def askable_of_share_class(form: Form) -> Askable:
    """What is asked about a class of shares."""
    return form.remembered(_of_share_class)


def _of_entity(form: Form) -> Askable:
    return _read(form.entity_fields, path_of=canonical.path_of)


def _of_parties(_: Form) -> dict[tuple[str, ...], Askable]:
    return {}


def _of_party(form: Form, kind: str, roles: tuple[str, ...]) -> Askable:
    mine = form.fields_of(kind, roles)
    others = (spec for section in form.role_sections for spec in section.groups[kind])
    general = implied.PERSON_FIELDS if canonical.is_person(kind) else implied.COMPANY_FIELDS
    return _read((*mine, *others, *general), path_of=_last_part)


def _of_share_class(form: Form) -> Askable:
    return _read((*form.share_class_fields, *implied.SHARE_CLASS_FIELDS), path_of=_last_part)


def document_keys_of_entity(form: Form) -> frozenset[str]:
    """The slots for documents of the entity itself."""
    return frozenset(slot.name for section in form.entity_sections for slot in section.slots(ENTITY))


def document_keys_of_party(form: Form, kind: str) -> frozenset[str]:
    """The slots for documents of a party of the kind."""
    return frozenset(slot.name for section in form.role_sections for slot in section.slots(kind))


def entity_answers_of_agent(form: Form) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the agent provides about the entity, as properties and as csp-data (interface, "Field")."""
    return _of_agent(form, form.entity_fields, canonical.path_of)


def party_answers_of_agent(form: Form, kind: str, roles: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the agent provides about a party in its roles, as properties and as csp-data."""
    return _of_agent(form, form.fields_of(kind, tuple(roles)), _last_part)


def share_class_answers_of_agent(form: Form) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the agent provides about a class of shares, as properties and as csp-data."""
    return _of_agent(form, form.share_class_fields, _last_part)


def _of_agent(
    form: Form, specs: Iterable[FieldSpec], path_of: Callable[[str], Path]
) -> tuple[dict[str, Any], dict[str, Any]]:
    properties: dict[str, Any] = {}
    csp: dict[str, Any] = {}
    for spec in specs:
        if spec.provided_by_agent and form.agent_address:
            path = path_of(spec.canonical_field) if spec.canonical_field else (spec.name,)
            _put(properties if spec.canonical_field else csp, path, dict(form.agent_address))
    return properties, csp


def _put(record: dict[str, Any], path: Path, value: Any) -> None:
    *outer, last = path
    for step in outer:
        record = record.setdefault(step, {})
    record[last] = value


def _last_part(canonical_field: str) -> Path:
    return (canonical.property_of(canonical_field),)


def _read(specs: Iterable[FieldSpec], *, path_of: Callable[[str], Path]) -> Askable:
    properties: dict[Path, FieldSpec] = {}
    csp: dict[str, FieldSpec] = {}
    for spec in specs:
        if spec.canonical_field:
            properties.setdefault(path_of(spec.canonical_field), spec)
        else:
            csp.setdefault(spec.name, spec)
    return Askable(properties, csp)
