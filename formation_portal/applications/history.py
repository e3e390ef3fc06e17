"""What the history says: kept in English, which agents read, and as a message, so that customers read it in theirs.

What was written before messages were kept has its English alone, and is read as that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db import models

from formation_portal.audit import chain
from formation_portal.audit.models import Deed
from formation_portal.contract.language import language, say

from .models import Application, Change

_MAX_LENGTH = 300


class HistoryEntry(TypedDict):
    """What an entry says, as a Change keeps it."""

    what: str
    message: str
    named: dict[str, str]


def history_entry(message: str, /, **named: str) -> HistoryEntry:
    """A sentence for an entry; `{name}` in it is the value of that name."""
    return {"what": message.format(**named)[:_MAX_LENGTH], "message": message, "named": named}


def entry_text(change: Change) -> str:
    """What the entry says, in the reader's language where it can be said so."""
    return say(change.message, **change.named) if change.message else change.what


def entry_language(change: Change) -> str:
    """The language of these words where it isn't the reader's."""
    return "en" if not change.message and language() != "en" else ""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody without an account who fills in their own part, by invitation. The history names their part."""

    pk: None = None


Author = AbstractBaseUser | Guest


def append_to_audit_log(
    application: Application, entries: Sequence[Change], *, by: Author | None, rows: Sequence[models.Model] = ()
) -> None:
    """One entry of the chain for what one transaction has changed. It names the history's entries by their numbers and
    attests what they say, and `parties` besides, by keyed digests alone: so a draft can be deleted with all that was
    typed."""
    holders = {entry.holder for entry in entries}
    moved_to = next((entry.moved_to for entry in entries if entry.moved_to), "")
    chain.append(
        Deed.CHANGE,
        by=by,
        application=application,
        subject=holders.pop() if len(holders) == 1 else "",
        changes=[entry.pk for entry in entries],
        revision=application.revision,
        rows=[*entries, *rows],
        **({"moved_to": moved_to} if moved_to else {}),
        **({"deleted": True} if application.deleted_at else {}),
    )
