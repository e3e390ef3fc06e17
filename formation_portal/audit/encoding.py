"""How an entry becomes bytes, and bytes a hash."""

import hashlib
from collections.abc import Iterable


def digest(values: Iterable[object]) -> str:
    """The SHA-256 of an entry's columns but its own hash, in their order, as hexadecimal digits.

    Each column is a line. No two entries are the same bytes: `line` has seen to it that no text has an end of line in
    it, so whatever has one too many was tampered with and equals nothing that was ever written.
    """
    return hash_of("\n".join(map(str, values)))


def hash_of(content: str) -> str:
    """The hash of an entry's lines."""
    return hashlib.sha256(content.encode()).hexdigest()


def line(text: str, limit: int) -> str:
    """A text that fits into one line of so many characters at most."""
    return text.replace("\n", " ")[:limit]
