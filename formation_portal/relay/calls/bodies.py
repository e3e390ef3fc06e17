"""Payloads in the wire's shapes: what a create sends, and what an edit sends (interface, "Resources and their fields").

An edit holds what has changed and null for what is gone, so that what was acknowledged is never sent twice.
"""

from collections.abc import Mapping
from typing import Any

from formation_portal.contract import canonical

from ..desired_state import Payload
from ..resources import ResourceKind

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
