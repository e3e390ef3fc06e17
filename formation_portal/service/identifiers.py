"""The ids of the service's records: a prefix for the type and 96 random bits (INTERFACE.md, "Parties")."""

import re
import secrets

ENTITY = "ent_"
PARTY = "pty_"
SHARE_CLASS = "sc_"
SHAREHOLDING = "sh_"
DOCUMENT = "doc_"
EVENT = "evt_"
WEBHOOK = "wh_"


def new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(12)


def pattern_of(prefix: str) -> str:
    return f"^{prefix}[0-9a-f]{{24}}$"


def is_id(text: str, prefix: str) -> bool:
    return re.fullmatch(pattern_of(prefix), text) is not None


def new_entity_id() -> str:
    return new_id(ENTITY)


def new_party_id() -> str:
    return new_id(PARTY)


def new_share_class_id() -> str:
    return new_id(SHARE_CLASS)


def new_shareholding_id() -> str:
    return new_id(SHAREHOLDING)


def new_document_id() -> str:
    return new_id(DOCUMENT)


def new_event_id() -> str:
    return new_id(EVENT)


def new_webhook_id() -> str:
    return new_id(WEBHOOK)
