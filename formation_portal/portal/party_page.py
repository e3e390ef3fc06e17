"""What the page of one party shows: its roles, the questions of those roles, its documents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import groupby

from django.urls import reverse

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.duplicates import duplicate_of
from formation_portal.applications.ownership_stakes import owners_of, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.language import say
from formation_portal.contract.record import Party
from formation_portal.contract.schema import Section
from formation_portal.portal.read_back import share_class_choices
from formation_portal.portal.slot_keys import party_control

from . import moments, roles
from .answers_page import AnswersPage
from .arrivals import Arrivals, arrivals
from .came_back import CameBack, came_back
from .company_owners import is_to_be_owned
from .consequences import foreseen
from .counting import listed
from .double_page import already_here
from .likely import likely
from .lists import NeedRow, need_rows
from .ownership_words import remainder
from .sheet import Region, Sheet
from .slots import SlotRow, slot_rows


@dataclass(frozen=True, slots=True)
class Entry:
    """The questions of one role; the note says why they are asked, or why not at present."""

    id: str
    title: str
    note: str
    regions: tuple[Region, ...]


@dataclass(frozen=True, kw_only=True)
class PartyPage(AnswersPage):
    """One party, ready to draw."""

    party: PartyRow
    arrivals: Arrivals

    template = "portal/party.html"
    closed_template = "portal/_party_closed.html"

    @property
    def title(self) -> str:
        return self.party.label

    @property
    def kind(self) -> str:
        """Person, Company or Foundation."""
        return canonical.kind_title(self.party.kind)

    @property
    def url(self) -> str:
        return self._url("party", self.party.token)

    @property
    def people_url(self) -> str:
        return self._url("people")

    @property
    def removal_url(self) -> str:
        return self._url("party_removal", self.party.token)

    @property
    def owners_url(self) -> str:
        """Where the owners of a company are entered; empty where nobody asks for them."""
        return self._url("owners", self.party.token) if is_to_be_owned(self.draft, self.party) else ""

    @property
    def owners(self) -> str:
        """Who owns the company, in words."""
        owners = owners_of(self.draft, self.party, typed_stakes(self.draft))
        known = [f"{one.party.label} {one.percent}" for one in owners if one.part is not None]
        rest = remainder(self.party.label, [one.part for one in owners if one.part is not None])
        return f"{listed(known)}. {rest}" if known else rest

    @property
    def version(self) -> int:
        return self.party.version

    @property
    def holder(self) -> str:
        return self.party.token

    @property
    def are_roles_locked(self) -> bool:
        """Whether those that it has were accepted."""
        return self.came_back is not None and self.party.token in self.came_back.locks.roles

    @property
    def double(self) -> str:
        """Who seems to be the same, as a sentence; empty where nobody does."""
        other = duplicate_of(self.draft, self.party) if not self.closed else None
        return already_here(self.draft, other) if other else ""

    @property
    def double_question(self) -> str:
        """Whether both are one."""
        return roles.same_kind(self.party.kind)

    @property
    def double_url(self) -> str:
        return self._url("party_double", self.party.token)

    @property
    def saved_at(self) -> str:
        return moments.moment(self.party.model.updated_at)

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        return need_rows(self.draft.needs_of_party(self.party.token), self.sheet, about=self._named)

    @property
    def _named(self) -> str:
        """What the needs call the party."""
        return self.party.record.label or canonical.nameless(self.party.kind)

    @property
    def slots(self) -> tuple[SlotRow, ...]:
        return slot_rows(
            self.draft,
            self.party,
            is_in_form=True,
            refused=self.refused,
            arrivals=self.arrivals,
            earlier=self.earlier,
            came_back=self.came_back,
        )

    @property
    def roles(self) -> tuple[roles.RoleChoice, ...]:
        return roles.role_choices(self.draft, self.party.kind, self.party.roles)

    @property
    def not_for(self) -> str:
        return roles.not_for(self.draft, self.party.kind)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The questions by the role that asks them first."""
        sections = {asked.section.key: asked.section for asked in self.sheet.asked}
        runs = groupby(self.sheet.regions, key=lambda region: region.section_key)
        return tuple(self._entry(place, sections[key], tuple(run)) for place, (key, run) in enumerate(runs))

    def _entry(self, place: int, section: Section, regions: tuple[Region, ...]) -> Entry:
        verdict = self.draft.form_state.section(section)
        kept = "" if verdict.active else say("We keep the answers until you submit.")
        note = f"{verdict.reason}. {kept}".strip() if verdict.reason else ""
        title = say("As {role}", role=canonical.role_word(section.role or ""))
        return Entry(f"entry-{place}", title, note, regions)


def party_page(draft: Draft, party: PartyRow, *, own_email: str = "", earlier: EarlierFiles | None = None) -> PartyPage:
    """The page as the draft stands. `own_email` is the reader's: only their own data may be filled in by a browser."""
    board = arrivals(draft.application)
    arrival = board.of_party(party.token, changed_at=party.model.updated_at)
    returned = came_back(draft)
    sheet = _sheet(draft, party.record, party, own_email, arrival.refused, returned)
    return PartyPage(
        draft=draft,
        party=party,
        sheet=sheet,
        arrival=arrival,
        arrivals=board,
        earlier=earlier,
        came_back=returned,
    )


def sheet_with_roles(draft: Draft, party: PartyRow, more: Iterable[str]) -> Sheet:
    """The questions to the party, were it to have these roles too: what a page may post that was drawn so."""
    wider = replace(party.record, roles=tuple(dict.fromkeys((*party.roles, *more))))
    return _sheet(draft, wider, party, "", {}, None)


def _sheet(
    draft: Draft,
    holder: Party,
    party: PartyRow,
    own_email: str,
    refused: Mapping[str, str],
    returned: CameBack | None,
) -> Sheet:
    asked = draft.form_state.party_questions(holder)
    return Sheet(
        schema=draft.schema,
        asked=asked,
        raw=party.raw,
        answers=holder.answers,
        refused=refused,
        overlong=draft.overlong,
        control=party_control,
        is_own=bool(own_email) and email_of(party) == own_email.lower(),
        share_classes=share_class_choices(draft),
        holder=holder,
        foreseen=cache(partial(foreseen, draft, [one.spec for one in asked], holder)),
        record=draft.record,
        likely=likely(draft),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        locked=returned.locks.answers_of(party.token) if returned else frozenset(),
        notes=returned.at_answers(party.token) if returned else {},
    )


def email_of(party: PartyRow) -> str:
    """The party's e-mail address as typed, in lower case; whatever section asks for it."""
    typed = (value for name, value in party.raw.items() if canonical.property_of(name) == "email")
    return next((value.strip().lower() for value in typed if isinstance(value, str)), "")
