"""Parties of one application that seem to be the same person or company."""

from typing import Any

from formation_portal.contract.identity import Identity, identity, properties

from .drafts import Draft
from .rows import PartyRow


def properties_of(draft: Draft, row: PartyRow) -> dict[str, Any]:
    """What is known of the party by canonical property, as far as it can be read."""
    return properties(draft.schema.fields_of(row.kind, row.roles), row.record.answers.values)


def identity_of(draft: Draft, row: PartyRow) -> Identity | None:
    """Who the party is; None while its answers tell too little."""
    return identity(row.kind, properties_of(draft, row))


def double_of(draft: Draft, row: PartyRow) -> PartyRow | None:
    """The first other party that seems to be the same, unless somebody has said that it isn't."""
    mine = identity_of(draft, row)
    if mine is None:
        return None
    others = (one for one in draft.parties if one.token != row.token and not _told_apart(row, one))
    return next((one for one in others if identity_of(draft, one) == mine), None)


def doubles(draft: Draft) -> dict[str, PartyRow]:
    """By the token of each later entry the earlier one that seems to be the same."""
    seen: dict[Identity, list[PartyRow]] = {}
    found: dict[str, PartyRow] = {}
    for row in draft.parties:
        if (mine := identity_of(draft, row)) is not None:
            earlier = seen.setdefault(mine, [])
            same = next((one for one in earlier if not _told_apart(row, one)), None)
            if same is not None:
                found[row.token] = same
            earlier.append(row)
    return found


def _told_apart(one: PartyRow, other: PartyRow) -> bool:
    return other.token in one.model.apart_from or one.token in other.model.apart_from
