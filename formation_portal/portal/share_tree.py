"""Ownership as a tree: the company, and below it whoever holds its shares, as far as that is known here."""

from dataclasses import dataclass
from fractions import Fraction

from formation_portal.applications.rows import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.language import say
from formation_portal.contract.ownership import Threshold

from . import roles
from .allocation import Allocation
from .percent import percent


@dataclass(frozen=True, slots=True)
class Node:
    """One holder: what is said of it, its parts, and whether somebody stands behind it of whom nothing is known."""

    name: str
    note: str
    of_shares: str
    of_votes: str
    is_open_end: bool


def tree(allocation: Allocation, threshold: Threshold) -> tuple[Node, ...]:
    """The holders that hold something, where one of them is no person; without such a one there is no tree."""
    holders = [party for party in allocation.holders if allocation.held.get(party.token)]
    if all(party.kind == "person" for party in holders):
        return ()
    return tuple(_node(allocation, threshold, party) for party in holders)


def _node(allocation: Allocation, threshold: Threshold, party: PartyRow) -> Node:
    of_shares, of_votes = allocation.part_of_shares(party), allocation.part_of_votes(party)
    return Node(
        name=party.label,
        note=_note(threshold, party, max(of_shares, of_votes)),
        of_shares=percent(of_shares),
        of_votes=percent(of_votes) if allocation.votes else "",
        is_open_end=party.kind != "person",
    )


def _note(threshold: Threshold, party: PartyRow, part: Fraction) -> str:
    said = roles.role_words(party.roles)
    if party.kind == "person":
        counts = canonical.BENEFICIAL_OWNER in party.roles or threshold.counts(part)
        return said if counts else f"{said}. {say('Below what counts')}"
    return f"{said}. {canonical.kind_title(party.kind)}"
