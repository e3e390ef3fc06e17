"""Ownership as a tree: the company, whoever holds its shares, and whoever owns those, as far as that is known here."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.rows import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.language import say
from formation_portal.contract.ownership import known_parts

from . import roles
from .allocation import Allocation
from .ownership_words import remainder, together
from .percent import percent


@dataclass(frozen=True, slots=True)
class Node:
    """One holder or owner: what is said of it, its parts on this way, and whoever is behind it.

    `end` says why nobody is, and `rest` what of it is not accounted for; `owners_url` leads to where its owners are
    entered.
    """

    name: str
    note: str
    of_shares: str
    of_votes: str
    owners: tuple["Node", ...] = ()
    end: str = ""
    rest: str = ""
    owners_url: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """How much of shares and votes comes to a place in the tree, and through which companies."""

    of_shares: Fraction
    of_votes: Fraction
    through: tuple[str, ...] = ()

    def onwards(self, company: str, part: Fraction) -> "Way":
        """To an owner of so much of the company."""
        return Way(self.of_shares * part, self.of_votes * part, (*self.through, company))


def tree(draft: Draft, allocation: Allocation) -> tuple[Node, ...]:
    """The holders that hold something, where one of them is no person; without such a one there is no tree."""
    holders = [party for party in allocation.holders if allocation.held.get(party.token)]
    if all(party.is_person for party in holders):
        return ()
    growing = _Growing(draft, allocation)
    ways = ((party, Way(allocation.part_of_shares(party), allocation.part_of_votes(party))) for party in holders)
    return tuple(growing.node(party, way, "") for party, way in ways)


class _Growing:
    """One tree while it grows. The owners of a company are drawn once, so that it stays as large as its companies."""

    def __init__(self, draft: Draft, allocation: Allocation) -> None:
        self._draft = draft
        self._allocation = allocation
        self._drawn: set[str] = set()

    def node(self, party: PartyRow, way: Way, said: str) -> Node:
        """The holder or owner at the end of a way; `said` is which part of what it owns."""
        end = self._end(party, way)
        is_open = bool(party.is_owned and not end)
        url = reverse("portal:owners", args=[self._draft.application.reference, party.token])
        self._drawn.add(party.token)
        return Node(
            name=party.label,
            note=together(said, self._note(party)),
            of_shares=percent(way.of_shares),
            of_votes=percent(way.of_votes) if self._allocation.votes else "",
            owners=tuple(self._owners(party, way)) if is_open else (),
            end=end,
            rest=self._rest(party) if is_open else "",
            owners_url=url if is_open else "",
        )

    def _end(self, party: PartyRow, way: Way) -> str:
        if party.token in way.through:
            return say("Already above: these companies own each other in a circle.")
        if party.is_owned and party.token in self._drawn:
            return say("Its owners are shown above.")
        return "" if party.is_owned or party.is_person else say("A foundation has no owners.")

    def _owners(self, company: PartyRow, way: Way) -> Iterator[Node]:
        stakes = self._allocation.stakes.get(company.token, {})
        counted = known_parts(stakes)
        for token, part in stakes.items():
            owner = self._draft.party(token)
            if owner is not None:
                said = say("{part} of {name}", part=percent(part), name=company.label)
                yield self.node(owner, way.onwards(company.token, counted[token]), said)

    def _rest(self, company: PartyRow) -> str:
        """Nothing where all of it is accounted for."""
        parts = self._allocation.stakes.get(company.token, {}).values()
        return "" if sum(parts) == 1 else remainder(company.label, parts)

    def _note(self, party: PartyRow) -> str:
        said = roles.role_words(party.roles) if party.roles else ""
        if not party.is_person:
            return together(said, canonical.kind_title(party.kind))
        counts = canonical.BENEFICIAL_OWNER in party.roles or self._allocation.counts(party)
        return said if counts else together(said, say("Below what counts"))
