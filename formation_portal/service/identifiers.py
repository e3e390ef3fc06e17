"""The ids of the service's records: a prefix for the type and 96 random bits (INTERFACE.md, "Parties")."""

import re
import secrets
from functools import partial

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


new_entity_id = partial(new_id, ENTITY)
new_party_id = partial(new_id, PARTY)
new_share_class_id = partial(new_id, SHARE_CLASS)
new_shareholding_id = partial(new_id, SHAREHOLDING)
new_document_id = partial(new_id, DOCUMENT)
new_event_id = partial(new_id, EVENT)
new_webhook_id = partial(new_id, WEBHOOK)
