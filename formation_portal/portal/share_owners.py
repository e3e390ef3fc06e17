"""Who seems to be a beneficial owner by the shares: suggested with the arithmetic, never decided."""

from dataclasses import dataclass
from fractions import Fraction

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.rows import PartyRow
from formation_portal.applications.thresholds import threshold_of
from formation_portal.contract import canonical
from formation_portal.contract.language import figure, noted, say
from formation_portal.contract.ownership import Threshold, final_parts
from formation_portal.contract.schema import Section

from . import roles
from .allocation import Allocation
from .percent import percent
from .share_tree import Node, tree

# By whether the place's threshold is known, and whether it counts itself.
_RULES = {
    (True, True): noted("In {where} everybody with {part} or more of shares or votes counts as {role}."),
    (True, False): noted("In {where} everybody with more than {part} of shares or votes counts as {role}."),
    (False, True): noted(
        "No threshold of {where} is known here, so everybody with {part} or more of shares or votes counts as {role}."
    ),
    (False, False): noted(
        "No threshold of {where} is known here, so everybody with more than {part} of shares or votes counts as {role}."
    ),
}


@dataclass(frozen=True, slots=True)
class OwnerLine:
    """Somebody who counts: the arithmetic, and where the button posts to; without it, they have the role."""

    token: str
    label: str
    sums: str
    url: str


@dataclass(frozen=True, slots=True)
class Owners:
    """All who count, the rule with its source, and the tree, where somebody else stands behind a holder."""

    role: str
    rule: str
    source: str
    lines: tuple[OwnerLine, ...]
    tree: tuple[Node, ...]


def owner_section(draft: Draft) -> Section | None:
    """The section of the beneficial owners, while it is asked and takes persons."""
    asked = (section for section in roles.asked_roles(draft) if section.role == canonical.BENEFICIAL_OWNER)
    return next((section for section in asked if section.allows("person")), None)


def owners(draft: Draft, allocation: Allocation) -> Owners | None:
    """Who counts by the shares that are given; None where the form has no such role, or nothing is given."""
    section = owner_section(draft)
    if section is None or not allocation.total:
        return None
    threshold = threshold_of(draft.application.product.get("jurisdiction") or {})
    of_shares, of_votes = final_parts(allocation.held), final_parts(allocation.votes)
    counting = [
        party
        for party in allocation.holders
        if any(threshold.counts(parts.get(party.token, Fraction(0))) for parts in (of_shares, of_votes))
    ]
    return Owners(
        role=roles.in_role(section),
        rule=_rule(threshold, roles.in_role(section)),
        source=threshold.source,
        lines=tuple(_line(draft, allocation, party) for party in counting if party.kind == "person"),
        tree=tree(allocation, threshold),
    )


def _rule(threshold: Threshold, role: str) -> str:
    said = _RULES[threshold.is_known, threshold.is_inclusive]
    return say(said, where=threshold.where, part=percent(threshold.percent / 100), role=role)


def _line(draft: Draft, allocation: Allocation, party: PartyRow) -> OwnerLine:
    url = reverse("portal:share_owner", args=[draft.application.reference, party.token])
    is_listed = canonical.BENEFICIAL_OWNER in party.roles
    return OwnerLine(party.token, party.label, _sums(allocation, party), "" if is_listed else url)


def _sums(allocation: Allocation, party: PartyRow) -> str:
    """Ada Lovelace holds 6,000 of 10,000 shares, 60%; her votes only where they are another part."""
    shares, votes = allocation.part_of_shares(party), allocation.part_of_votes(party)
    said = {"name": party.label, "shares": _of(allocation.held, party), "part": percent(shares)}
    if not allocation.votes or votes == shares:
        return say("{name} holds {shares} shares, {part}.", **said)
    of_votes = {"votes": _of(allocation.votes, party), "part_of_votes": percent(votes)}
    return say("{name} holds {shares} shares, {part}, and {votes} votes, {part_of_votes}.", **said, **of_votes)


def _of(numbers: dict[str, int], party: PartyRow) -> str:
    return say("{held} of {all}", held=figure(numbers.get(party.token, 0)), all=figure(sum(numbers.values())))
