"""The page of people and companies, each role and each party once, and those who are known from elsewhere."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext

from formation_portal.accounts.models import User
from formation_portal.applications.contacts import Contact, contacts, duplicates, without_party
from formation_portal.applications.fields import new_token
from formation_portal.applications.ownership_stakes import TypedStakes, companies_owned_by, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.localisation import join_list, ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.invitations.models import Invitation
from formation_portal.relay.delivery_status import ApplicationDeliveries
from formation_portal.ui import roles
from formation_portal.ui.formats import time_or_day
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import join_sentences
from formation_portal.ui.pagination import PEOPLE_AT_ONCE, PageLink, numbered_links

from ..catalog.search import matches_name
from ..feedback import DeliverySummary, answers_delivery, return_message
from ..pages import PEOPLE, PEOPLE_TITLE, ApplicationPage, Link, next_step
from .duplicates import distinguishing_words
from .guest_parts import guest_part
from .progress import NeedCounts, party_progress, role_progress

# A role is chosen at a glance; the rest is a list to open.
_KNOWN_AT_ONCE = 3
# So many are seen at a glance: more are folded by role, and can be filtered.
_SEEN_AT_ONCE = 8
_NAMED_AT_ONCE = 3
_NAMED_OTHERS = 50


@dataclass(frozen=True, slots=True)
class RoleCandidate:
    """Somebody who could take a role in one press: a party, or a person known from another application."""

    id: str
    label: str
    url: str
    detail: str = ""
    own: str = ""


@dataclass(frozen=True, slots=True)
class RoleCard:
    """One role: what it needs, who has it, who could. `more_holders` is a number, and `listed` whom a list offers."""

    id: str
    # It has the title and the help.
    section: Section
    title: str
    role: str
    help: str
    reason: str
    state: str
    status: str
    holders: tuple[str, ...]
    more_holders: int
    usable: tuple[RoleCandidate, ...]
    known: tuple[RoleCandidate, ...]
    listed: tuple[RoleCandidate, ...]
    # Needs of the role itself beside its minimum: too many have it, or their answers do not add up.
    needs: tuple[Need, ...]
    add_url: str
    list_url: str


@dataclass(frozen=True, slots=True)
class PartyListItem:
    """One party in the list, with how far it has come, and why our team has it."""

    id: str
    name: str
    kind: str
    facts: str
    state: str
    status: str
    url: str
    can_edit: bool
    remove_url: str
    delivery: str
    why: str
    duplicate_url: str
    invitation: str
    invite_url: str


# Stands for a token in an address; no reference has as many letters in a row.
_ANY_TOKEN = "0" * 10
# The marks of who isn't complete.
_UNFINISHED = ("open", "half", "stop")


@dataclass(frozen=True, slots=True)
class RoleGroup:
    """Those whose first role it is, and those with it who are in an earlier group already."""

    title: str
    # Those that the page shows, of all who are found.
    parties: tuple[PartyListItem, ...]
    also: tuple[PartyRow, ...]
    # How many have the role, and how many of them stand here and aren't complete.
    count: int
    to_complete: int
    is_found: bool

    @property
    def is_open(self) -> bool:
        """Whether somebody looked for them, something is needed, or they are few."""
        return self.is_found or self.to_complete > 0 or self.count - len(self.also) <= _SEEN_AT_ONCE

    @property
    def also_named(self) -> tuple[PartyRow, ...]:
        """Of many of the others, the first."""
        return self.also[:_NAMED_OTHERS]

    @property
    def also_more(self) -> int:
        return len(self.also) - len(self.also_named)


@dataclass(frozen=True)
class PeoplePage(ApplicationPage):
    """The whole page, for a reader who knows people from elsewhere. `search` is the name that they look for."""

    deliveries: ApplicationDeliveries
    user: User
    invitations: Mapping[str, Invitation]
    search: str = ""
    # Which page of many.
    number: str = ""

    @property
    def title(self) -> str:
        return gettext(PEOPLE_TITLE)

    @cached_property
    def return_message(self) -> str:
        """What our reviewer wrote about the whole when it came back."""
        return return_message(self.draft)

    @property
    def additions(self) -> list[Link]:
        """Where somebody new is added, by the kinds that some role takes."""
        url = reverse("portal:party_new", args=[self.reference])
        return [Link(gettext(roles.ADD_WORDS[kind]), f"{url}?kind={kind}") for kind in roles.kinds_for_role(self.draft)]

    @cached_property
    def next_step(self) -> Link:
        """The page after this one."""
        return next_step(self.draft, PEOPLE)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing here: each role is filled, and so is what each party is asked."""
        states = (*(role.state for role in self.roles), *(self._states[row.token][0] for row in self.draft.parties))
        return all(state in ("met", "") for state in states)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.draft.parties)

    @property
    def inactive_roles(self) -> list[AnswerRow]:
        """Roles whose rule doesn't hold; they come back when it does."""
        activations = [(one, self.draft.form_state.section_activation(one)) for one in self.draft.schema.role_sections]
        return [
            AnswerRow(roles.role_title(one), activation.reason)
            for one, activation in activations
            if not activation.active
        ]

    @property
    def removed(self) -> list[tuple[PartyRow, str]]:
        """Who was removed, with roles and time; nobody once nothing can be changed."""
        found = () if self.read_only_reason else self.draft.removed_parties
        said = gettext("{roles}. Removed on {when}")
        return [
            (row, said.format(roles=roles.role_words(row.roles), when=time_or_day(row.model.removed_at)))
            for row in found
            if row.model.removed_at
        ]

    @cached_property
    def roles(self) -> tuple[RoleCard, ...]:
        return tuple(self._card(section) for section in roles.active_roles(self.draft))

    def _card(self, section: Section) -> RoleCard:
        state, status = self._role_progress(section)
        usable: tuple[RoleCandidate, ...] = ()
        add_url = ""
        if not self.read_only_reason:
            fitting = [row for row in self.draft.parties if section.role not in row.roles and section.allows(row.kind)]
            # More are found by their names, and given roles on their own pages.
            fitting = fitting if len(fitting) <= PEOPLE_AT_ONCE else []
            urls = [self._party_url("party_roles", row.token) for row in fitting]
            usable = tuple(RoleCandidate(row.token, row.label, url) for row, url in zip(fitting, urls, strict=True))
            if not self.party_limit:
                add_url = f"{self._url('party_new')}?{urlencode({'role': section.role or ''})}"
        at_once = usable if len(usable) <= _SEEN_AT_ONCE else ()
        known = tuple(candidate for one, candidate in self._known if section.allows(one.kind))
        holders = tuple(row.label for row in self.draft.parties if section.counts(row.kind, row.roles))
        named = holders if len(holders) <= _SEEN_AT_ONCE else holders[:_NAMED_AT_ONCE]
        return RoleCard(
            id=f"role-{section.key}",
            section=section,
            title=roles.role_title(section),
            role=section.role or "",
            help=section.help or roles.allowed_kinds(section),
            reason=roles.role_reason(self.draft, section),
            state=state,
            status=status,
            holders=named,
            more_holders=len(holders) - len(named),
            usable=at_once,
            known=known[:_KNOWN_AT_ONCE],
            listed=(*usable[len(at_once) :], *known[_KNOWN_AT_ONCE:]),
            needs=tuple(need for need in self._counts.needs_of_role(section) if need.code != "minimum"),
            add_url=add_url,
            list_url=self._address("party_known"),
        )

    def _role_progress(self, section: Section) -> tuple[str, str]:
        """Return a role's mark and words, with how many more it needs."""
        state = self.draft.form_state
        least = state.minimum_of(section).count
        tally = len(state.parties_in(section))
        if not tally:
            return ("open", ngettext("{count} needed", "{count} needed", least)) if least else ("", gettext("Optional"))
        mark, words = role_progress(self._counts, section, refused=self._refused_parties)
        if tally < least:
            words = ", ".join((words, ngettext("{count} more needed", "{count} more needed", least - tally)))
        return mark, words

    @cached_property
    def _known(self) -> list[tuple[Contact, RoleCandidate]]:
        """Whoever is known from elsewhere and isn't here; each has a token, so that pressing twice copies once."""
        if self.read_only_reason or self.party_limit:
            return []
        absent = without_party(self.draft, contacts(self.user, self.draft))
        names = Counter(one.label for one in absent)
        return [
            (
                one,
                RoleCandidate(
                    id=f"{one.sources[0]}/{new_token()}",
                    label=one.label,
                    url=self._address("party_known"),
                    detail=distinguishing_words(one.identifying_values) if names[one.label] > 1 else "",
                    own=gettext("Add yourself") if one.is_owner else "",
                ),
            )
            for one in absent
        ]

    @cached_property
    def parties(self) -> tuple[PartyListItem, ...]:
        return tuple(map(self._line, self.draft.parties))

    @cached_property
    def _duplicates(self) -> dict[str, PartyRow]:
        return duplicates(self.draft) if not self.read_only_reason else {}

    @property
    def is_long(self) -> bool:
        """Whether they are too many for one list."""
        return len(self.draft.parties) > _SEEN_AT_ONCE

    @cached_property
    def groups(self) -> tuple[RoleGroup, ...]:
        """Whoever has the name that is looked for, once each, by their first role; at the end who has none."""
        shown = {row.token for _, row in self.shown}
        groups: dict[int, list[PartyRow]] = {}
        for place, row in self._placed:
            groups.setdefault(place, []).append(row)
        built = []
        for place, (title, role) in enumerate(self._group_titles):
            here, placed = groups.get(place, []), {row.token for row in groups.get(place, ())}
            also = tuple(row for row in self._found if role in row.roles and row.token not in placed) if role else ()
            if here or also:
                lines = tuple(self._line(row) for row in here if row.token in shown)
                left = sum(self._states[row.token][0] in _UNFINISHED for row in here)
                built.append(RoleGroup(title, lines, also, len(here) + len(also), left, bool(self.search)))
        return tuple(built)

    @cached_property
    def _found(self) -> list[PartyRow]:
        """Whoever has the name that is looked for."""
        return [row for row in self.draft.parties if matches_name(self.search, row.label)]

    @cached_property
    def _group_titles(self) -> list[tuple[str, str]]:
        """The heading of each group, and its role; at the end of those without one."""
        titled = [(roles.role_title(one), one.role or "") for one in roles.active_roles(self.draft)]
        return [*titled, (gettext("Without a role"), "")]

    @cached_property
    def _placed(self) -> list[tuple[int, PartyRow]]:
        """Everybody who is found with the place of their first group, in the order of the groups."""
        *named, _ = (role for _, role in self._group_titles)
        first = [
            (next((place for place, role in enumerate(named) if role in row.roles), len(named)), row)
            for row in self._found
        ]
        return sorted(first, key=lambda one: one[0])

    @cached_property
    def shown(self) -> Page[tuple[int, PartyRow]]:
        """The people on this page. A search has one page, since its words stand in no address."""
        length = max(PEOPLE_AT_ONCE, len(self._placed)) if self.search else PEOPLE_AT_ONCE
        return Paginator(self._placed, length).get_page(self.number)

    @property
    def links(self) -> tuple[PageLink, ...]:
        found = numbered_links(self.shown, QueryDict())
        return tuple(replace(link, url=link.url and f"{link.url}#list") for link in found)

    @property
    def found_count(self) -> int:
        """How many have the name that is looked for."""
        return len(self._found)

    @cached_property
    def _states(self) -> dict[str, tuple[str, str]]:
        """Of everybody the mark and the words of how far they have come."""
        return {row.token: self._progress(row) for row in self.draft.parties}

    @cached_property
    def _counts(self) -> NeedCounts:
        return NeedCounts(self.draft)

    @cached_property
    def _address(self) -> Callable[..., str]:
        """The address of a view, which is looked up once for all of a list."""
        return cache(self._url)

    def _party_url(self, view: str, token: str) -> str:
        return self._address(view, _ANY_TOKEN).replace(_ANY_TOKEN, token)

    def _line(self, row: PartyRow) -> PartyListItem:
        can_be_changed = not self.read_only_reason
        may_invite = can_be_changed and self.draft.application.is_own
        status = self.deliveries.of_party(row.token)
        delivery = answers_delivery(self.deliveries, status, party=row.token, changed_at=row.model.updated_at)
        # Of somebody without a role, what they own.
        owned = () if row.roles else companies_owned_by(self.draft, row, self._stakes)
        names = join_list([company.label for company in owned])
        doing = gettext("Owner of {names}").format(names=names) if owned else roles.role_words(row.roles)
        state, words = self._states[row.token]
        invitation = self.invitations.get(row.token)
        return PartyListItem(
            id=f"party-{row.token}",
            name=row.label,
            kind=row.kind,
            facts=join_sentences(doing, canonical.kind_title(row.kind).capitalize()),
            state=state,
            status=words,
            url=self._party_url("party", row.token),
            can_edit=can_be_changed,
            remove_url=self._party_url("party_removal", row.token) if can_be_changed else "",
            delivery="" if delivery.is_refused else delivery.state,
            why=delivery.why,
            duplicate_url=self._url("party_duplicate", row.token) if row.token in self._duplicates else "",
            invitation=guest_part(self.draft, row, invitation, refused=self._refused).words if invitation else "",
            invite_url=self._party_url("invitation", row.token) if may_invite else "",
        )

    @cached_property
    def _refused(self) -> tuple[Need, ...]:
        return DeliverySummary(self.draft, self.deliveries).refused

    @cached_property
    def _refused_parties(self) -> frozenset[str]:
        return frozenset(need.party_id for need in self._refused if need.party_id)

    @cached_property
    def _stakes(self) -> TypedStakes:
        """Asked only where somebody has no role."""
        return typed_stakes(self.draft)

    def _progress(self, row: PartyRow) -> tuple[str, str]:
        is_refused = row.token in self._refused_parties or self.deliveries.of_party(row.token).is_refused
        if not row.roles and not is_refused:
            is_owner = any(owner == row.token for _, owner in self._stakes)
            return ("", gettext("No role needed")) if is_owner else ("open", gettext("Choose a role"))
        return party_progress(self._counts.by_party[row.token], is_refused=is_refused)
