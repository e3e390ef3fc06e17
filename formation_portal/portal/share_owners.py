"""Who seems to be a beneficial owner by the shares: suggested with the arithmetic, never decided."""

from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.language import noted, say
from formation_portal.contract.ownership import Threshold
from formation_portal.contract.percent import percent
from formation_portal.contract.schema import Section

from . import roles
from .allocation import Allocation
from .owner_sums import steps, sums
from .ownership_words import remainder
from .picture import Bar, ends_bar
from .share_tree import Node, tree

# By whether the place's threshold is known, and whether it counts itself.
_RULES = {
    (True, True): noted("In {where}, anyone with {part} or more of the shares or votes counts as {role}."),
    (True, False): noted("In {where}, anyone with more than {part} of the shares or votes counts as {role}."),
    (False, True): noted(
        "We don’t know the threshold for {where}, so anyone with {part} or more of the shares or "
        "votes counts as {role}."
    ),
    (False, False): noted(
        "We don’t know the threshold for {where}, so anyone with more than {part} of the shares or "
        "votes counts as {role}."
    ),
}


@dataclass(frozen=True, slots=True)
class OwnerLine:
    """Somebody who counts: the arithmetic, and where the button posts to; without it, they have the role."""

    token: str
    label: str
    sums: str
    steps: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A company that holds enough for somebody behind it to count, and of whose owners not all are known."""

    said: str
    url: str


@dataclass(frozen=True, slots=True)
class Owners:
    """All who count, the rule with its source, and the tree, where somebody else stands behind a holder."""

    role: str
    rule: str
    source: str
    lines: tuple[OwnerLine, ...]
    unknown: tuple[Unknown, ...]
    tree: tuple[Node, ...]
    ends: tuple[Bar, ...]


def owner_section(draft: Draft) -> Section | None:
    """The section of the beneficial owners, while it is asked and takes persons."""
    asked = (section for section in roles.asked_roles(draft) if section.role == canonical.BENEFICIAL_OWNER)
    return next((section for section in asked if section.allows(canonical.PERSON)), None)


def owners(draft: Draft, allocation: Allocation) -> Owners | None:
    """Who counts by the shares that are given; None where the form has no such role, or nothing is given."""
    section = owner_section(draft)
    if section is None or not allocation.total:
        return None
    grown = tree(draft, allocation, has_links=draft.application.can_be_changed)
    return Owners(
        role=roles.in_role(section),
        rule=_rule(allocation.threshold, roles.in_role(section)),
        source=allocation.threshold.source,
        lines=tuple(_line(draft, allocation, row) for row in draft.parties if row.is_person and allocation.counts(row)),
        unknown=tuple(_unknown(draft, allocation, row) for row in draft.parties if allocation.hides_somebody(row)),
        tree=grown,
        ends=_ends(draft, allocation) if grown else (),
    )


def _rule(threshold: Threshold, role: str) -> str:
    said = _RULES[threshold.is_known, threshold.is_inclusive]
    return say(said, where=threshold.where, part=percent(threshold.percent / 100), role=role)


def _line(draft: Draft, allocation: Allocation, party: PartyRow) -> OwnerLine:
    url = reverse("portal:share_owner", args=[draft.application.reference, party.token])
    is_listed = canonical.BENEFICIAL_OWNER in party.roles
    said, how = sums(allocation, party), steps(draft, allocation, party)
    return OwnerLine(party.token, party.label, said, how, "" if is_listed else url)


def _unknown(draft: Draft, allocation: Allocation, company: PartyRow) -> Unknown:
    part = max(allocation.in_the_end.of(company.token), allocation.votes_in_the_end.of(company.token))
    shares = allocation.in_the_end.of(company.token)
    figures = allocation.figures if part == shares else allocation.figures_of_votes
    said = say("{name} holds {part}.", name=company.label, part=figures.of(company.token, part))
    rest = remainder(company.label, allocation.stakes.get(company.token, {}).values())
    return Unknown(f"{said} {rest}", reverse("portal:owners", args=[draft.application.reference, company.token]))


def _ends(draft: Draft, allocation: Allocation) -> tuple[Bar, ...]:
    """The picture of where all shares end, in the order of the parties; no such bar where all of it is in circles."""
    final = allocation.figures.final
    ends = [(row.label, *final[row.token]) for row in draft.parties if row.token in final]
    return (ends_bar(say("Ultimate ownership"), ends, rest=allocation.figures.rest),) if ends else ()
