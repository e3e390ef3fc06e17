"""What the formation service holds of an application, read back by its calls, and compared with what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from formation_portal.gateway.client import Collection
from formation_portal.gateway.configuration import service
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.end_to_end.expected_record import ExpectedRecord, Holder, Json, expected_record

# Keys of a record that are not answers.
_RECORD_KEYS = {
    *("id", "entity_id", "party_id", "jurisdiction_product_id", "schema_id", "schema_version", "client_reference"),
    *("status", "status_note", "created_at", "updated_at", "jurisdiction", "product"),
    *("party_type", "roles", "pending_roles"),
}


@dataclass
class ServiceRecord:
    """One entity as the service has it. Parties and classes go by their names."""

    status: str
    entity: Holder
    parties: dict[str, Holder] = field(default_factory=dict)
    classes: dict[str, Holder] = field(default_factory=dict)
    holdings: dict[tuple[str, str], int] = field(default_factory=dict)


def read_service_record(reference: str, schema: Json) -> ServiceRecord:
    """Read everything of the entity that the portal made for the application with this reference."""
    api = service()
    (entity,) = api.entities(client_reference=reference)
    provided = set(_agent_given(schema))

    def csp(**whose: str) -> Json:
        answers = api.csp_data(entity["id"], **whose)
        assert answers["csp_form_schema_id"] == schema["id"]
        return {name: value for name, value in answers["csp_data"].items() if name not in provided}

    found = ServiceRecord(entity["status"], _holder({k: v for k, v in entity.items() if k not in provided}, csp()))
    party_names, class_names = {}, {}
    for record in api.records(entity["id"], Collection.PARTIES):
        party = _holder(record, csp(party_id=record["party_id"]))
        party.kind, party.roles = record["party_type"], {*record["roles"], *record["pending_roles"]}
        party_names[record["party_id"]] = party.name
        found.parties[party.name] = party
    # The service answers 422 for shares of a product that has none.
    has_shares = any(section["scope"] == "share_structure" for section in schema["sections"])
    for record in api.records(entity["id"], Collection.SHARE_CLASSES) if has_shares else ():
        share_class = _holder(record, csp(share_class_id=record["id"]))
        class_names[record["id"]] = share_class.name
        found.classes[share_class.name] = share_class
    for row in api.records(entity["id"], Collection.SHAREHOLDINGS) if has_shares else ():
        found.holdings[party_names[row["party_id"]], class_names[row["share_class_id"]]] = row["shares_held"]
    for row in api.records(entity["id"], Collection.DOCUMENTS):
        party_id = row["party_id"]
        holder = found.parties[party_names[party_id]] if party_id else found.entity
        holder.documents[row["document_key"]] = row["sha256"]
    _name_references(found, class_names)
    return found


def _holder(record: Json, csp: Json) -> Holder:
    return Holder(properties={name: value for name, value in record.items() if name not in _RECORD_KEYS}, csp=csp)


def _agent_given(schema: Json) -> set[str]:
    """Names of answers that the service fills in by itself."""
    lists = ("fields", "person_fields", "corporate_fields", "foundation_fields")
    specs = [spec for section in schema["sections"] for name in lists for spec in section.get(name, ())]
    provided = [spec for spec in specs if spec.get("provided_by_agent")]
    return {spec.get("csp_field_key") or spec["canonical_field"].rpartition(".")[2] for spec in provided}


def _name_references(found: ServiceRecord, class_names: Mapping[str, str]) -> None:
    for holder in (found.entity, *found.parties.values(), *found.classes.values()):
        for answers in (holder.properties, holder.csp):
            for name, value in answers.items():
                if isinstance(value, str) and value in class_names:
                    answers[name] = ("share class", class_names[value])


def schema_of(slug: str) -> Json:
    """Return the schema of a product as the service hands it out."""
    items = service().catalog().items or []
    schema: Json = next(item["schema"] for item in items if item["product"]["slug"] == slug)
    return schema


def assert_held_as_typed(client: GenericClient, slug: str, reference: str) -> ExpectedRecord:
    """The service holds, and has had submitted, what the client typed; returns that."""
    schema = schema_of(slug)
    typed, held = expected_record(client, schema), read_service_record(reference, schema)
    assert differences(typed, held) == []
    assert held.status == "submitted_for_review"
    return typed


def plain(value: Any) -> Any:
    """The value with numbers that compare exactly and lists without an order, so that == says what is meant."""
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items() if one not in ({}, None)}
    if isinstance(value, list):
        return sorted(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(str(value))
    return value


def differences(expected: ExpectedRecord, found: ServiceRecord) -> list[str]:
    """What was answered and is not held, and the other way round; nothing where the two are the same."""
    pairs = [("entity", expected.entity, found.entity)]
    mine = {party.name: party for party in expected.parties.values()}
    classes = {share_class.name: share_class for share_class in expected.classes.values()}
    lines = _unequal("parties", set(mine), set(found.parties)) + _unequal("classes", set(classes), set(found.classes))
    pairs += [(name, mine[name], found.parties[name]) for name in mine.keys() & found.parties.keys()]
    pairs += [(name, classes[name], found.classes[name]) for name in classes.keys() & found.classes.keys()]
    lines += _unequal("holdings", expected.holdings, found.holdings)
    for name, one, other in pairs:
        lines += _unequal(f"{name}: properties", plain(one.properties), plain(other.properties))
        lines += _unequal(f"{name}: csp-data", plain(one.csp), plain(other.csp))
        lines += _unequal(f"{name}: documents", one.documents, other.documents)
        lines += _unequal(f"{name}: roles", one.roles, other.roles) + _unequal(f"{name}: kind", one.kind, other.kind)
    return lines


def _unequal(what: str, expected: Any, actual: Any) -> list[str]:
    if expected == actual:
        return []
    if isinstance(expected, dict) and isinstance(actual, dict):
        names = sorted({*expected, *actual}, key=str)
        return [
            f"{what}: {name}: expected {expected.get(name)!r}, held {actual.get(name)!r}"
            for name in names
            if expected.get(name) != actual.get(name)
        ]
    return [f"{what}: expected {expected!r}, held {actual!r}"]
