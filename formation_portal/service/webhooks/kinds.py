"""The events that can be subscribed to (interface, "Events"; supplement, "Events")."""

from typing import Literal

Kind = Literal[
    "party.added",
    "party.updated",
    "party.removed",
    "entity.created",
    "entity.status_changed",
    "document.uploaded",
    "shareholding.created",
]
