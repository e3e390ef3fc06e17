"""Payloads on the wire: what a create and an edit send, and whether a record of the service can be what was sent.

An edit holds what has changed and null for what is gone, so that what was acknowledged is never sent twice (interface,
"Resources and their fields").
"""

import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from formation_portal.contract import canonical

from ..models import Payload, ResourceKind

Path = tuple[str, ...]


def full_body(kind: ResourceKind, payload: Payload) -> dict[str, Any]:
    """Everything, as a create sends it."""
    fixed = {name: payload[name] for name in _FIXED.get(kind, ())}
    return fixed | _nested(_by_path(kind, payload))


def changed_members(kind: ResourceKind, old: Payload, new: Payload) -> dict[str, Any]:
    """What an edit sends to get from the old to the new; empty where there is nothing to do."""
    was, is_now = _by_path(kind, old), _by_path(kind, new)
    return _nested(
        {
            path: is_now.get(path)
            for path in {**was, **is_now}
            if (path in was) != (path in is_now) or was[path] != is_now[path]
        }
    )


def field_named(kind: ResourceKind, payload: Payload, name: str) -> str:
    """The name of the field that the service means by a property's or key's name; empty where it means none of ours."""
    answers = payload.get("answers", {})
    by_path = {".".join(_path(kind, name)): name for name in answers}
    by_property = {canonical.property_of(name): name for name in answers}
    return next((by[name] for by in ({name: name for name in answers}, by_path, by_property) if name in by), "")


# What a create says beside answers, and no edit can change.
_FIXED = {ResourceKind.ENTITY: ("jurisdiction_product_id", "client_reference"), ResourceKind.PARTY: ("party_type",)}
# What can change beside answers.
_CHANGEABLE = {ResourceKind.PARTY: ("roles",), ResourceKind.SHAREHOLDING: ("party", "share_class", "shares_held")}
# On the wire a reference has the name of its id.
_WIRE_NAMES = {"party": "party_id", "share_class": "share_class_id"}


def _by_path(kind: ResourceKind, payload: Payload) -> dict[Path, Any]:
    """Every value by its path in the record."""
    flat: dict[Path, Any] = {("par_value",): 0} if kind is ResourceKind.SHARE_CLASS else {}
    flat |= {(_WIRE_NAMES.get(name, name),): payload[name] for name in _CHANGEABLE.get(kind, ())}
    return flat | {_path(kind, name): value for name, value in payload.get("answers", {}).items()}


def _path(kind: ResourceKind, name: str) -> Path:
    if kind is ResourceKind.ENTITY:
        return canonical.path_of(name)
    return (name,) if kind.is_csp else (canonical.property_of(name),)


def _nested(flat: Mapping[Path, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for (*outer, last), value in flat.items():
        inner = nested
        for step in outer:
            inner = inner.setdefault(step, {})
        inner[last] = value
    return nested


# What stays as it was sent, by kind. A party's role shareholder is absent until it holds shares.
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


# How ids begin (interface, "Party", "Share class"; supplement, "Transport and credentials"). Another make may have
# prefixes of its own; but what begins like another kind's is that.
_PREFIXES = {
    ResourceKind.ENTITY: "ent_",
    ResourceKind.PARTY: "pty_",
    ResourceKind.SHARE_CLASS: "sc_",
    ResourceKind.SHAREHOLDING: "sh_",
    ResourceKind.DOCUMENT: "doc_",
}


def is_id_of_another_kind(kind: ResourceKind, remote_id: str) -> bool:
    """Whether an id says by its prefix that it is of something else."""
    return any(remote_id.startswith(prefix) for other, prefix in _PREFIXES.items() if other is not kind)


def matches(kind: ResourceKind, body: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether nothing that the record shows speaks against its being what the body asked for.

    Only what stays as it is counts, and a member that the record doesn't show is no evidence either way. Texts are
    compared without case, accents' form and outer blanks, since a service may write names in its own way.
    """
    members = _STABLE_MEMBERS.get(kind, ())
    if not all(_is_same(body.get(name), record[name]) for name in members if record.get(name) is not None):
        return False
    sent, listed = body.get("roles"), record.get("roles")
    if kind is not ResourceKind.PARTY or not isinstance(sent, list) or not isinstance(listed, list):
        return True
    return {str(role) for role in listed} <= {str(role) for role in sent}


def _is_same(sent: Any, received: Any) -> bool:
    if sent is None:
        # Shown, but not sent: the service may have filled it in.
        return True
    if isinstance(sent, str) and isinstance(received, str):
        return _plain(sent) == _plain(received)
    if isinstance(sent, int | float | Decimal) and not isinstance(sent, bool):
        return _number(sent) == _number(received)
    return bool(sent == received)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None
