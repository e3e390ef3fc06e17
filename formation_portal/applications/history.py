"""What the history says: kept in English, which agents read, and as a message, so that customers read it in theirs.

What was written before messages were kept has its English alone, and is read as that.
"""

from typing import TypedDict

from formation_portal.contract.language import language, say

from .models import Change

_MOST = 300


class Told(TypedDict):
    """What an entry says, as a Change keeps it."""

    what: str
    message: str
    named: dict[str, str]


def told(message: str, /, **named: str) -> Told:
    """A sentence for an entry; `{name}` in it is the value of that name."""
    return {"what": message.format(**named)[:_MOST], "message": message, "named": named}


def in_words(change: Change) -> str:
    """What the entry says, in the reader's language where it can be said so."""
    return say(change.message, **change.named) if change.message else change.what


def language_of(change: Change) -> str:
    """The language of these words where it isn't the reader's."""
    return "en" if not change.message and language() != "en" else ""
