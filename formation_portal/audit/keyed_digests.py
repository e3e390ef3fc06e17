"""Keyed digests (AUDIT_KEY) of entries, of attested rows and of the chain's marks."""

import hmac

from formation_portal.core.nodes.secret_store import audit_key


def keyed_digests(content: str) -> list[str]:
    """Return the digest of a text under each key of AUDIT_KEY. The first is for storing; any of them verifies."""
    text = content.encode()
    return [hmac.digest(key.encode(), text, "sha256").hex() for key in audit_key().split()]


def entry_digests(entry_hash: str) -> list[str]:
    return keyed_digests(f"entry {entry_hash}")


def mark_digests(name: str, number: int, entry_hash: str) -> list[str]:
    return keyed_digests(f"{name} {number} {entry_hash}")
