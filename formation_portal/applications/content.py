"""What a new application can be filled with: the typed content of another, or the part of it that fits elsewhere.

Parties and share classes go by the tokens that they have in the application where it all comes from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .drafts import Draft
from .models import Document
from .stakes import Typed, typed_stakes

TypedHoldings = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class NewParty:
    """A party to be: its kind, its roles, and its answers as typed."""

    token: str
    kind: str
    roles: tuple[str, ...]
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewShareClass:
    """A class of shares to be."""

    token: str
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """An upload whose file is to be copied; of a party, or of the entity itself."""

    source: Document
    party: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """All of it."""

    entity: Mapping[str, Any] = field(default_factory=dict)
    parties: tuple[NewParty, ...] = ()
    share_classes: tuple[NewShareClass, ...] = ()
    holdings: TypedHoldings = field(default_factory=dict)
    documents: tuple[NewDocument, ...] = ()
    # Parts of companies as typed, by the tokens of company and owner.
    stakes: Typed = field(default_factory=dict)


def content_of(draft: Draft) -> Content:
    """Everything that was entered, asked for at present or not."""
    return Content(
        entity=dict(draft.entity_raw),
        parties=tuple(NewParty(row.token, row.kind, row.roles, dict(row.raw)) for row in draft.parties),
        share_classes=tuple(NewShareClass(row.token, dict(row.raw)) for row in draft.share_classes),
        holdings=draft.typed_holdings(),
        documents=tuple(NewDocument(one, one.party.token if one.party else None) for one in draft.documents),
        stakes=typed_stakes(draft),
    )
