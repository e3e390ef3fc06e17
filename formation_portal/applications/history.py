"""History entries: their text, their author, and their record in the audit log.

An entry is stored in English, which agents read, and as a message that is translated for customers. Entries older
than the messages have their English alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db import models

from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.localisation import get_language, gettext

from .models import Application, Change

_MAX_LENGTH = 300


class HistoryEntry(TypedDict):
    """The text of an entry, as the columns of a Change."""

    what: str
    message: str
    named: dict[str, str]


def history_entry(message: str, /, **named: str) -> HistoryEntry:
    """The text of an entry; `{name}` in the message is replaced by the value of that name."""
    return {"what": message.format(**named)[:_MAX_LENGTH], "message": message, "named": named}


def entry_text(change: Change) -> str:
    """The text of an entry, in the reader's language where it has a message."""
    return gettext(change.message, **change.named) if change.message else change.what


def entry_language(change: Change) -> str:
    """The language of that text where it is not the reader's, else ""."""
    return "en" if not change.message and get_language() != "en" else ""


@dataclass(frozen=True, slots=True)
class Guest:
    """The author of changes by a guest, who has no account and fills in their own part by invitation."""

    pk: None = None


Author = AbstractBaseUser | Guest


def append_to_audit_log(
    application: Application, entries: Sequence[Change], *, by: Author | None, rows: Sequence[models.Model] = ()
) -> None:
    """Append one transaction's history entries to the audit log, which nobody can alter unseen.

    The log names the entries by primary key and attests them, and `rows` beside them, by keyed digests alone, so that
    a draft can be deleted with everything typed.
    """
    holders = {entry.holder for entry in entries}
    moved_to = next((entry.moved_to for entry in entries if entry.moved_to), "")
    chain.append(
        AuditAction.CHANGE,
        by=by,
        application=application,
        subject=holders.pop() if len(holders) == 1 else "",
        changes=[entry.pk for entry in entries],
        revision=application.revision,
        rows=[*entries, *rows],
        **({"moved_to": moved_to} if moved_to else {}),
        **({"deleted": True} if application.deleted_at else {}),
    )
