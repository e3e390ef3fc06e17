"""Local names inside payloads, which become remote ids when they are sent.

A reference is `{"$ref": [kind, subject]}`; no answer of the contract has that shape.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .kinds import Kind, Name

_MARK = "$ref"


def ref(kind: Kind, subject: str) -> dict[str, Any]:
    """A reference to another thing of the same application."""
    return {_MARK: [kind.value, subject]}


def named(value: Any) -> Name | None:
    """The thing that a value refers to, or None where it is no reference."""
    if isinstance(value, Mapping) and value.keys() == {_MARK}:
        kind, subject = value[_MARK]
        return (Kind(kind), subject)
    return None


def names_in(payload: Any) -> Iterator[Name]:
    """Every thing that a payload refers to."""
    if (name := named(payload)) is not None:
        yield name
    elif isinstance(payload, Mapping):
        for value in payload.values():
            yield from names_in(value)


def resolved(payload: Any, ids: Mapping[Name, str]) -> Any:
    """The payload with remote ids. Raises KeyError for a thing that has none yet."""
    if (name := named(payload)) is not None:
        return ids[name]
    if isinstance(payload, Mapping):
        return {key: resolved(value, ids) for key, value in payload.items()}
    return payload
