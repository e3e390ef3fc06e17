"""Who seems to be a beneficial owner by the shares: suggested with the arithmetic, never decided."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.localisation import format_number, gettext, gettext_noop
from formation_portal.contract.schema import Section
from formation_portal.contract.stakes import Parts, Percentages, format_percent, normalised_stakes
from formation_portal.ui import roles
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.charts import Bar, ownership_bar
from formation_portal.ui.ownership import OwnershipNode, ownership_tree, unaccounted_for

# By whether the place's threshold is known, and whether it counts itself.
_RULES = {
    (True, True): gettext_noop("In {where}, anyone with {part} or more of the shares or votes counts as {role}."),
    (True, False): gettext_noop("In {where}, anyone with more than {part} of the shares or votes counts as {role}."),
    (False, True): gettext_noop(
        "We don’t know the threshold for {where}, so anyone with {part} or more of the shares or "
        "votes counts as {role}."
    ),
    (False, False): gettext_noop(
        "We don’t know the threshold for {where}, so anyone with more than {part} of the shares or "
        "votes counts as {role}."
    ),
}


@dataclass(frozen=True, slots=True)
class BeneficialOwnerLine:
    """Somebody who counts: the arithmetic, and where the button posts to; without it, they have the role."""

    token: str
    label: str
    sums: str
    steps: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class UnknownOwners:
    """A company that holds enough for somebody behind it to count, and of whose owners not all are known."""

    said: str
    url: str


@dataclass(frozen=True, slots=True)
class BeneficialOwners:
    """All who count, the rule with its source, and the tree, where somebody else stands behind a holder."""

    role: str
    rule: str
    source: str
    lines: tuple[BeneficialOwnerLine, ...]
    unknown: tuple[UnknownOwners, ...]
    tree: tuple[OwnershipNode, ...]
    ends: tuple[Bar, ...]


def beneficial_owner_section(draft: Draft) -> Section | None:
    """The section of the beneficial owners, while it is asked and takes persons."""
    asked = (section for section in roles.active_roles(draft) if section.role == canonical.BENEFICIAL_OWNER)
    return next((section for section in asked if section.allows(canonical.PERSON)), None)


def beneficial_owners(draft: Draft, allocation: Allocation) -> BeneficialOwners | None:
    """Who counts by the shares that are given; None where the form has no such role, or nothing is given."""
    section = beneficial_owner_section(draft)
    if section is None or not allocation.total_allocated:
        return None
    grown = ownership_tree(draft, allocation, has_links=draft.application.can_be_changed)
    threshold, role = allocation.threshold, roles.role_with_article(section)
    rule, part = _RULES[threshold.is_known, threshold.is_inclusive], format_percent(threshold.percent / 100)
    # The picture of where all shares end, in the order of the parties; no such bar where all of it is in circles.
    percents = allocation.share_percents
    ends = [(row.label, *percents.final[row.token]) for row in draft.parties if grown and row.token in percents.final]
    return BeneficialOwners(
        role=role,
        rule=gettext(rule, where=threshold.where, part=part, role=role),
        source=threshold.source,
        lines=tuple(
            _line(draft, allocation, row)
            for row in draft.parties
            if row.is_person and allocation.reaches_threshold(row)
        ),
        unknown=tuple(_unknown(draft, allocation, row) for row in draft.parties if allocation.may_hide_an_owner(row)),
        tree=grown,
        ends=(ownership_bar(gettext("Ultimate ownership"), ends, rest=percents.rest),) if ends else (),
    )


def _line(draft: Draft, allocation: Allocation, party: PartyRow) -> BeneficialOwnerLine:
    url = reverse("portal:share_owner", args=[draft.application.reference, party.token])
    is_listed = canonical.BENEFICIAL_OWNER in party.roles
    said, how = holding_words(allocation, party), calculation_steps(draft, allocation, party)
    return BeneficialOwnerLine(party.token, party.label, said, how, "" if is_listed else url)


def _unknown(draft: Draft, allocation: Allocation, company: PartyRow) -> UnknownOwners:
    part = max(allocation.final_shares.of(company.token), allocation.final_votes.of(company.token))
    shares = allocation.final_shares.of(company.token)
    figures = allocation.share_percents if part == shares else allocation.vote_percents
    said = gettext("{name} holds {part}.", name=company.label, part=figures.of(company.token, part))
    rest = unaccounted_for(company.label, allocation.stakes.get(company.token, {}).values())
    return UnknownOwners(f"{said} {rest}", reverse("portal:owners", args=[draft.application.reference, company.token]))


def holding_words(allocation: Allocation, party: PartyRow) -> str:
    """Ada Lovelace holds 6,000 of 10,000 shares, 60%; or what she comes to. Votes only where they are another part."""
    shares, votes = allocation.final_shares.of(party.token), allocation.final_votes.of(party.token)
    said = {
        "name": party.label,
        "shares": _of(allocation.held, party),
        "part": allocation.share_percents.of(party.token, shares),
    }
    part_of_votes = allocation.vote_percents.of(party.token, votes)
    of_votes = {"votes": _of(allocation.votes, party), "part_of_votes": part_of_votes}
    has_other_votes = allocation.votes and votes != shares
    if allocation.is_owner(party):
        if has_other_votes:
            return gettext("{name} has {part} of the shares and {part_of_votes} of the votes:", **said, **of_votes)
        return gettext("{name} has {part} of the shares:", **said)
    if has_other_votes:
        return gettext("{name} holds {shares} shares ({part}) and {votes} votes ({part_of_votes}).", **said, **of_votes)
    return gettext("{name} holds {shares} shares ({part}).", **said)


def calculation_steps(draft: Draft, allocation: Allocation, party: PartyRow) -> tuple[str, ...]:
    """40% of Kite Holding, which holds 75%: 30%. One line for each company, and one for what they hold themselves."""
    if not allocation.is_owner(party):
        return ()
    told = list(_steps(draft, allocation, party, allocation.held, allocation.final_shares, allocation.share_percents))
    if allocation.votes and allocation.final_votes.of(party.token) != allocation.final_shares.of(party.token):
        votes, figures = allocation.votes, allocation.vote_percents
        of_votes = _steps(draft, allocation, party, votes, allocation.final_votes, figures)
        told += [gettext("Votes: {step}", step=step) for step in of_votes]
    return tuple(told)


def _steps(
    draft: Draft, allocation: Allocation, party: PartyRow, numbers: Mapping[str, int], ends: Parts, figures: Percentages
) -> Iterator[str]:
    if numbers.get(party.token):
        own = Fraction(numbers[party.token], sum(numbers.values()))
        yield gettext("{held} directly: {part}", held=_of(numbers, party), part=figures.of(party.token, own))
    for company in draft.parties:
        stake = normalised_stakes(allocation.stakes.get(company.token, {})).get(party.token)
        if stake and (whole := ends.of(company.token)):
            # The owner's part as the tree says it; in proportion where the owners come to more than all.
            owners = owners_of(draft, company, allocation.typed_stakes)
            found = next((one for one in owners if one.party.token == party.token), None)
            percent = found.percent if found and found.part == stake else format_percent(stake)
            words = {"stake": percent, "name": company.label}
            whole_words, part = figures.of(company.token, whole), figures.of(party.token, stake * whole)
            yield gettext("{stake} of {name}, which holds {whole}: {part}", **words, whole=whole_words, part=part)


def _of(numbers: Mapping[str, int], party: PartyRow) -> str:
    return gettext(
        "{held} of {all}", held=format_number(numbers.get(party.token, 0)), all=format_number(sum(numbers.values()))
    )
