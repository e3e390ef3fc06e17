"""What the other make accepts: its own strict reading of the interface. A refusal is `{field: [texts]}`."""

import re
from typing import Any

from tests.field_types import field_type_of

Json = dict[str, Any]
Complaints = dict[str, list[str]]

_CURRENCY = re.compile(r"[A-Z]{3}")
_ROLES = ("director", "shareholder", "ubo", "member", "supervisor", "officer")
_OF_PERSONS = ("first_name", "last_name", "email")
_OF_BODIES = (
    "name",
    "registration_number",
    "country",
    "date_of_incorporation",
    "registered_address",
    "email",
)
_OF_CLASSES: dict[str, Any] = {
    "name": str,
    "currency": str,
    "par_value": (int, float),
    "voting_rights": bool,
    "dividend_rights": bool,
}


def entity_complaints(item: Json, body: Json) -> Complaints:
    """Of POST /entities: the schema's canonical fields of entity sections, and nothing else."""
    fields = [field for section in _of_scope(item, "entity") for field in section["fields"]]
    known = {field["canonical_field"].removeprefix("entity."): field for field in fields if "canonical_field" in field}
    given: Json = {}
    for name, value in body.items():
        if isinstance(value, dict) and f"{name}.{next(iter(value), '')}" in known:
            given |= {f"{name}.{part}": one for part, one in value.items()}
        elif name not in ("jurisdiction_product_id", "client_reference"):
            given[name] = value
    return _complaints(known, given)


def csp_complaints(item: Json, body: Json) -> Complaints:
    """Of POST csp-data: the schema's id, and keys of the scope that is named."""
    if body.get("csp_form_schema_id") != item["schema"]["id"]:
        return {"csp_form_schema_id": ["is not the id of this product's schema"]}
    if not isinstance(body.get("csp_data"), dict):
        return {"csp_data": ["is missing"]}
    if unknown := set(body) - {"csp_form_schema_id", "csp_data", "scope", "party_id", "share_class_id"}:
        return {name: ["is unknown"] for name in unknown}
    head = {"party": "role:", "share_class": "share_structure"}.get(body.get("scope", ""), "entity")
    fields = [field for section in _of_scope(item, head) for field in _all_fields(section)]
    return _complaints(
        {field["csp_field_key"]: field for field in fields if "csp_field_key" in field}, body["csp_data"]
    )


def party_complaints(item: Json, body: Json) -> Complaints:
    """Of POST parties: kind, roles that take it, and the properties that the kind has."""
    kind, roles = body.get("party_type"), body.get("roles")
    if kind not in ("person", "corporate", "foundation"):
        return {"party_type": ["must be person, corporate or foundation"]}
    if not isinstance(roles, list) or not roles:
        return {"roles": ["must name at least one role"]}
    for role in roles:
        sections = _of_scope(item, f"role:{role}")
        if not sections and role not in _ROLES:
            return {"roles": [f"{role} is no role here"]}
        if kind != "person" and not any(section.get(f"allows_{kind}") for section in sections):
            return {"party_type": [f"a {kind} can't be {role}"]}
    fields = [field for section in _of_scope(item, "role:") for field in _all_fields(section)]
    known = {field["canonical_field"].rpartition(".")[2]: field for field in fields if "canonical_field" in field}
    known |= {name: {"field_type": "any"} for name in (_OF_PERSONS if kind == "person" else _OF_BODIES)} | known
    given = {name: value for name, value in body.items() if name not in ("party_type", "roles", "client_reference")}
    needed = _OF_PERSONS if kind == "person" else ("name",)
    missing = {name: ["is required"] for name in needed if not given.get(name)}
    return missing | _complaints(known, given)


def share_class_complaints(body: Json) -> Complaints:
    """Of POST share-classes: the five properties of the interface, all of them."""
    found = {name: ["is required"] for name in _OF_CLASSES if name not in body}
    for name, value in body.items():
        wanted = _OF_CLASSES.get(name)
        if wanted is None and name != "client_reference":
            found[name] = ["is unknown"]
        elif wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)):
            found[name] = ["is of the wrong type"]
    if "currency" not in found and not _CURRENCY.fullmatch(body["currency"]):
        found["currency"] = ["is no currency code"]
    return found


def shareholding_complaints(party_ids: set[str], class_ids: set[str], body: Json) -> Complaints:
    """Of POST shareholdings: ids that exist, and a whole number."""
    found: Complaints = {}
    if body.get("party_id") not in party_ids:
        found["party_id"] = ["is no party of this entity"]
    if body.get("share_class_id") not in class_ids:
        found["share_class_id"] = ["is no class of this entity"]
    held = body.get("shares_held")
    if not isinstance(held, int) or isinstance(held, bool) or held < 1:
        found["shares_held"] = ["must be a whole number, 1 or more"]
    return found


def slots_of(item: Json, *, is_party: bool) -> set[str]:
    """The names of the document slots that exist."""
    sections = _of_scope(item, "role:" if is_party else "entity")
    lists = [slots for section in sections for slots in (section.get("documents") or {}).values()]
    return {slot["name"] for slots in lists for slot in slots}


def _of_scope(item: Json, head: str) -> list[Json]:
    sections: list[Json] = item["schema"]["sections"]
    return [one for one in sections if one["scope"] == head or (head.endswith(":") and one["scope"].startswith(head))]


def _all_fields(section: Json) -> list[Json]:
    names = ("fields", "person_fields", "corporate_fields", "foundation_fields")
    return [field for name in names for field in section.get(name) or ()]


def _complaints(known: dict[str, Json], given: Json) -> Complaints:
    found: Complaints = {}
    for name, value in given.items():
        if name not in known:
            found[name] = ["is unknown"]
        elif fault := _fault(known[name], value):
            found[name] = [fault]
    return found


def _fault(field: Json, value: Any) -> str:
    if field.get("provided_by_agent"):
        return "is ours to give"
    if field["field_type"] == "any":
        return "has no acceptable value" if value is None else ""
    try:
        return "" if field_type_of(field["field_type"]).accepts(field, value) else "has no acceptable value"
    except (ValueError, TypeError, KeyError):
        return "has no readable value"
