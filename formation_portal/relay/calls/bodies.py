"""Make the bodies of creates and edits, and match records of the service with them (INTERFACE.md, "Where answers go").

The body of an edit holds the changed members, and null for removed ones.
"""

import unicodedata
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from formation_portal.contract import canonical
from formation_portal.gateway.records import without_placeholder

from ..models import Payload, ResourceKind

Path = tuple[str, ...]


def full_body(kind: ResourceKind, payload: Payload) -> dict[str, Any]:
    fixed = {name: payload[name] for name in _FIXED.get(kind, ())}
    return fixed | _nested(_by_path(kind, payload))


def changed_members(kind: ResourceKind, old: Payload, new: Payload) -> dict[str, Any]:
    """Return the body of an edit that turns the old payload into the new; empty if they are equal."""
    before = _by_path(kind, old)
    after = _by_path(kind, new)
    changed = {}
    for path in {**before, **after}:
        if (path in before) != (path in after) or before[path] != after[path]:
            changed[path] = after.get(path)
    return _nested(changed)


def fields_by_name(kind: ResourceKind, fields: Collection[str]) -> dict[str, str]:
    """Map each name that the service may use for a field (property, path or key) to the field."""
    by_property = {canonical.property_of(field): field for field in fields}
    by_path = {".".join(_path(kind, field)): field for field in fields}
    return by_property | by_path | dict(zip(fields, fields, strict=True))


# Members of a create, beside the answers, that no edit can change.
_FIXED = {ResourceKind.ENTITY: ("jurisdiction_product_id", "client_reference"), ResourceKind.PARTY: ("party_type",)}
# Members, beside the answers, that an edit can change.
_CHANGEABLE = {ResourceKind.PARTY: ("roles",), ResourceKind.SHAREHOLDING: ("party", "share_class", "shares_held")}
# The names, in a body, of the ids that replace these references.
_WIRE_NAMES = {"party": "party_id", "share_class": "share_class_id"}


def _by_path(kind: ResourceKind, payload: Payload) -> dict[Path, Any]:
    values: dict[Path, Any] = {}
    if kind is ResourceKind.SHARE_CLASS:
        values["par_value",] = 0
    for name in _CHANGEABLE.get(kind, ()):
        values[_WIRE_NAMES.get(name, name),] = payload[name]
    for name, value in payload.get("answers", {}).items():
        values[_path(kind, name)] = value
    return values


def _path(kind: ResourceKind, name: str) -> Path:
    if kind is ResourceKind.ENTITY:
        return canonical.path_of(name)
    if kind.is_csp:
        return (name,)
    return (canonical.property_of(name),)


def _nested(values: Mapping[Path, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for (*outer, last), value in values.items():
        inner = nested
        for step in outer:
            inner = inner.setdefault(step, {})
        inner[last] = value
    return nested


# Members that stay as sent, by kind. Roles may not: a party lacks the role of shareholder until it holds shares.
_STABLE_MEMBERS: Mapping[ResourceKind, tuple[str, ...]] = {
    ResourceKind.ENTITY: ("jurisdiction_product_id", "client_reference", "name"),
    ResourceKind.PARTY: (
        "client_reference",
        "party_type",
        "first_name",
        "last_name",
        "name",
        "email",
        "date_of_birth",
        "registration_number",
    ),
    ResourceKind.SHARE_CLASS: ("client_reference", "name", "currency", "par_value"),
    ResourceKind.SHAREHOLDING: ("client_reference", "party_id", "share_class_id", "shares_held"),
    ResourceKind.DOCUMENT: ("document_key", "party_id", "sha256"),
}


# How ids begin (INTERFACE.md, "Parties", "Share classes", "Transport and credentials"). Another service may have
# prefixes of its own; but an id that begins like another kind's is of that kind.
_PREFIXES = {
    ResourceKind.ENTITY: "ent_",
    ResourceKind.PARTY: "pty_",
    ResourceKind.SHARE_CLASS: "sc_",
    ResourceKind.SHAREHOLDING: "sh_",
    ResourceKind.DOCUMENT: "doc_",
}


def is_id_of_another_kind(kind: ResourceKind, remote_id: str) -> bool:
    return any(remote_id.startswith(prefix) for other, prefix in _PREFIXES.items() if other is not kind)


def matches(kind: ResourceKind, body: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Tell whether a record can be the result of a create with this body.

    Only members that a service keeps as sent are compared; a member that the record lacks proves nothing. Case, Unicode
    form and blanks of texts are ignored, since a service may write names in its own way.
    """
    body = without_placeholder(dict(body))
    for name in _STABLE_MEMBERS.get(kind, ()):
        if record.get(name) is not None and not _is_same(body.get(name), record[name]):
            return False
    sent_roles = body.get("roles")
    listed_roles = record.get("roles")
    if kind is not ResourceKind.PARTY or not isinstance(sent_roles, list) or not isinstance(listed_roles, list):
        return True
    return set(map(str, listed_roles)) <= set(map(str, sent_roles))


def _is_same(sent: Any, received: Any) -> bool:
    if sent is None:
        # We did not send this member: the service may have filled it in.
        return True
    if isinstance(sent, str) and isinstance(received, str):
        return _plain(sent) == _plain(received)
    if isinstance(sent, int | float | Decimal) and not isinstance(sent, bool):
        try:
            return Decimal(str(sent)) == Decimal(str(received))
        except InvalidOperation:
            return False
    return bool(sent == received)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
