"""Reads what an agent typed for a decision, the provider's id and a note, and says why a decision is refused."""

from formation_portal.gateway.envelopes import MAX_ID_LENGTH

from ..models import Delivery
from ..reconciliation.matching import is_id_of_another_kind
from ..resources import ResourceKind

ID_IN_USE = "Check the ID. Another record here already has it"


class DecisionRefused(Exception):
    """Nothing has changed; the message says what to do, `field` names the control that it belongs to."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class DecisionOutdated(DecisionRefused):
    """The delivery has changed since the agent read it: somebody else decided, or the service answered."""

    def __init__(self) -> None:
        super().__init__(
            "This changed after you opened it, so your decision was not recorded. Check its current status"
        )


NOTE_LIMIT = 1000

# The interface promises no id in the answer to these (interface, "Shareholding", "Document upload").
_MAY_LACK_AN_ID = (ResourceKind.SHAREHOLDING, ResourceKind.DOCUMENT)


def has_id(kind: ResourceKind) -> bool:
    """Whether the service gives such a thing an id of its own at all."""
    return not (kind.is_csp or kind.is_transition)


def may_lack_id(kind: ResourceKind) -> bool:
    """Whether it can be there without an id that we would know."""
    return kind in _MAY_LACK_AN_ID or not has_id(kind)


def clean_remote_id(row: Delivery, text: str) -> str:
    """The id as typed, without blanks around it; empty where the thing has none. Raises DecisionRefused."""
    chosen = text.strip()
    if not has_id(row.resource_kind):
        return ""
    if not chosen and not may_lack_id(row.resource_kind):
        raise DecisionRefused("Enter the ID that the formation service gave you", field="remote_id")
    if len(chosen) > MAX_ID_LENGTH or any(letter.isspace() or not letter.isprintable() for letter in chosen):
        problem = f"Enter an ID of up to {MAX_ID_LENGTH} characters, without spaces"
        raise DecisionRefused(problem, field="remote_id")
    if is_id_of_another_kind(row.resource_kind, chosen):
        raise DecisionRefused("Check the ID. It looks like the ID of a different kind of record", field="remote_id")
    if chosen and Delivery.objects.filter(kind=row.kind, remote_id=chosen).exclude(pk=row.pk).exists():
        raise DecisionRefused(ID_IN_USE, field="remote_id")
    return chosen


def clean_note(text: str) -> str:
    """The note as typed, with plain line ends. Raises DecisionRefused."""
    note = "\n".join(text.split("\r\n")).strip()
    if len(note) > NOTE_LIMIT or any(not letter.isprintable() and letter not in "\n\t" for letter in note):
        raise DecisionRefused(f"Use {NOTE_LIMIT:,} plain characters or fewer", field="note")
    return note
