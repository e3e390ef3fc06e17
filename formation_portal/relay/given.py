"""Reads what an agent typed for a decision: the id that the provider gave, and a note."""

from formation_portal.gateway.envelopes import LONGEST_ID

from .echoes import is_of_another_kind
from .kinds import Kind
from .models import Delivery
from .refusals import IN_USE, NotDecided

NOTE_LIMIT = 1000

# The interface promises no id in the answer to these (interface, "Shareholding", "Document upload").
_MAY_LACK_AN_ID = (Kind.SHAREHOLDING, Kind.DOCUMENT)


def has_an_id(kind: Kind) -> bool:
    """Whether the service gives such a thing an id of its own at all."""
    return not (kind.is_csp or kind.is_deed)


def may_lack_an_id(kind: Kind) -> bool:
    """Whether it can be there without an id that we would know."""
    return kind in _MAY_LACK_AN_ID or not has_an_id(kind)


def remote_id_in(row: Delivery, text: str) -> str:
    """The id as typed, without blanks around it; empty where the thing has none. Raises NotDecided."""
    chosen = text.strip()
    if not has_an_id(row.name[0]):
        return ""
    if not chosen and not may_lack_an_id(row.name[0]):
        raise NotDecided("Enter the ID that the formation service gave you", field="remote_id")
    if len(chosen) > LONGEST_ID or any(letter.isspace() or not letter.isprintable() for letter in chosen):
        problem = f"Enter an ID of up to {LONGEST_ID} characters, without spaces"
        raise NotDecided(problem, field="remote_id")
    if is_of_another_kind(row.name[0], chosen):
        raise NotDecided("Check the ID. It looks like the ID of a different kind of record", field="remote_id")
    if chosen and Delivery.objects.filter(kind=row.kind, remote_id=chosen).exclude(pk=row.pk).exists():
        raise NotDecided(IN_USE, field="remote_id")
    return chosen


def note_in(text: str) -> str:
    """The note as typed, with plain line ends. Raises NotDecided."""
    note = "\n".join(text.split("\r\n")).strip()
    if len(note) > NOTE_LIMIT or any(not letter.isprintable() and letter not in "\n\t" for letter in note):
        raise NotDecided(f"Use {NOTE_LIMIT:,} plain characters or fewer", field="note")
    return note
