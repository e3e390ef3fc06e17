"""Ownership as a tree: the company, whoever holds its shares, and whoever owns those, as far as that is known here."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import owned_companies, owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.language import say
from formation_portal.contract.ownership import known_parts

from . import roles
from .allocation import Allocation
from .ownership_words import remainder, together


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

    @property
    def has_some(self) -> bool:
        """Whether anything comes to the place."""
        return bool(self.of_shares or self.of_votes)

    def onwards(self, company: str, part: Fraction) -> "Way":
        """To an owner of so much of the company."""
        return Way(self.of_shares * part, self.of_votes * part, (*self.through, company))


_NOTHING = Way(Fraction(0), Fraction(0))


def tree(draft: Draft, allocation: Allocation, *, has_links: bool = False) -> tuple[Node, ...]:
    """The holders that hold something, where one of them is no person; without such a one there is no tree.

    Links lead to where owners are entered.
    """
    return _Growing(draft, allocation, has_links=has_links).holders()


def whole_tree(draft: Draft, allocation: Allocation) -> tuple[Node, ...]:
    """The same for whoever reads it back: with the companies that hold nothing, where it was said who owns them."""
    growing = _Growing(draft, allocation, has_links=False)
    return (*growing.holders(), *growing.others())


class _Growing:
    """One tree while it grows. The owners of a company are drawn once, so that it stays as large as its companies."""

    def __init__(self, draft: Draft, allocation: Allocation, *, has_links: bool) -> None:
        self._draft = draft
        self._allocation = allocation
        self._has_links = has_links
        self._drawn: set[str] = set()

    def holders(self) -> tuple[Node, ...]:
        """Whoever holds shares, and whoever is behind them."""
        allocation = self._allocation
        holders = [party for party in allocation.holders if allocation.held.get(party.token)]
        if all(party.is_person for party in holders):
            return ()
        ways = ((party, Way(allocation.part_of_shares(party), allocation.part_of_votes(party))) for party in holders)
        return tuple(self.node(party, way, "") for party, way in ways)

    def others(self) -> Iterator[Node]:
        """The companies with owners that have not been drawn by now."""
        for company in owned_companies(self._draft, self._allocation.typed_stakes):
            if company.token not in self._drawn:
                yield self.node(company, _NOTHING, "")

    def node(self, party: PartyRow, way: Way, said: str) -> Node:
        """The holder or owner at the end of a way; `said` is which part of what it owns."""
        end = self._end(party, way)
        is_open = bool(party.is_owned and not end)
        self._drawn.add(party.token)
        has_votes = way.has_some and bool(self._allocation.votes)
        return Node(
            name=party.label,
            note=together(said, self._note(party)),
            of_shares=self._allocation.figures.of(party.token, way.of_shares) if way.has_some else "",
            of_votes=self._allocation.figures_of_votes.of(party.token, way.of_votes) if has_votes else "",
            owners=tuple(self._owners(party, way)) if is_open else (),
            end=end,
            rest=self._rest(party) if is_open else "",
            owners_url=self._url(party) if is_open and self._has_links else "",
        )

    def _end(self, party: PartyRow, way: Way) -> str:
        if party.token in way.through:
            return say("Shown above. These companies own each other.")
        if party.is_owned and party.token in self._drawn:
            return say("Its owners are shown above.")
        return "" if party.is_owned or party.is_person else say("A foundation has no owners.")

    def _owners(self, company: PartyRow, way: Way) -> Iterator[Node]:
        counted = known_parts(self._allocation.stakes.get(company.token, {}))
        for one in owners_of(self._draft, company, self._allocation.typed_stakes):
            if one.part is None:
                yield Node(one.party.label, one.words, "", "")
            elif one.part:
                yield self.node(one.party, way.onwards(company.token, counted[one.party.token]), one.words)

    def _url(self, company: PartyRow) -> str:
        return reverse("portal:owners", args=[self._draft.application.reference, company.token])

    def _rest(self, company: PartyRow) -> str:
        """Nothing where all of it is accounted for."""
        parts = self._allocation.stakes.get(company.token, {}).values()
        return "" if sum(parts) == 1 else remainder(company.label, parts)

    def _note(self, party: PartyRow) -> str:
        said = roles.role_words(party.roles) if party.roles else ""
        if not party.is_person:
            return together(said, canonical.kind_title(party.kind))
        counts = canonical.BENEFICIAL_OWNER in party.roles or self._allocation.counts(party)
        return said if counts else together(said, say("Below the threshold"))
