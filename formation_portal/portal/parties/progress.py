"""Judge the progress of roles and of their people, for every page that shows it."""

from collections import Counter
from collections.abc import Set
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.localisation import join_list
from formation_portal.contract.needs import CORRECTIONS, Need
from formation_portal.contract.schema import Section
from formation_portal.ui.formats import counted

NO_REFUSALS: Set[str] = frozenset()


class Progress(NamedTuple):
    """The mark of a task, role or party, and its state in words."""

    mark: str
    text: str


class NeedCounts:
    """Count the needs of an application by party and by role."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    @cached_property
    def by_party(self) -> dict[str, Counter[str]]:
        """Count each party's needs by code, whichever section asks, by the party's token."""
        counts: dict[str, Counter[str]] = {row.token: Counter() for row in self.draft.parties}
        for need in self.draft.needs:
            if need.party_id is not None:
                counts[need.party_id][need.code] += 1
        return counts

    def needs_of_role(self, section: Section) -> tuple[Need, ...]:
        """Return what a role itself needs: more or fewer parties, or answers that add up."""
        return tuple(need for need in self.draft.needs_of_section(section.key) if need.party_id is None)

    def codes_in(self, section: Section) -> Counter[str]:
        """Count the needs of the parties with a role by code, whichever of their sections asks."""
        codes: Counter[str] = Counter()
        for row in self.draft.parties:
            if section.role in row.roles:
                codes += self.by_party[row.token]
        return codes

    def complete_in(self, section: Section) -> int:
        """Count the parties in a role that need nothing at all, whichever of their sections asks."""
        return sum(not self.by_party[party.id] for party in self.draft.form_state.parties_in(section))


def role_progress(counts: NeedCounts, section: Section, *, refused: Set[str] = NO_REFUSALS) -> Progress:
    """Judge a role: it is complete only when everybody in it is. `refused` has the tokens of refused parties."""
    tokens = {row.token for row in counts.draft.parties if section.role in row.roles}
    minimum = counts.draft.form_state.minimum_of(section).count
    if not refused.isdisjoint(tokens):
        return Progress("stop", gettext("Changes needed"))
    if not tokens and minimum:
        return Progress("open", gettext("Not started"))
    if not tokens:
        return Progress("met", gettext("Nothing required"))
    if not counts.needs_of_role(section) and not counts.codes_in(section):
        return Progress("met", gettext("Complete"))
    complete = counts.complete_in(section)
    count = max(len(tokens), minimum)
    if complete < count:
        return Progress("half", gettext("{complete} of {count} complete").format(complete=complete, count=count))
    return Progress("half", gettext("In progress"))


def party_progress(codes: Counter[str], *, is_refused: bool) -> Progress:
    """Judge one party by its answers, documents and shares."""
    if is_refused:
        return Progress("stop", gettext("Changes needed"))
    if codes:
        return Progress("half", needs_words(codes))
    return Progress("met", gettext("Complete"))


def needs_words(codes: Counter[str]) -> str:
    """Describe needs, like "1 answer to correct, 2 answers and 1 document to complete"."""
    corrections = sum(count for code, count in codes.items() if code in CORRECTIONS)
    documents = codes["document"]
    holdings = codes["holding"]
    missing = (
        counted(codes.total() - corrections - documents - holdings, "{count} answer", "{count} answers"),
        counted(documents, "{count} document", "{count} documents"),
        counted(holdings, "{count} shareholding", "{count} shareholdings"),
    )
    clauses = [counted(corrections, "{count} answer to correct", "{count} answers to correct")]
    if counts := join_list([number for number in missing if number]):
        clauses.append(gettext("{things} to complete").format(things=counts))
    return ", ".join(filter(None, clauses))
