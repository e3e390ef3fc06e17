"""Who owns the company, as a tree: its shareholders, and whoever owns those, as far as that is known here.

Customers, agents and the printed record read the same tree, so that all of them read the same words and figures.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import owned_companies, owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.localisation import gettext, gettext_noop
from formation_portal.contract.stakes import format_hundredths, format_percent, hundredths_rounded_up, normalised_stakes

from . import roles
from .allocation import Allocation

_TOO_MUCH = gettext_noop("The owners of {name} add up to {known}, which is more than 100%. We scale them down to 100%.")


def join_sentences(*parts: str) -> str:
    """Short sentences in one line; a name that ends with a full stop needs no other."""
    said = [part for part in parts if part]
    return " ".join(part if place == len(said) - 1 else f"{part.removesuffix('.')}." for place, part in enumerate(said))


def unaccounted_for(name: str, parts: Iterable[Fraction]) -> str:
    """30% of Kite Holding has no known owner; that none or all are added; or that they own more than all of it."""
    known = sum(parts, Fraction(0))
    words = {"name": name, "part": format_hundredths(hundredths_rounded_up(1 - known)), "known": format_percent(known)}
    if not known:
        return gettext("No owners added.")
    if known < 1:
        return gettext("{part} of {name} has no known owner.", **words)
    if known == 1:
        return gettext("You have added all the owners of {name}.", **words)
    return gettext(_TOO_MUCH, **words)


@dataclass(frozen=True, slots=True)
class OwnershipNode:
    """One holder or owner: what is said of it, its parts on this way, and whoever is behind it.

    `end` says why nobody is, and `rest` what of it is not accounted for; `owners_url` leads to where its owners are
    entered.
    """

    name: str
    note: str
    of_shares: str
    of_votes: str
    owners: tuple["OwnershipNode", ...] = ()
    end: str = ""
    rest: str = ""
    owners_url: str = ""


@dataclass(frozen=True, slots=True)
class OwnershipPath:
    """How much of shares and votes comes to a place in the tree, and through which companies."""

    of_shares: Fraction
    of_votes: Fraction
    through: tuple[str, ...] = ()

    @property
    def has_some(self) -> bool:
        """Whether anything comes to the place."""
        return bool(self.of_shares or self.of_votes)

    def extended(self, company: str, part: Fraction) -> "OwnershipPath":
        """To an owner of so much of the company."""
        return OwnershipPath(self.of_shares * part, self.of_votes * part, (*self.through, company))


_NOTHING = OwnershipPath(Fraction(0), Fraction(0))


def ownership_tree(draft: Draft, allocation: Allocation, *, has_links: bool = False) -> tuple[OwnershipNode, ...]:
    """The holders that hold something, where one of them is no person; without such a one there is no tree.

    Links lead to where owners are entered.
    """
    return _TreeBuilder(draft, allocation, has_links=has_links).holders()


def full_tree(draft: Draft, allocation: Allocation) -> tuple[OwnershipNode, ...]:
    """The same for whoever reads it back: with the companies that hold nothing, where it was said who owns them."""
    growing = _TreeBuilder(draft, allocation, has_links=False)
    return (*growing.holders(), *growing.others())


class _TreeBuilder:
    """One tree while it grows. The owners of a company are drawn once, so that it stays as large as its companies."""

    def __init__(self, draft: Draft, allocation: Allocation, *, has_links: bool) -> None:
        self._draft = draft
        self._allocation = allocation
        self._has_links = has_links
        self._drawn: set[str] = set()

    def holders(self) -> tuple[OwnershipNode, ...]:
        """Whoever holds shares, and whoever is behind them."""
        allocation = self._allocation
        holders = [party for party in allocation.holders if allocation.held.get(party.token)]
        if all(party.is_person for party in holders):
            return ()
        ways = (
            (party, OwnershipPath(allocation.part_of_shares(party), allocation.part_of_votes(party)))
            for party in holders
        )
        return tuple(self.node(party, way, "") for party, way in ways)

    def others(self) -> Iterator[OwnershipNode]:
        """The companies with owners that have not been drawn by now."""
        for company in owned_companies(self._draft, self._allocation.typed_stakes):
            if company.token not in self._drawn:
                yield self.node(company, _NOTHING, "")

    def node(self, party: PartyRow, way: OwnershipPath, said: str) -> OwnershipNode:
        """The holder or owner at the end of a way; `said` is which part of what it owns."""
        end = self._end(party, way)
        is_open = bool(party.is_owned and not end)
        stakes = self._allocation.stakes.get(party.token, {}).values()
        self._drawn.add(party.token)
        has_votes = way.has_some and bool(self._allocation.votes)
        return OwnershipNode(
            name=party.label,
            note=join_sentences(said, self._note(party)),
            of_shares=self._allocation.share_percents.of(party.token, way.of_shares) if way.has_some else "",
            of_votes=self._allocation.vote_percents.of(party.token, way.of_votes) if has_votes else "",
            owners=tuple(self._owners(party, way)) if is_open else (),
            end=end,
            # Nothing where all of it is accounted for.
            rest=unaccounted_for(party.label, stakes) if is_open and sum(stakes) != 1 else "",
            owners_url=reverse("portal:owners", args=[self._draft.application.reference, party.token])
            if is_open and self._has_links
            else "",
        )

    def _end(self, party: PartyRow, way: OwnershipPath) -> str:
        if party.token in way.through:
            return gettext("Shown above. These companies own each other.")
        if party.is_owned and party.token in self._drawn:
            return gettext("Its owners are shown above.")
        return "" if party.is_owned or party.is_person else gettext("A foundation has no owners.")

    def _owners(self, company: PartyRow, way: OwnershipPath) -> Iterator[OwnershipNode]:
        counted = normalised_stakes(self._allocation.stakes.get(company.token, {}))
        for one in owners_of(self._draft, company, self._allocation.typed_stakes):
            if one.part is None:
                yield OwnershipNode(one.party.label, one.words, "", "")
            elif one.part:
                yield self.node(one.party, way.extended(company.token, counted[one.party.token]), one.words)

    def _note(self, party: PartyRow) -> str:
        said = roles.role_words(party.roles) if party.roles else ""
        if not party.is_person:
            return join_sentences(said, canonical.kind_title(party.kind))
        counts = canonical.BENEFICIAL_OWNER in party.roles or self._allocation.reaches_threshold(party)
        return said if counts else join_sentences(said, gettext("Below the threshold"))


@dataclass(frozen=True, slots=True)
class Ownership:
    """The tree below its root, the company that is formed."""

    company: str
    nodes: tuple[OwnershipNode, ...]
    has_votes: bool
    # The tokens of everybody who was said to own a part of a company.
    owners: frozenset[str]

    def covers(self, party: PartyRow) -> bool:
        """Whether there is nothing else to say of the party: an owner without a role is asked nothing."""
        return not party.roles and party.token in self.owners

    def lines(self) -> Iterator[tuple[int, OwnershipNode]]:
        """Every node with how deep it stands, from above."""
        return _lines(self.nodes, 0)


def ownership(draft: Draft) -> Ownership | None:
    """Who is behind the holders; None where only people hold shares and nobody said who owns a company. One query."""
    if not draft.holds_shares:
        return None
    allocation = Allocation(draft)
    nodes = full_tree(draft, allocation)
    owners = frozenset(owner for _, owner in allocation.typed_stakes)
    return Ownership(draft.title, nodes, allocation.has_votes, owners) if nodes else None


def _lines(nodes: Iterable[OwnershipNode], depth: int) -> Iterator[tuple[int, OwnershipNode]]:
    for node in nodes:
        yield depth, node
        yield from _lines(node.owners, depth + 1)
