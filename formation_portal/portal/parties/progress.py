"""Judge the progress of roles, of their people, and of the parts that guests fill in."""

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import join_list
from formation_portal.contract.needs import CORRECTIONS, Need
from formation_portal.contract.schema import Section
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage, current_stage
from formation_portal.ui.formats import counted, day_and_time

NO_REFUSALS: Set[str] = frozenset()


class Progress(NamedTuple):
    """The mark of a task, role or party, and its state in words."""

    mark: str
    text: str


class NeedCounts:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    @cached_property
    def by_party(self) -> dict[str, Counter[str]]:
        """Return each party's number of needs by code, in all sections, by the party's token."""
        counts: dict[str, Counter[str]] = {row.token: Counter() for row in self.draft.parties}
        for need in self.draft.needs:
            if need.party_id is not None:
                counts[need.party_id][need.code] += 1
        return counts

    def needs_of_role(self, section: Section) -> tuple[Need, ...]:
        """Return the needs of the role itself: more or fewer parties, or answers that add up."""
        return tuple(need for need in self.draft.needs_of_section(section.key) if need.party_id is None)

    def codes_in(self, section: Section) -> Counter[str]:
        """Count by code all needs of the parties with the role, also those of their other roles."""
        codes: Counter[str] = Counter()
        for row in self.draft.parties:
            if section.role in row.roles:
                codes += self.by_party[row.token]
        return codes


def role_progress(counts: NeedCounts, section: Section, *, refused: Set[str] = NO_REFUSALS) -> Progress:
    """Judge a role; it is complete only if all its parties are. `refused` has the tokens of parties with refusals."""
    tokens = {row.token for row in counts.draft.parties if section.role in row.roles}
    minimum = counts.draft.form_state.minimum_of(section).count
    if not refused.isdisjoint(tokens):
        return Progress("error", gettext("Changes needed"))
    if not tokens and minimum:
        return Progress("open", gettext("Not started"))
    if not tokens:
        return Progress("met", gettext("Nothing required"))
    if not counts.needs_of_role(section) and not counts.codes_in(section):
        return Progress("met", gettext("Complete"))
    complete = sum(not counts.by_party[party.id] for party in counts.draft.form_state.parties_in(section))
    count = max(len(tokens), minimum)
    if complete < count:
        return Progress("half", gettext("{complete} of {count} complete").format(complete=complete, count=count))
    return Progress("half", gettext("In progress"))


def party_progress(codes: Counter[str], *, is_refused: bool) -> Progress:
    if is_refused:
        return Progress("error", gettext("Changes needed"))
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
    if counts := join_list(list(filter(None, missing))):
        clauses.append(gettext("{things} to complete").format(things=counts))
    return ", ".join(filter(None, clauses))


@dataclass(frozen=True, slots=True)
class GuestPart:
    """The progress of a party that a guest fills in. `needs` are what the guest still has to give or correct."""

    party: PartyRow
    invitation: Invitation
    needs: tuple[Need, ...]
    stage: InvitationStage
    since: datetime

    @property
    def words(self) -> str:
        """Describe the stage, like "Invitation: Opened, 24 November at 14:02"."""
        stage = {"stage": self.stage.label, "since": day_and_time(self.since)}
        sentence = gettext("Invitation: %(stage)s, %(since)s") % stage
        wish = gettext("They have asked for a new link")
        return f"{sentence}. {wish}" if self.invitation.wanted_at else sentence


def guest_part(draft: Draft, party: PartyRow, invitation: Invitation, *, refused: Iterable[Need]) -> GuestPart:
    """Judge a guest's part. `refused` has all refusals by the formation service in the application."""
    needs = guest_needs(draft, party, refused=refused)
    stage, since = current_stage(invitation, now=timezone.now(), has_needs=bool(needs))
    return GuestPart(party, invitation, needs, stage, since)


def guest_needs(draft: Draft, party: PartyRow, *, refused: Iterable[Need]) -> tuple[Need, ...]:
    """Return the items that a guest still has to give, or that the formation service has refused."""
    own_refusals = [need for need in refused if need.party_id == party.token and (need.slot or need.field)]
    return tuple(dict.fromkeys((*parts.needs_of_guest(draft, party), *own_refusals)))
