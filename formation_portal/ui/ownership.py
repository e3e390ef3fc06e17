"""The ownership of the company as a tree: its shareholders, and the known owners of companies among them.

Customers, agents and the printed record read the same tree, so that all of them read the same words and figures.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import Owner, owned_companies, owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.ownership import format_hundredths, hundredths_rounded_up

from .allocation import Allocation, part_of

_TOO_MUCH = gettext_noop("The owners of {name} add up to {sum}, which is more than 100%.")


def join_sentences(*parts: str) -> str:
    """Join short sentences in one line, with one full stop after each but the last."""
    joined = ""
    for part in filter(None, parts):
        if joined:
            joined = f"{joined.removesuffix('.')}. "
        joined += part
    return joined


def unaccounted_for(company: PartyRow, owners: Iterable[Owner]) -> str:
    """Describe how much of a company its owners account for, like "30% of Kite Holding has no known owner."."""
    total = sum((owner.part for owner in owners if owner.part), Fraction(0))
    if not total:
        return gettext("No owners added.")
    if total < 1:
        rest = format_hundredths(hundredths_rounded_up(1 - total))
        return gettext("{part} of {name} has no known owner.").format(part=rest, name=company.label)
    if total == 1:
        return gettext("You have added all the owners of {name}.").format(name=company.label)
    return gettext(_TOO_MUCH).format(name=company.label, sum=format_hundredths(hundredths_rounded_up(total)))


@dataclass(frozen=True, slots=True)
class OwnershipNode:
    """A shareholder or owner: its parts of the shares and votes through the companies above it, and its own owners.

    `end` tells why no owners are drawn, `rest` names the part without a known owner; `owners_url` is the owners' page.
    """

    name: str
    note: str
    of_shares: str
    of_votes: str
    owners: tuple["OwnershipNode", ...] = ()
    end: str = ""
    rest: str = ""
    owners_url: str = ""


class Ownership:
    """The tree of the shareholders, empty if all are people; with `is_full`, also of other companies with owners."""

    def __init__(self, draft: Draft, allocation: Allocation, *, is_full: bool = False, has_links: bool = False) -> None:
        self.company = draft.title
        self.has_votes = allocation.has_votes
        self._draft = draft
        self._allocation = allocation
        self._has_links = has_links
        self._drawn: set[str] = set()
        self._owners = {owner for _, owner in allocation.typed_stakes}
        nodes: list[OwnershipNode] = []
        holders = [party for party in allocation.holders if allocation.held.get(party.token)]
        if not all(party.is_person for party in holders):
            for party in holders:
                nodes.append(self._node(party, part_of(allocation.held, party), part_of(allocation.votes, party)))
        if is_full:
            for company in owned_companies(draft, allocation.typed_stakes):
                if company.token not in self._drawn:
                    nodes.append(self._node(company, Fraction(0), Fraction(0)))
        self.nodes = tuple(nodes)

    def covers(self, party: PartyRow) -> bool:
        """Tell whether the tree shows all about the party: an owner without a role is asked nothing."""
        return not party.roles and party.token in self._owners

    def lines(self) -> Iterator[tuple[int, OwnershipNode]]:
        """Yield every node with its depth, top down."""
        pending = [(0, node) for node in reversed(self.nodes)]
        while pending:
            depth, node = pending.pop()
            yield depth, node
            pending += [(depth + 1, owner) for owner in reversed(node.owners)]

    def _node(
        self, party: PartyRow, of_shares: Fraction, of_votes: Fraction, through: tuple[str, ...] = (), stake: str = ""
    ) -> OwnershipNode:
        """Build the node of a holder or owner with these parts; `stake` is its part of the company above, in words."""
        allocation = self._allocation
        end = ""
        if party.token in through:
            end = gettext("Shown above. These companies own each other.")
        elif party.is_owned and party.token in self._drawn:
            end = gettext("Its owners are shown above.")
        elif not party.is_owned and not party.is_person:
            end = gettext("A foundation has no owners.")
        self._drawn.add(party.token)
        is_open = party.is_owned and not end
        stakes = allocation.stakes.get(party.token, {})
        owners: Iterable[Owner] = ()
        rest = ""
        owners_url = ""
        if is_open:
            owners = owners_of(self._draft, party, allocation.typed_stakes)
            if sum(stakes.values()) != 1:
                rest = unaccounted_for(party, owners)
            if self._has_links:
                owners_url = reverse("portal:owners", args=[self._draft.application.reference, party.token])
        nodes: list[OwnershipNode] = []
        for owner in owners:
            part = stakes.get(owner.party.token)
            if part is not None:
                way = (*through, party.token)
                nodes.append(self._node(owner.party, of_shares * part, of_votes * part, way, owner.words))
            elif owner.part != 0:
                # The stake cannot be parsed, or the stakes in this company exceed 100%.
                nodes.append(OwnershipNode(owner.party.label, owner.words, "", ""))
        has_some = bool(of_shares or of_votes)
        return OwnershipNode(
            name=party.label,
            note=join_sentences(stake, self._note(party)),
            of_shares=allocation.share_percents.of(party.token, of_shares) if has_some else "",
            of_votes=allocation.vote_percents.of(party.token, of_votes) if has_some and allocation.votes else "",
            owners=tuple(nodes),
            end=end,
            rest=rest,
            owners_url=owners_url,
        )

    def _note(self, party: PartyRow) -> str:
        role_words = canonical.list_roles(party.roles)
        if not party.is_person:
            return join_sentences(role_words, canonical.kind_title(party.kind))
        if canonical.BENEFICIAL_OWNER in party.roles or self._allocation.reaches_threshold(party):
            return role_words
        return join_sentences(role_words, gettext("Below the threshold"))


def ownership(draft: Draft, allocation: Allocation | None = None) -> Ownership | None:
    """Return the full ownership tree; None without shares, or if all holders are people and no company has owners."""
    if not draft.holds_shares:
        return None
    tree = Ownership(draft, allocation or Allocation(draft), is_full=True)
    return tree if tree.nodes else None
