"""Who is behind the holders, for whoever reads an application back: customers, agents, and paper.

It is the tree of the page of shares, so that everybody reads the same words and figures.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow

from .allocation import Allocation
from .share_tree import Node, whole_tree


@dataclass(frozen=True, slots=True)
class Ownership:
    """The tree below its root, the company that is formed."""

    company: str
    nodes: tuple[Node, ...]
    has_votes: bool
    # The tokens of everybody who was said to own a part of a company.
    owners: frozenset[str]

    def tells_all_of(self, party: PartyRow) -> bool:
        """Whether there is nothing else to say of the party: an owner without a role is asked nothing."""
        return not party.roles and party.token in self.owners

    def lines(self) -> Iterator[tuple[int, Node]]:
        """Every node with how deep it stands, from above."""
        return _lines(self.nodes, 0)


def ownership(draft: Draft) -> Ownership | None:
    """Who is behind the holders; None where only people hold shares and nobody said who owns a company. One query."""
    if not draft.holds_shares:
        return None
    allocation = Allocation(draft)
    nodes = whole_tree(draft, allocation)
    owners = frozenset(owner for _, owner in allocation.typed_stakes)
    return Ownership(draft.title, nodes, allocation.has_votes, owners) if nodes else None


def _lines(nodes: Iterable[Node], depth: int) -> Iterator[tuple[int, Node]]:
    for node in nodes:
        yield depth, node
        yield from _lines(node.owners, depth + 1)
