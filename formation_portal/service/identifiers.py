"""Ids of the service's records: a prefix that says what it is, and 96 random bits (interface, "Party")."""

import re
import secrets

ENTITY, PARTY, SHARE_CLASS = "ent_", "pty_", "sc_"
SHAREHOLDING, DOCUMENT, EVENT, WEBHOOK = "sh_", "doc_", "evt_", "wh_"


def new_id(prefix: str) -> str:
    """A fresh id; nobody can guess it, and it sorts nowhere."""
    return prefix + secrets.token_hex(12)


def pattern_of(prefix: str) -> str:
    """The regular expression that every id with the prefix matches."""
    return f"^{prefix}[0-9a-f]{{24}}$"


def is_id(text: str, prefix: str) -> bool:
    """Whether the text can be such an id at all; nothing else is worth a query."""
    return re.fullmatch(pattern_of(prefix), text) is not None


def new_entity_id() -> str:
    """For an entity."""
    return new_id(ENTITY)


def new_party_id() -> str:
    """For a party."""
    return new_id(PARTY)


def new_share_class_id() -> str:
    """For a class of shares."""
    return new_id(SHARE_CLASS)


def new_shareholding_id() -> str:
    """For a shareholding."""
    return new_id(SHAREHOLDING)


def new_document_id() -> str:
    """For a document."""
    return new_id(DOCUMENT)


def new_event_id() -> str:
    """For an event."""
    return new_id(EVENT)


def new_webhook_id() -> str:
    """For a subscription."""
    return new_id(WEBHOOK)
