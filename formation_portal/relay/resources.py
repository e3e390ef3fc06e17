"""What the service keeps for us: the kinds of resources, their names within an application, and references to them.

A reference is `{"$ref": [kind, subject]}` inside a payload, and becomes a remote id when it is sent (design, "Relay").
No answer of the contract has that shape.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any


class ResourceKind(StrEnum):
    """One kind of thing that the service keeps for us, or a transition of its status; in the order of sending."""

    ENTITY = "entity"
    ENTITY_CSP = "entity_csp"
    SHARE_CLASS = "share_class"
    SHARE_CLASS_CSP = "share_class_csp"
    PARTY = "party"
    PARTY_CSP = "party_csp"
    DOCUMENT = "document"
    SHAREHOLDING = "shareholding"
    SUBMISSION = "submission"
    STATUS = "status"

    @property
    def order(self) -> int:
        """Its place in the order of sending; removals go backwards."""
        return _ORDER[self]

    @property
    def is_transition(self) -> bool:
        """Whether it is a submission or a change of status, which is sent once and never taken back."""
        return self in (ResourceKind.SUBMISSION, ResourceKind.STATUS)

    @property
    def is_csp(self) -> bool:
        """Answers under csp_field_key: merged into what they belong to, without an id of their own."""
        return self in (ResourceKind.ENTITY_CSP, ResourceKind.SHARE_CLASS_CSP, ResourceKind.PARTY_CSP)


_ORDER = {kind: place for place, kind in enumerate(ResourceKind)}

# What a thing is named by within its application: its kind, and a token (empty where there is only one).
ResourceName = tuple[ResourceKind, str]
ENTITY: ResourceName = (ResourceKind.ENTITY, "")
# Any other change of status is an agent's, named by its number in the history.
WITHDRAWAL: ResourceName = (ResourceKind.STATUS, "")


def parent_of(kind: ResourceKind, subject: str) -> ResourceName | None:
    """The resource that this one is removed with; None for the entity itself."""
    if kind is ResourceKind.ENTITY:
        return None
    if kind is ResourceKind.PARTY_CSP:
        return (ResourceKind.PARTY, subject)
    if kind is ResourceKind.SHARE_CLASS_CSP:
        return (ResourceKind.SHARE_CLASS, subject)
    if kind is ResourceKind.DOCUMENT and (party := subject.partition("/")[0]):
        return (ResourceKind.PARTY, party)
    return ENTITY


def submission_subject(number: int) -> str:
    """What names a submission: of the first, as of all things that there is one of, it is empty."""
    return str(number) if number > 1 else ""


def shareholding_subject(party_token: str, class_token: str) -> str:
    """What names a shareholding."""
    return f"{party_token}/{class_token}"


_REFERENCE = "$ref"


def reference_to(kind: ResourceKind, subject: str) -> dict[str, Any]:
    """A reference to another thing of the same application."""
    return {_REFERENCE: [kind.value, subject]}


def referenced_name(value: Any) -> ResourceName | None:
    """The thing that a value refers to, or None where it is no reference."""
    if isinstance(value, Mapping) and value.keys() == {_REFERENCE}:
        kind, subject = value[_REFERENCE]
        return (ResourceKind(kind), subject)
    return None


def referenced_names(payload: Any) -> Iterator[ResourceName]:
    """Every thing that a payload refers to."""
    if (name := referenced_name(payload)) is not None:
        yield name
    elif isinstance(payload, Mapping):
        for value in payload.values():
            yield from referenced_names(value)


def resolve_references(payload: Any, ids: Mapping[ResourceName, str]) -> Any:
    """The payload with remote ids. Raises KeyError for a thing that has none yet."""
    if (name := referenced_name(payload)) is not None:
        return ids[name]
    if isinstance(payload, Mapping):
        return {key: resolve_references(value, ids) for key, value in payload.items()}
    return payload
