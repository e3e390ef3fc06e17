"""The page of people and companies: each role with who has it and who could, and each party once."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils import timezone
from django.utils.http import urlencode

from formation_portal.accounts.models import User
from formation_portal.applications.contacts import Contact, contacts, matching_party
from formation_portal.applications.draft import Draft
from formation_portal.applications.duplicates import duplicates
from formation_portal.applications.fields import new_token
from formation_portal.applications.ownership_stakes import TypedStakes, companies_owned_by, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.localisation import gettext, join_list, ngettext
from formation_portal.contract.schema import Section
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage, current_stage
from formation_portal.ui import roles
from formation_portal.ui.formats import counted, day, time_or_day
from formation_portal.ui.forms.form import AnswerRow
from formation_portal.ui.ownership import join_sentences

from .. import navigation
from ..delivery_status import AnswersDelivery, CustomerDeliveries, customer_deliveries
from ..pages import ApplicationPage
from ..review_feedback import return_message
from .duplicates import distinguishing_words

# A role is chosen at a glance; the rest is a list to open.
_KNOWN_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class RoleCandidate:
    """A party that could take a role in one press."""

    id: str
    label: str
    url: str
    detail: str = ""
    own: str = ""


@dataclass(frozen=True, slots=True)
class RoleCard:
    """One role: what it needs, who has it, who could."""

    id: str
    title: str
    role: str
    help: str
    reason: str
    state: str
    status: str
    holders: tuple[str, ...]
    usable: tuple[RoleCandidate, ...]
    known: tuple[RoleCandidate, ...]
    more_known: tuple[RoleCandidate, ...]
    add_url: str


@dataclass(frozen=True, slots=True)
class PartyListItem:
    """One party in the list, with how far it has come, and why our team has it."""

    id: str
    name: str
    kind: str
    facts: str
    state: str
    status: str
    edit_url: str
    remove_url: str
    delivery: str
    why: str
    duplicate_url: str
    invitation: str = ""
    invite_url: str = ""


@dataclass(frozen=True, slots=True)
class RemovedParty:
    """One party that was removed and can be restored."""

    id: str
    name: str
    kind: str
    facts: str
    restore_url: str


@dataclass(frozen=True)
class PeoplePage(ApplicationPage):
    """The whole page."""

    deliveries: CustomerDeliveries
    user: User
    invitations: Mapping[str, Invitation]

    @property
    def title(self) -> str:
        return gettext(navigation.PEOPLE_TITLE)

    @cached_property
    def return_message(self) -> str:
        """What our reviewer wrote about the whole when it came back."""
        return return_message(self.draft)

    @property
    def new_url(self) -> str:
        return self._url("party_new")

    @property
    def spreadsheet_url(self) -> str:
        return self._url("spreadsheet")

    @property
    def next_step(self) -> navigation.FormStep:
        """The page after this one."""
        return navigation.next_step(self.draft, navigation.PEOPLE)

    @cached_property
    def roles(self) -> tuple[RoleCard, ...]:
        return tuple(self._card(section) for section in roles.active_roles(self.draft))

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing here: each role is filled, and so is what each party is asked."""
        states = (*(role.state for role in self.roles), *(party.state for party in self.parties))
        return all(state == "met" for state in states)

    @property
    def inactive_roles(self) -> tuple[AnswerRow, ...]:
        """Roles whose rule doesn't hold; they come back when it does."""
        found = (
            (section, self.draft.form_state.section_activation(section)) for section in self.draft.schema.role_sections
        )
        return tuple(
            AnswerRow(roles.role_title(section), verdict.reason) for section, verdict in found if not verdict.active
        )

    @cached_property
    def parties(self) -> tuple[PartyListItem, ...]:
        return tuple(self._line(row) for row in self.draft.parties)

    @property
    def removed(self) -> tuple[RemovedParty, ...]:
        """Who was removed; nobody once nothing can be changed."""
        return () if self.read_only_reason else tuple(self._removed(row) for row in self.draft.removed_parties)

    def _removed(self, row: PartyRow) -> RemovedParty:
        assert row.model.removed_at is not None
        return RemovedParty(
            id=f"removed-{row.token}",
            name=row.label,
            kind=row.kind,
            facts=gettext(
                "{roles}. Removed on {when}", roles=roles.role_words(row.roles), when=time_or_day(row.model.removed_at)
            ),
            restore_url=self._url("party_restoration", row.token),
        )

    @cached_property
    def _duplicates(self) -> dict[str, PartyRow]:
        return duplicates(self.draft)

    def _card(self, section: Section) -> RoleCard:
        minimum, tally = self.draft.form_state.minimum_of(section), self.draft.form_state.count_parties(section)
        state, status = _standing(minimum.count, tally)
        query = urlencode({"role": section.role or ""})
        known = tuple(usable for one, usable in self._known if section.allows(one.kind))
        fitting = (row for row in self.draft.parties if section.role not in row.roles and section.allows(row.kind))
        usable = (RoleCandidate(row.token, row.label, self._url("party_roles", row.token)) for row in fitting)
        return RoleCard(
            id=f"role-{section.key}",
            title=roles.role_title(section),
            role=section.role or "",
            help=section.help or roles.allowed_kinds(section),
            reason=roles.role_reason(self.draft, section),
            state=state,
            status=status,
            holders=tuple(row.label for row in self.draft.parties if section.counts(row.kind, row.roles)),
            usable=() if self.read_only_reason else tuple(usable),
            known=known[:_KNOWN_AT_ONCE],
            more_known=known[_KNOWN_AT_ONCE:],
            add_url="" if self.read_only_reason else f"{self.new_url}?{query}",
        )

    @cached_property
    def _known(self) -> tuple[tuple[Contact, RoleCandidate], ...]:
        """Whoever is known from elsewhere and isn't here; each has a token, so that pressing twice copies once."""
        if self.read_only_reason:
            return ()
        absent = [one for one in contacts(self.user, self.draft) if matching_party(self.draft, one) is None]
        names = Counter(one.label for one in absent)
        return tuple((one, self._usable_known(one, is_only=names[one.label] == 1)) for one in absent)

    def _usable_known(self, known: Contact, *, is_only: bool) -> RoleCandidate:
        return RoleCandidate(
            id=f"{known.sources[0]}/{new_token()}",
            label=known.label,
            url=self._url("party_known"),
            detail="" if is_only else distinguishing_words(known.identifying_values),
            own=gettext("Add yourself") if known.is_owner else "",
        )

    def _line(self, row: PartyRow) -> PartyListItem:
        arrival = self.deliveries.of_party(row.token, changed_at=row.model.updated_at)
        state, status = self._progress(row, arrival)
        kind = canonical.kind_title(row.kind)
        invitation = self.invitations.get(row.token)
        # Of somebody without a role, what they own.
        owned = () if row.roles else self._owned(row)
        names = join_list([company.label for company in owned])
        doing = gettext("Owner of {names}", names=names) if owned else roles.role_words(row.roles)
        return PartyListItem(
            id=f"party-{row.token}",
            name=row.label,
            kind=row.kind,
            facts=join_sentences(doing, kind.capitalize()),
            state=state,
            status=status,
            edit_url=self._url("party", row.token),
            remove_url="" if self.read_only_reason else self._url("party_removal", row.token),
            delivery="" if arrival.is_refused else arrival.state,
            why=arrival.why,
            duplicate_url=self._url("party_duplicate", row.token)
            if row.token in self._duplicates and not self.read_only_reason
            else "",
            invitation=invitation_status(invitation, now=timezone.now()).text if invitation else "",
            invite_url=self._url("invitation", row.token)
            if self.draft.application.is_own and not self.read_only_reason
            else "",
        )

    def _owned(self, row: PartyRow) -> tuple[PartyRow, ...]:
        return companies_owned_by(self.draft, row, self._stakes)

    @cached_property
    def _stakes(self) -> TypedStakes:
        """Asked only where somebody has no role."""
        return typed_stakes(self.draft)

    def _progress(self, row: PartyRow, arrival: AnswersDelivery) -> tuple[str, str]:
        if arrival.is_refused:
            return "heed", gettext("Changes needed")
        needs = [need for need in self.draft.needs_of_party(row.token) if need.code != "holding"]
        if not row.roles:
            return ("", gettext("No role needed")) if self._owned(row) else ("open", gettext("Choose a role"))
        if not needs:
            return "met", gettext("Complete")
        documents = sum(need.code == "document" for need in needs)
        parts = (
            counted(len(needs) - documents, "{count} answer", "{count} answers"),
            counted(documents, "{count} document", "{count} documents"),
        )
        return "half", gettext("{things} to complete", things=join_list([part for part in parts if part]))


def people_page(draft: Draft, user: User) -> PeoplePage:
    """The page as the draft stands, for a reader who knows people from elsewhere."""
    return PeoplePage(draft, customer_deliveries(draft.application), user, parts.invitations_of(draft))


def _standing(least: int, tally: int) -> tuple[str, str]:
    if tally < least:
        if not tally:
            return "open", ngettext("{count} needed", "{count} needed", least)
        return "half", ngettext("{count} more needed", "{count} more needed", least - tally)
    if least:
        return "met", gettext("Complete")
    return ("met", ngettext("{count} added", "{count} added", tally)) if tally else ("", gettext("Optional"))


_MARKS = {
    InvitationStage.SENT: "open",
    InvitationStage.OPENED: "open",
    InvitationStage.IN_PROGRESS: "half",
    InvitationStage.DONE: "met",
    InvitationStage.EXPIRED: "heed",
    InvitationStage.WITHDRAWN: "later",
}


@dataclass(frozen=True, slots=True)
class InvitationStatus:
    """One invitation: the mark, the stage, since when, and whether its holder is waited for."""

    state: str
    stage: InvitationStage
    words: str
    since: str
    waits: bool
    until: str
    wants_another: bool

    @property
    def text(self) -> str:
        """Invitation: Opened, 24 November at 14:02."""
        said = gettext("Invitation: %(stage)s, %(since)s") % {"stage": self.words, "since": self.since}
        wish = gettext("They have asked for a new link")
        return f"{said}. {wish}" if self.wants_another else said


def invitation_status(invitation: Invitation, *, now: datetime) -> InvitationStatus:
    """The line as things stand."""
    stands = current_stage(invitation, now=now)
    return InvitationStatus(
        state=_MARKS[stands.stage],
        stage=stands.stage,
        words=str(stands.stage.words),
        since=time_or_day(stands.since),
        waits=stands.stage.waits,
        until=day(invitation.expires_at.date()),
        wants_another=invitation.wanted_at is not None,
    )
