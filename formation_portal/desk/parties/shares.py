"""What a party holds of the entity and of other companies, and who owns it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import companies_owned_by, owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import number_of_shares
from formation_portal.contract.stakes import apportion, format_hundredths, format_percent
from formation_portal.ui.allocation import Allocation


@dataclass(frozen=True, slots=True)
class ShareLine:
    """One line: what of, and how much; `is_name` where it is of a company or by an owner."""

    term: str
    value: str
    is_name: bool = False


def share_lines(draft: Draft, party: PartyRow) -> tuple[ShareLine, ...]:
    """Shares by class, parts of all shares and votes, parts of other companies, and its own owners. One query."""
    if not draft.holds_shares:
        return ()
    allocation = Allocation(draft)
    held = _held(draft, party, allocation) if draft.is_shareholder(party) else ()
    return (*held, *_stakes(draft, party, allocation))


def _held(draft: Draft, party: PartyRow, allocation: Allocation) -> Iterator[ShareLine]:
    for row in allocation.classes:
        holding, given = draft.holdings.get((party.token, row.token)), allocation.allocated(row)
        if holding is not None:
            words = number_of_shares(holding)
            if given:
                parts = {one.token: Fraction(allocation.shares(one, row), given) for one in allocation.holders}
                hundredths = apportion(list(parts.values()), short_of=allocation.bounds)
                part = format_hundredths(dict(zip(parts, hundredths, strict=True))[party.token])
                words = f"{words} shares, {part} of the class"
            yield ShareLine(row.label, words)
    yield ShareLine("Of all shares", allocation.share_percent(party) or format_percent(Fraction(0)))
    if allocation.votes:
        yield ShareLine("Of all votes", allocation.vote_percent(party))


def _stakes(draft: Draft, party: PartyRow, allocation: Allocation) -> Iterator[ShareLine]:
    typed = allocation.typed_stakes
    for company in companies_owned_by(draft, party, typed):
        of_it = next(one for one in owners_of(draft, company, typed) if one.party.token == party.token)
        yield ShareLine(company.label, of_it.words, is_name=True)
    for one in owners_of(draft, party, typed):
        part_of_it = one.percent if one.part is not None else f"“{one.typed}”, unreadable"
        yield ShareLine(f"Owned by {one.party.label}", part_of_it)
