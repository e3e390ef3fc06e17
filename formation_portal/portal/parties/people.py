"""Build the page of people and companies: the roles, the parties, and the contacts that could take a role."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext

from formation_portal.accounts.models import User
from formation_portal.applications.contacts import contacts, duplicates, without_party
from formation_portal.applications.fields import new_token
from formation_portal.applications.ownership_stakes import TypedStakes, companies_owned_by, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.advice import validation_advice
from formation_portal.contract.localisation import join_list, ngettext
from formation_portal.contract.schema import Section
from formation_portal.invitations.models import Invitation
from formation_portal.relay.delivery_status import DeliveryStatus
from formation_portal.ui import roles
from formation_portal.ui.formats import day_and_time
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import join_sentences
from formation_portal.ui.pagination import PEOPLE_AT_ONCE, PageLink, numbered_links

from ..catalog.search import matches_name
from ..feedback import DeliverySummary, answers_delivery, return_message
from ..pages import PEOPLE, ApplicationPage, Link, next_step
from .pages import distinguishing_words
from .progress import NeedCounts, Progress, guest_part, party_progress, role_progress

# The most contacts that a role shows as buttons, and the most holders that it names.
_CONTACTS_AT_ONCE = 3
_NAMED_AT_ONCE = 3
# More parties than this are grouped by role and can be filtered.
_SEEN_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class RoleCandidate:
    """A party, or a contact from another application, with a button to take a role."""

    id: str
    kind: str
    label: str
    url: str
    detail: str = ""
    own: str = ""


@dataclass(slots=True)
class PartyListItem:
    party: PartyRow
    facts: str
    progress: Progress
    # None if the service has refused the answers, which the progress says.
    delivery: DeliveryStatus | None
    url: str
    can_edit: bool = False
    removal_url: str = ""
    duplicate_url: str = ""
    invitation: str = ""
    invitation_url: str = ""


# The marks of incomplete parties.
_UNFINISHED = ("open", "half", "error")


@dataclass(frozen=True)
class PeoplePage(ApplicationPage):
    delivery: DeliverySummary
    user: User
    invitations: Mapping[str, Invitation]
    search: str = ""
    number: str = ""

    @cached_property
    def return_message(self) -> str:
        return return_message(self.draft)

    @property
    def additions(self) -> list[Link]:
        url = self._url("party_new")
        return [Link(gettext(roles.ADD_WORDS[kind]), f"{url}?kind={kind}") for kind in roles.kinds_for_role(self.draft)]

    @cached_property
    def next_step(self) -> Link:
        return next_step(self.draft, PEOPLE)

    @property
    def is_complete(self) -> bool:
        marks = {card["progress"].mark for card in self.roles}
        marks.update(progress.mark for progress in self._progress.values())
        return marks <= {"met", ""}

    @property
    def inactive_roles(self) -> list[AnswerRow]:
        rows: list[AnswerRow] = []
        for section in self.draft.schema.role_sections:
            activation = self.draft.form_state.section_activation(section)
            if not activation.active:
                rows.append(AnswerRow(roles.role_title(section), activation.reason))
        return rows

    @property
    def removed(self) -> list[tuple[PartyRow, str]]:
        """Return the removed parties, each with its roles and the time; none if the application is read-only."""
        removed: list[tuple[PartyRow, str]] = []
        for party in self.draft.removed_parties:
            if party.model.removed_at and not self.read_only_reason:
                values = {"roles": roles.role_words(party.roles), "when": day_and_time(party.model.removed_at)}
                removed.append((party, gettext("{roles}. Removed on {when}").format(**values)))
        return removed

    @cached_property
    def roles(self) -> list[dict[str, Any]]:
        """Return each role with its progress, its holders and its candidates, for ui/role.html."""
        return [self._card(section) for section in roles.active_roles(self.draft)]

    def _card(self, section: Section) -> dict[str, Any]:
        contacts = [candidate for candidate in self._contacts if section.allows(candidate.kind)]
        usable = self._usable(section)
        listed = contacts[_CONTACTS_AT_ONCE:]
        if len(usable) > _SEEN_AT_ONCE:
            listed = [*usable, *listed]
            usable = []
        holders = [party.label for party in self.draft.parties if section.counts(party.kind, party.roles)]
        named = holders if len(holders) <= _SEEN_AT_ONCE else holders[:_NAMED_AT_ONCE]
        add_url = ""
        if not self.read_only_reason and not self.party_limit:
            add_url = f"{self._url('party_new')}?{urlencode({'role': section.role or ''})}"
        return {
            "id": f"role-{section.key}",
            "section": section,
            "title": roles.role_title(section),
            "role": section.role,
            "help": section.help or roles.allowed_kinds(section),
            "reason": roles.role_reason(self.draft, section),
            "progress": self._role_progress(section),
            "holders": named,
            "more_holders": len(holders) - len(named),
            "usable": usable,
            "contacts": contacts[:_CONTACTS_AT_ONCE],
            "listed": listed,
            # The role's progress names its minimum already.
            "needs": [need for need in self._counts.needs_of_role(section) if need.code != "minimum"],
            "advice": validation_advice(self.draft.form_state, section),
            "add_url": add_url,
            "list_url": self._url("party_known"),
        }

    def _usable(self, section: Section) -> list[RoleCandidate]:
        """Return the parties that could take the role; none if there are many, which take roles on their own pages."""
        parties = [row for row in self.draft.parties if section.role not in row.roles and section.allows(row.kind)]
        if self.read_only_reason or len(parties) > PEOPLE_AT_ONCE:
            return []
        return [RoleCandidate(row.token, row.kind, row.label, self._url("party_roles", row.token)) for row in parties]

    def _role_progress(self, section: Section) -> Progress:
        state = self.draft.form_state
        minimum = state.minimum_of(section).count
        count = len(state.parties_in(section))
        if not count and not minimum:
            return Progress("", gettext("Optional"))
        if not count:
            return Progress("open", ngettext("{count} needed", "{count} needed", minimum))
        progress = role_progress(self._counts, section, refused=self._refused_parties)
        if count >= minimum:
            return progress
        more = ngettext("{count} more needed", "{count} more needed", minimum - count)
        return Progress(progress.mark, f"{progress.text}, {more}")

    @cached_property
    def _contacts(self) -> list[RoleCandidate]:
        """Return the reader's contacts that are not parties yet. A second press with the same token adds no other."""
        if self.read_only_reason or self.party_limit:
            return []
        absent = without_party(self.draft, contacts(self.user, self.draft))
        name_counts = Counter(contact.label for contact in absent)
        url = self._url("party_known")
        candidates: list[RoleCandidate] = []
        for contact in absent:
            candidate = RoleCandidate(f"{contact.sources[0]}/{new_token()}", contact.kind, contact.label, url)
            if name_counts[contact.label] > 1:
                candidate = replace(candidate, detail=distinguishing_words(contact.identifiers))
            if contact.is_owner:
                candidate = replace(candidate, own=gettext("Add yourself"))
            candidates.append(candidate)
        return candidates

    @cached_property
    def items(self) -> list[PartyListItem]:
        return [self._item(party) for party in self.draft.parties]

    @property
    def is_long(self) -> bool:
        return len(self.draft.parties) > _SEEN_AT_ONCE

    @cached_property
    def groups(self) -> list[dict[str, Any]]:
        """Return the parties that match the search, by their first role.

        `items` are the parties on this page, `others` the holders of the role that are listed in an earlier group.
        """
        on_page = {party.token for party in self.shown}
        groups: list[dict[str, Any]] = []
        for section, members in self._members:
            title = gettext("Without a role")
            others: list[PartyRow] = []
            if section:
                title = roles.role_title(section)
                own = {party.token for party in members}
                others = [party for party in self.matches if section.role in party.roles and party.token not in own]
            to_complete = sum(self._progress[party.token].mark in _UNFINISHED for party in members)
            group = {
                "title": title,
                "items": [self._item(party) for party in members if party.token in on_page],
                "others": others,
                "count": len(members) + len(others),
                "to_complete": to_complete,
                "is_open": bool(self.search) or to_complete > 0 or len(members) <= _SEEN_AT_ONCE,
            }
            if group["count"]:
                groups.append(group)
        return groups

    @cached_property
    def matches(self) -> list[PartyRow]:
        return [party for party in self.draft.parties if matches_name(self.search, party.label)]

    @cached_property
    def _members(self) -> list[tuple[Section | None, list[PartyRow]]]:
        """Return the matching parties by their first role; the last group, None, has parties without a role."""
        members: list[tuple[Section | None, list[PartyRow]]] = []
        remaining = self.matches
        for section in roles.active_roles(self.draft):
            members.append((section, [party for party in remaining if section.role in party.roles]))
            remaining = [party for party in remaining if section.role not in party.roles]
        return [*members, (None, remaining)]

    @cached_property
    def shown(self) -> Page[PartyRow]:
        """Return the parties on this page. A search has a single page, since no URL contains its words."""
        in_order = [party for _, members in self._members for party in members]
        length = max(PEOPLE_AT_ONCE, len(in_order)) if self.search else PEOPLE_AT_ONCE
        return Paginator(in_order, length).get_page(self.number)

    @property
    def links(self) -> tuple[PageLink, ...]:
        return numbered_links(self.shown, QueryDict(), anchor="#list")

    @cached_property
    def _counts(self) -> NeedCounts:
        return NeedCounts(self.draft)

    def _item(self, party: PartyRow) -> PartyListItem:
        token = party.token
        status = self.delivery.deliveries.of_party(token)
        delivery = answers_delivery(self.delivery.deliveries, status, party=token, changed_at=party.model.updated_at)
        role_words = roles.role_words(party.roles)
        if not party.roles and (owned := companies_owned_by(self.draft, party, self._stakes)):
            names = join_list([company.label for company in owned])
            role_words = gettext("Owner of {names}").format(names=names)
        item = PartyListItem(
            party,
            facts=join_sentences(role_words, canonical.kind_title(party.kind).capitalize()),
            progress=self._progress[token],
            delivery=None if delivery.is_refused else delivery,
            url=self._url("party", token),
        )
        if invitation := self.invitations.get(token):
            item.invitation = guest_part(self.draft, party, invitation, refused=self.delivery.refused).words
        if not self.read_only_reason:
            item.can_edit = True
            item.removal_url = self._url("party_removal", token)
            if token in self._duplicates:
                item.duplicate_url = self._url("party_duplicate", token)
            if self.draft.application.is_own:
                item.invitation_url = self._url("invitation", token)
        return item

    @cached_property
    def _duplicates(self) -> dict[str, PartyRow]:
        return duplicates(self.draft)

    @cached_property
    def _refused_parties(self) -> frozenset[str]:
        """Return the tokens of parties of which the formation service has refused an answer, a document or all."""
        named = {need.party_id for need in self.delivery.refused if need.party_id}
        deliveries = self.delivery.deliveries
        return frozenset(named | {row.token for row in self.draft.parties if deliveries.of_party(row.token).is_refused})

    @cached_property
    def _stakes(self) -> TypedStakes:
        """Read the ownership stakes, used only for parties without a role."""
        return typed_stakes(self.draft)

    @cached_property
    def _progress(self) -> dict[str, Progress]:
        progress: dict[str, Progress] = {}
        for party in self.draft.parties:
            is_refused = party.token in self._refused_parties
            if party.roles or is_refused:
                progress[party.token] = party_progress(self._counts.by_party[party.token], is_refused=is_refused)
            elif any(owner == party.token for _, owner in self._stakes):
                progress[party.token] = Progress("", gettext("No role needed"))
            else:
                progress[party.token] = Progress("open", gettext("Choose a role"))
        return progress
