"""The allocation of shares to holders, with sums, percentages, votes and amounts paid in."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import TypedStakes, known_stakes, threshold_of, typed_stakes
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract import canonical
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.ownership import (
    Parts,
    Percentages,
    Stakes,
    Threshold,
    percentages_of,
    trace_ownership,
)
from formation_portal.contract.shares import existing_shares, over_issued


class Allocation:
    """The numbers of shares entered for each holder and class; an unreadable number counts as 0."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    @cached_property
    def holders(self) -> tuple[PartyRow, ...]:
        return tuple(row for row in self._draft.parties if self._draft.is_shareholder(row))

    @cached_property
    def classes(self) -> tuple[ShareClassRow, ...]:
        return self._draft.share_classes

    def shares(self, party: PartyRow, row: ShareClassRow) -> int:
        holding = self._draft.holdings.get((party.token, row.token))
        return (holding and holding.shares) or 0

    def is_unreadable(self, party: PartyRow, row: ShareClassRow) -> bool:
        """Tell whether the typed holding is not a number of shares."""
        holding = self._draft.holdings.get((party.token, row.token))
        return holding is not None and holding.shares is None

    def allocated(self, row: ShareClassRow) -> int:
        return sum(self.of_class(row).values())

    def of_class(self, row: ShareClassRow) -> dict[str, int]:
        return {party.token: self.shares(party, row) for party in self.holders}

    @cached_property
    def _available(self) -> dict[str, int | None]:
        return {row.token: existing_shares(self._draft.form_state, row.record) for row in self.classes}

    def available(self, row: ShareClassRow) -> int | None:
        return self._available[row.token]

    @cached_property
    def total_available(self) -> int | None:
        return existing_shares(self._draft.form_state, None)

    @cached_property
    def total_allocated(self) -> int:
        return sum(self.allocated(row) for row in self.classes)

    @property
    def is_over_issued(self) -> bool:
        """Tell whether more shares are allocated than exist. Only the portal refuses these, not the service."""
        return any(over_issued(self._draft.form_state))

    @cached_property
    def _voting(self) -> tuple[ShareClassRow, ...]:
        return tuple(row for row in self.classes if self.property_of(row, "voting_rights"))

    @cached_property
    def held(self) -> dict[str, int]:
        return self._by_holder(self.classes)

    @cached_property
    def votes(self) -> dict[str, int]:
        """Return each holder's votes, one for each voting share, by the holder's token; empty if none."""
        return self._by_holder(self._voting)

    @cached_property
    def stakes(self) -> Stakes:
        return known_stakes(self._draft, self.typed_stakes)

    @cached_property
    def typed_stakes(self) -> TypedStakes:
        return typed_stakes(self._draft)

    @cached_property
    def final_shares(self) -> Parts:
        return trace_ownership(self.held, stakes=self.stakes)

    @cached_property
    def final_votes(self) -> Parts:
        return trace_ownership(self.votes, stakes=self.stakes)

    @cached_property
    def share_percents(self) -> Percentages:
        return self._percents(self.held, self.final_shares)

    @cached_property
    def vote_percents(self) -> Percentages:
        return self._percents(self.votes, self.final_votes)

    def _percents(self, numbers: dict[str, int], ends: Parts) -> Percentages:
        """Compute percentages. A part that ends at a company, whose owners are unknown, belongs to the rest."""
        unknown = {row.token for row in self._draft.parties if row.is_owned}
        return percentages_of(numbers, ends, unknown=unknown, short_of=self.bounds)

    @property
    def bounds(self) -> tuple[Fraction, ...]:
        """Return the whole and the threshold, to which no smaller part is rounded up."""
        return Fraction(1), self.threshold.percent / 100

    @cached_property
    def threshold(self) -> Threshold:
        return threshold_of(self._draft.application.product.get("jurisdiction") or {})

    def reaches_threshold(self, party: PartyRow) -> bool:
        """Tell whether the party's final shares or votes reach the threshold."""
        return any(self.threshold.counts(ends.of(party.token)) for ends in (self.final_shares, self.final_votes))

    def is_owner(self, party: PartyRow) -> bool:
        """Tell whether the party owns a part of a company that holds shares."""
        companies = (company for company, owners in self.stakes.items() if party.token in owners)
        return any(self.final_shares.of(company) or self.final_votes.of(company) for company in companies)

    def may_hide_an_owner(self, party: PartyRow) -> bool:
        """Tell whether somebody who owned all of the company's unknown part would be a beneficial owner."""
        rest = 1 - sum(self.stakes.get(party.token, {}).values())
        ends = (self.final_shares.of(party.token), self.final_votes.of(party.token))
        return party.is_owned and rest > 0 and any(self.threshold.counts(part * rest) for part in ends)

    def _by_holder(self, classes: tuple[ShareClassRow, ...]) -> dict[str, int]:
        sums = {party.token: sum(self.shares(party, row) for row in classes) for party in self.holders}
        return sums if any(sums.values()) else {}

    @property
    def has_votes(self) -> bool:
        return bool(self._voting)

    def share_percent(self, party: PartyRow) -> str:
        return self.share_percents.of(party.token, part_of(self.held, party)) if self.held else ""

    def vote_percent(self, party: PartyRow) -> str:
        return self.vote_percents.of(party.token, part_of(self.votes, party)) if self.votes else ""

    def paid_in(self, row: ShareClassRow) -> str:
        return self._paid_in((row,))

    @property
    def total_paid_in(self) -> str:
        return self._paid_in(self.classes)

    def _paid_in(self, rows: Iterable[ShareClassRow]) -> str:
        total = Decimal(0)
        currencies = set()
        for row in rows:
            par_value, currency = self.property_of(row, "par_value"), self.property_of(row, "currency")
            if par_value is None or not currency:
                return ""
            total += Decimal(str(par_value)) * self.allocated(row)
            currencies.add(str(currency))
        return format_money(total, currencies.pop()) if len(currencies) == 1 else ""

    def property_of(self, row: ShareClassRow, name: str) -> Any:
        specs = self._draft.schema.share_class_fields
        return canonical.canonical_properties(specs, row.record.answers.values).get(name)


def part_of(numbers: dict[str, int], party: PartyRow) -> Fraction:
    whole = sum(numbers.values())
    return Fraction(numbers.get(party.token, 0), whole) if whole else Fraction(0)
