"""Duplicates: parties of one application, or rows of a sheet, that seem to be the same person or company."""

from dataclasses import dataclass
from typing import Any

from formation_portal.contract.canonical import Identity, canonical_properties, identity, may_be_same, normalised_name

from .draft import Draft
from .parties import PartyRow


def properties_of(draft: Draft, row: PartyRow) -> dict[str, Any]:
    """The party's values by canonical property, where they can be parsed."""
    return canonical_properties(draft.schema.fields_of(row.kind, row.roles), row.record.answers.values)


def identity_of(draft: Draft, row: PartyRow) -> Identity | None:
    """The party's identity; None while its answers are too few."""
    return identity(row.kind, properties_of(draft, row))


def duplicate_of(draft: Draft, row: PartyRow) -> PartyRow | None:
    """The first other party that seems to be the same, unless a person has said that it is not."""
    mine = identity_of(draft, row)
    if mine is None:
        return None
    others = (one for one in draft.parties if one.token != row.token and not _are_distinct(row, one))
    return next((one for one in others if identity_of(draft, one) == mine), None)


def duplicates(draft: Draft) -> dict[str, PartyRow]:
    """For each party that seems to repeat an earlier one, by its token: the earlier one."""
    seen: dict[Identity, list[PartyRow]] = {}
    found: dict[str, PartyRow] = {}
    for row in draft.parties:
        if (mine := identity_of(draft, row)) is not None:
            earlier = seen.setdefault(mine, [])
            same = next((one for one in earlier if not _are_distinct(row, one)), None)
            if same is not None:
                found[row.token] = same
            earlier.append(row)
    return found


def _are_distinct(one: PartyRow, other: PartyRow) -> bool:
    return other.token in one.model.apart_from or one.token in other.model.apart_from


@dataclass(frozen=True, slots=True)
class Match:
    """A party that seems to be the same: one of the application, or one of a row above in the sheet, by its number."""

    party: PartyRow
    row: int | None


class MatchIndex:
    """Finds parties that may be the same without comparing each with each."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._by_identity: dict[Identity, Match] = {}
        self._by_name: dict[tuple[str, str], list[tuple[Match, dict[str, Any]]]] = {}
        for row in draft.parties:
            self.add(row, None)

    def add(self, party: PartyRow, number: int | None) -> None:
        """Add a party, with the number of its row where it comes from the sheet."""
        values, match = self._identifying_values(party), Match(party, number)
        if (known := identity(party.kind, values)) is not None:
            self._by_identity.setdefault(known, match)
        if name := normalised_name(values):
            self._by_name.setdefault((party.kind, name), []).append((match, values))

    def match(self, party: PartyRow) -> Match | None:
        """The party that may be the same: of the same identity, or of the same name with nothing that differs."""
        values = self._identifying_values(party)
        known = identity(party.kind, values)
        if known in self._by_identity:
            return self._by_identity[known]
        namesakes = self._by_name.get((party.kind, normalised_name(values)), [])
        return next((match for match, theirs in namesakes if may_be_same(party.kind, values, theirs)), None)

    def _identifying_values(self, party: PartyRow) -> dict[str, Any]:
        values = properties_of(self._draft, party)
        return values | {"email": values["email"].casefold()} if isinstance(values.get("email"), str) else values
