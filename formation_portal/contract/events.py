"""The events that a formation service tells of (interface, "Events"; supplement, "Events")."""

from typing import Literal, get_args

Kind = Literal[
    "party.added",
    "party.updated",
    "party.removed",
    "entity.created",
    "entity.status_changed",
    "document.uploaded",
    "shareholding.created",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
