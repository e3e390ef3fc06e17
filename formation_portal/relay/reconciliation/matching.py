"""Whether a record of the service can be what we have sent: compared by what stays as it is, member by member.

A member that the record doesn't show is no evidence either way. Texts are compared without case, accents' form and
outer blanks, since a service may write names in its own way.
"""

import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ..resources import ResourceKind

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
    """Whether nothing that the record shows speaks against its being what the body asked for."""
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
