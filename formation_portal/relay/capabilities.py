"""What a formation service honours of what makes sending twice harmless: found out by `manage.py probe_service`.

What is not known counts as not honoured: the strictest rule applies (design, "Relay").
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Self

from .kinds import Kind

# The party list is documented, so any service has it.
DOCUMENTED_LISTS = frozenset({Kind.PARTY})


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One service's answers to the questions that the relay asks before it sends anything again."""

    # The same Idempotency-Key twice happens once.
    honours_keys: bool = False
    # A list or a record of these kinds can be read back.
    lists: frozenset[Kind] = DOCUMENTED_LISTS
    # Records of these kinds carry the client_reference that they were created with.
    references: frozenset[Kind] = field(default_factory=frozenset)
    # A second create of the same thing is refused with 409, and names the first one.
    refuses_repeats: frozenset[Kind] = field(default_factory=frozenset)
    # A second upload to a slot takes the first one's place.
    replaces_documents: bool = False
    # csp-data is merged key by key (True), or replaced as a whole (False).
    merges_csp_data: bool | None = None
    # Seconds that its slowest answer took.
    slowest: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        plain = asdict(self)
        return {
            name: sorted(str(one) for one in value) if isinstance(value, frozenset) else value
            for name, value in plain.items()
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """From what was stored; members that are not there are not known."""
        known: dict[str, Any] = {
            name: frozenset(Kind(one) for one in value) if isinstance(value, list) else value
            for name, value in stored.items()
            if name in cls.__dataclass_fields__
        }
        return cls(**known)


_LISTED = frozenset({Kind.ENTITY, Kind.PARTY, Kind.SHARE_CLASS, Kind.SHAREHOLDING, Kind.DOCUMENT})

# What the embedded service honours, so that a fresh machine needs no probe. A test probes it and compares.
EMBEDDED = Capabilities(
    honours_keys=True,
    lists=_LISTED,
    references=frozenset({Kind.ENTITY}),
    refuses_repeats=frozenset({Kind.ENTITY, Kind.SHARE_CLASS, Kind.SHAREHOLDING}),
    replaces_documents=True,
    merges_csp_data=True,
)
