"""What the page of people and companies shows: each role with who has it and who could, and each party once."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse
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
from formation_portal.contract.language import listed, say, say_count
from formation_portal.contract.schema import Section
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation

from . import roles, steps
from .arrivals import Arrival, Arrivals, arrivals
from .came_back import said_of_the_whole
from .closed import reason
from .counting import counted
from .double_page import known_by
from .invitation_words import invitation_line
from .moments import moment
from .ownership_words import together

# A role is chosen at a glance; the rest is a list to open.
_KNOWN_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Usable:
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
    usable: tuple[Usable, ...]
    known: tuple[Usable, ...]
    more_known: tuple[Usable, ...]
    add_url: str


@dataclass(frozen=True, slots=True)
class LaterRole:
    """A role that is not asked as things stand."""

    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class PartyLine:
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
    double_url: str
    invitation: str = ""
    invite_url: str = ""


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """One party that was removed and can be restored."""

    id: str
    name: str
    kind: str
    facts: str
    restore_url: str


@dataclass(frozen=True)
class PeoplePage:
    """The whole page."""

    draft: Draft
    arrivals: Arrivals
    user: User
    invitations: Mapping[str, Invitation]

    @property
    def title(self) -> str:
        return say(steps.PEOPLE_TITLE)

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def closed(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return reason(self.draft.application)

    @cached_property
    def returned_said(self) -> str:
        """What our reviewer wrote about the whole when it came back."""
        return said_of_the_whole(self.draft)

    @property
    def overview_url(self) -> str:
        return self._url("overview")

    @property
    def new_url(self) -> str:
        return self._url("party_new")

    @property
    def spreadsheet_url(self) -> str:
        return self._url("spreadsheet")

    @property
    def following(self) -> steps.Step:
        """The page after this one."""
        return steps.step_after(self.draft, steps.PEOPLE)

    @cached_property
    def roles(self) -> tuple[RoleCard, ...]:
        return tuple(self._card(section) for section in roles.asked_roles(self.draft))

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing here: each role is filled, and so is what each party is asked."""
        states = (*(role.state for role in self.roles), *(party.state for party in self.parties))
        return all(state == "met" for state in states)

    @property
    def later(self) -> tuple[LaterRole, ...]:
        """Roles whose rule doesn't hold; they come back when it does."""
        found = ((section, self.draft.form_state.section(section)) for section in self.draft.schema.role_sections)
        return tuple(
            LaterRole(roles.role_title(section), verdict.reason) for section, verdict in found if not verdict.active
        )

    @cached_property
    def parties(self) -> tuple[PartyLine, ...]:
        return tuple(self._line(row) for row in self.draft.parties)

    @property
    def removed(self) -> tuple[RemovedLine, ...]:
        """Who was removed; nobody once nothing can be changed."""
        return () if self.closed else tuple(self._removed(row) for row in self.draft.removed_parties)

    def _removed(self, row: PartyRow) -> RemovedLine:
        assert row.model.removed_at is not None
        return RemovedLine(
            id=f"removed-{row.token}",
            name=row.label,
            kind=row.kind,
            facts=say(
                "{roles}. Removed on {when}", roles=roles.role_words(row.roles), when=moment(row.model.removed_at)
            ),
            restore_url=self._url("party_restoration", row.token),
        )

    @cached_property
    def _doubles(self) -> dict[str, PartyRow]:
        return duplicates(self.draft)

    def _card(self, section: Section) -> RoleCard:
        minimum, tally = self.draft.form_state.minimum(section), self.draft.form_state.tally(section)
        state, status = _standing(minimum.count, tally)
        query = urlencode({"role": section.role or ""})
        known = self._known_for(section)
        return RoleCard(
            id=f"role-{section.key}",
            title=roles.role_title(section),
            role=section.role or "",
            help=section.help or roles.who_can(section),
            reason=roles.why(self.draft, section),
            state=state,
            status=status,
            holders=tuple(row.label for row in self.draft.parties if section.counts(row.kind, row.roles)),
            usable=() if self.closed else self._usable(section),
            known=known[:_KNOWN_AT_ONCE],
            more_known=known[_KNOWN_AT_ONCE:],
            add_url="" if self.closed else f"{self.new_url}?{query}",
        )

    def _usable(self, section: Section) -> tuple[Usable, ...]:
        fitting = (row for row in self.draft.parties if section.role not in row.roles and section.allows(row.kind))
        return tuple(Usable(row.token, row.label, self._url("party_roles", row.token)) for row in fitting)

    @cached_property
    def _known(self) -> tuple[tuple[Contact, Usable], ...]:
        """Whoever is known from elsewhere and isn't here; each has a token, so that pressing twice copies once."""
        if self.closed:
            return ()
        absent = [one for one in contacts(self.user, self.draft) if matching_party(self.draft, one) is None]
        names = Counter(one.label for one in absent)
        return tuple((one, self._usable_known(one, is_only=names[one.label] == 1)) for one in absent)

    def _usable_known(self, known: Contact, *, is_only: bool) -> Usable:
        return Usable(
            id=f"{known.sources[0]}/{new_token()}",
            label=known.label,
            url=self._url("party_known"),
            detail="" if is_only else known_by(known.identifying_values),
            own=say("Add yourself") if known.is_owner else "",
        )

    def _known_for(self, section: Section) -> tuple[Usable, ...]:
        return tuple(usable for one, usable in self._known if section.allows(one.kind))

    def _line(self, row: PartyRow) -> PartyLine:
        arrival = self.arrivals.of_party(row.token, changed_at=row.model.updated_at)
        state, status = self._progress(row, arrival)
        kind = canonical.kind_title(row.kind)
        invitation = self.invitations.get(row.token)
        return PartyLine(
            id=f"party-{row.token}",
            name=row.label,
            kind=row.kind,
            facts=together(self._doing(row), kind.capitalize()),
            state=state,
            status=status,
            edit_url=self._url("party", row.token),
            remove_url="" if self.closed else self._url("party_removal", row.token),
            delivery="" if arrival.is_refused else arrival.state,
            why=arrival.why,
            double_url=self._url("party_double", row.token) if row.token in self._doubles and not self.closed else "",
            invitation=invitation_line(invitation, now=timezone.now()).text if invitation else "",
            invite_url=self._url("invitation", row.token) if self.draft.application.is_own and not self.closed else "",
        )

    def _doing(self, row: PartyRow) -> str:
        """The roles in words; of somebody without one, what they own."""
        owned = () if row.roles else self._owned(row)
        names = listed([company.label for company in owned])
        return say("Owner of {names}", names=names) if owned else roles.role_words(row.roles)

    def _owned(self, row: PartyRow) -> tuple[PartyRow, ...]:
        return companies_owned_by(self.draft, row, self._stakes)

    @cached_property
    def _stakes(self) -> TypedStakes:
        """Asked only where somebody has no role."""
        return typed_stakes(self.draft)

    def _progress(self, row: PartyRow, arrival: Arrival) -> tuple[str, str]:
        if arrival.is_refused:
            return "heed", say("Changes needed")
        needs = [need for need in self.draft.needs_of_party(row.token) if need.code != "holding"]
        if not row.roles:
            return ("", say("No role needed")) if self._owned(row) else ("open", say("Choose a role"))
        if not needs:
            return "met", say("Complete")
        documents = sum(need.code == "document" for need in needs)
        parts = (
            counted(len(needs) - documents, "{count} answer", "{count} answers"),
            counted(documents, "{count} document", "{count} documents"),
        )
        return "half", say("{things} to complete", things=listed([part for part in parts if part]))

    def _url(self, view: str, *more: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *more])


def people_page(draft: Draft, user: User) -> PeoplePage:
    """The page as the draft stands, for a reader who knows people from elsewhere."""
    return PeoplePage(draft, arrivals(draft.application), user, parts.invitations_of(draft))


def _standing(least: int, tally: int) -> tuple[str, str]:
    if tally < least:
        if not tally:
            return "open", say_count("{count} needed", "{count} needed", least)
        return "half", say_count("{count} more needed", "{count} more needed", least - tally)
    if least:
        return "met", say("Complete")
    return ("met", say_count("{count} added", "{count} added", tally)) if tally else ("", say("Optional"))
