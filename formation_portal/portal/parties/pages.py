"""The page of one party: its roles, their questions, its documents; and the page that adds a party."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from formation_portal.accounts.models import User
from formation_portal.applications.contacts import copyable_answers, duplicate_of, owner_contact
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.applications.ownership_stakes import owners_of, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical, rules
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import ApplicationDeliveries, deliveries_for_customer
from formation_portal.ui import formats, roles
from formation_portal.ui.formats import listed
from formation_portal.ui.forms.controls import Option, Problem, Suggestions
from formation_portal.ui.forms.form import QuestionForm, Region
from formation_portal.ui.ownership import unaccounted_for

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..pages import ApplicationPage, Link, need_rows
from ..sections.changes import InactiveWarnings
from ..sections.pages import QuestionEntry, QuestionPage
from ..slots import SlotRow, slot_rows
from .duplicates import already_here


@dataclass(frozen=True, kw_only=True)
class PartyPage(QuestionPage):
    """One party, ready to draw."""

    party: PartyRow
    deliveries: ApplicationDeliveries

    template = "portal/parties/party.html"
    read_only_template = "portal/parties/party_read_only.html"
    folds = True

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
    def owners_url(self) -> str:
        """Where the owners of a company are entered; empty where nobody asks for them."""
        return self._url("owners", self.party.token) if self.draft.asks_owners_of(self.party) else ""

    @property
    def owners(self) -> str:
        """Who owns the company, in words."""
        owners = owners_of(self.draft, self.party, typed_stakes(self.draft))
        known = [f"{one.party.label} {one.percent}" for one in owners if one.part is not None]
        rest = unaccounted_for(self.party, owners)
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
        return self.feedback is not None and self.party.token in self.feedback.locks.roles

    @property
    def duplicate(self) -> str:
        """Who seems to be the same, as a sentence; empty where nobody does."""
        other = duplicate_of(self.draft, self.party) if not self.read_only_reason else None
        return already_here(self.draft, other) if other else ""

    @property
    def duplicate_question(self) -> str:
        """Whether both are one."""
        return roles.duplicate_question(self.party.kind)

    @property
    def saved_at(self) -> str:
        return formats.time_or_day(self.party.model.updated_at)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        return need_rows(self.draft.needs_of_party(self.party.token), self.form, about=self._named)

    @property
    def _named(self) -> str:
        """What the needs call the party."""
        return self.party.record.label or canonical.unnamed_label(self.party.kind)

    @cached_property
    def slots(self) -> tuple[SlotRow, ...]:
        return slot_rows(
            self.draft,
            self.party,
            is_in_form=True,
            refused=self.refused,
            deliveries=self.deliveries,
            earlier=self.earlier,
            feedback=self.feedback,
        )

    @cached_property
    def slots_of_roles(self) -> dict[str, tuple[SlotRow, ...]]:
        """By the key of a role's section, the documents that of all roles this one alone asks for.

        They go with its questions, as long as others remain: the part with those says which files are taken.
        """
        asking = [section for section in self.draft.schema.role_sections if section.allows(self.party.kind)]
        found: dict[str, tuple[SlotRow, ...]] = {}
        for row in self.slots:
            keys = [one.key for one in asking if row.name in {slot.name for slot in one.slots(self.party.kind)}]
            if len(keys) == 1 < len(asking):
                found[keys[0]] = (*found.get(keys[0], ()), row)
        return found if sum(map(len, found.values())) < len(self.slots) else {}

    @property
    def common_slots(self) -> tuple[SlotRow, ...]:
        beside = {row.id for rows in self.slots_of_roles.values() for row in rows}
        return tuple(row for row in self.slots if row.id not in beside)

    @property
    def roles(self) -> tuple[Option, ...]:
        return roles.role_choices(self.draft, self.party.kind, self.party.roles)

    @property
    def excluded_roles(self) -> str:
        return roles.excluded_roles(self.draft, self.party.kind)

    @cached_property
    def entries(self) -> tuple[QuestionEntry, ...]:
        """Who it is, whichever role asks; then what each role asks besides, by the role that asks first."""
        roles = {section.key: section for section in self.draft.schema.sections_for(self.party.kind, self.party.roles)}
        about_party: list[QuestionEntry] = []
        of_roles: dict[str, tuple[Region, ...]] = dict.fromkeys(roles, ())
        for key, run in groupby(self.form.regions, key=lambda region: region.entry):
            if key in roles:
                of_roles[key] = tuple(run)
            else:
                title = key.removeprefix(ABOUT_PARTY)
                about_party.append(
                    QuestionEntry(
                        id=f"about-{len(about_party)}",
                        title=title or gettext(_ABOUT_PARTY[self.party.kind]),
                        regions=tuple(run),
                        is_ours=not title,
                    )
                )
        asked = (
            QuestionEntry(
                id=f"role-{place}",
                title=gettext("As {role}").format(role=canonical.role_word(roles[key].role or "")),
                regions=regions,
                note=self._note(roles[key]),
                is_ours=True,
                slots=self.slots_of_roles.get(key, ()),
            )
            for place, (key, regions) in enumerate(of_roles.items())
        )
        return (*about_party, *(entry for entry in asked if entry.regions or entry.note or entry.slots))

    def _note(self, section: Section) -> str:
        """Why a role's questions are asked, or why not at present."""
        activation = self.draft.form_state.section_activation(section)
        kept = "" if activation.active else gettext("We keep the answers until you submit.")
        return f"{activation.reason}. {kept}".strip() if activation.reason else ""


def party_page(draft: Draft, party: PartyRow, *, own_email: str = "", earlier: EarlierFiles | None = None) -> PartyPage:
    """The page as the draft stands. `own_email` is the reader's: only their own data may be filled in by a browser."""
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_party(party.token)
    delivery = answers_delivery(deliveries, status, party=party.token, changed_at=party.model.updated_at)
    feedback = review_feedback(draft)
    form = party_form(draft, party, own_email=own_email, refused=refused_answers(delivery), feedback=feedback)
    return PartyPage(
        draft=draft,
        party=party,
        form=form,
        delivery=delivery,
        deliveries=deliveries,
        earlier=earlier,
        feedback=feedback,
    )


class PartyForm(QuestionForm):
    """The questions about a party itself, then those of each role."""

    def entry_of(self, question: rules.Question) -> str:
        return entry_of(question)


def party_form(
    draft: Draft,
    party: PartyRow,
    *,
    more_roles: Iterable[str] = (),
    own_email: str = "",
    refused: Mapping[str, str] | None = None,
    feedback: ReviewFeedback | None = None,
) -> PartyForm:
    """The questions to the party, were it to have these roles too: what a page may post that was drawn so."""
    holder = replace(party.record, roles=tuple(dict.fromkeys((*party.roles, *more_roles))))
    asked = questions_by_entry(draft.form_state.party_questions(holder))
    return PartyForm(
        schema=draft.schema,
        asked=asked,
        raw=party.raw,
        answers=holder.answers,
        impossible=draft.form_state.impossible_answers(holder),
        advice=draft.form_state.advised_answers(holder),
        refused=refused or {},
        is_own=bool(own_email) and party_email(party) == own_email.lower(),
        share_classes=draft.share_class_choices,
        holder=holder,
        warnings=InactiveWarnings(draft, [question.spec for question in asked], holder),
        record=draft.record,
        suggestions=Suggestions(draft),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        locked=feedback.locks.answers_of(party.token) if feedback else frozenset(),
        notes=feedback.at_answers(party.token) if feedback else {},
    )


# What the key of a heading begins with under which it is asked who a party is.
ABOUT_PARTY = "about:"

_ABOUT_PARTY = {
    "person": gettext_noop("Identity and contact"),
    "corporate": gettext_noop("Company details"),
    "foundation": gettext_noop("Foundation details"),
}


def entry_of(asked: rules.Question) -> str:
    """The heading of a question to a party: who it is, by the schema's group, or the role's own section."""
    is_about_party = canonical.is_of_party(asked.spec.canonical_field)
    return f"{ABOUT_PARTY}{asked.spec.group}" if is_about_party else asked.section.key


def questions_by_entry(asked: Iterable[rules.Question]) -> tuple[rules.Question, ...]:
    """Those about the party first, then each role's own; each heading once, in the order of the schema."""
    asked = tuple(asked)
    places = {entry: place for place, entry in enumerate(dict.fromkeys(map(entry_of, asked)))}
    return tuple(
        sorted(asked, key=lambda one: (not canonical.is_of_party(one.spec.canonical_field), places[entry_of(one)]))
    )


def party_email(party: PartyRow) -> str:
    """The party's e-mail address as typed, in lower case; whatever section asks for it."""
    typed = (value for name, value in party.raw.items() if canonical.property_of(name) == "email")
    return next((clean_line(value).lower() for value in typed if isinstance(value, str)), "")


# Says in an address that what it names is not chosen yet.
CHOOSING = "choosing"

_HINTS = {
    "person": gettext_noop("A natural person"),
    "corporate": gettext_noop("A company or other organisation"),
    "foundation": gettext_noop("A private foundation"),
}


@dataclass(frozen=True)
class PartyNewPage(ApplicationPage):
    """One step of the two. The token makes posting the page twice harmless."""

    user: User
    kind: str
    role: str
    chosen: tuple[str, ...]
    is_me: bool
    token: str
    # The kind that is ticked in the first step.
    ticked: str

    @cached_property
    def kinds(self) -> tuple[Option, ...]:
        """The kinds that the role takes, or any role where none was named."""
        return tuple(
            Option(
                kind, roles.capitalised(roles.kind_with_article(kind)), kind == self.ticked, help=gettext(_HINTS[kind])
            )
            for kind in roles.kinds_for_role(self.draft, self.role)
        )

    @property
    def word(self) -> str:
        """Person, Company or Foundation; empty in the first step."""
        return canonical.kind_title(self.kind) if self.kind else ""

    @property
    def heading(self) -> str:
        """What the page is for."""
        return gettext(roles.ADD_WORDS[self.kind]) if self.kind else gettext("Add someone")

    @property
    def roles(self) -> tuple[Option, ...]:
        """The roles that the kind can have, with those ticked that were chosen before."""
        choices = roles.role_choices(self.draft, self.kind, ())
        return tuple(replace(one, chosen=one.value in self.chosen) for one in choices)

    @property
    def excluded_roles(self) -> str:
        return roles.excluded_roles(self.draft, self.kind)

    @property
    def may_be_me(self) -> bool:
        """Whether the reader can be the new person: not a company, and not there already."""
        addresses = {value for row in self.draft.parties for value in row.raw.values() if isinstance(value, str)}
        return canonical.is_person(self.kind) and self.user.email not in addresses

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What has to be chosen before the party can be made."""
        if not self.kind:
            return (Problem("kind", gettext("Choose who you are adding")),)
        if not any(one.chosen for one in self.roles):
            return (Problem("roles-1", gettext("Choose at least one role")),)
        return ()

    @property
    def raw(self) -> dict[str, Any]:
        """What is known of the reader, where the new person is they."""
        if not (self.is_me and self.may_be_me):
            return {}
        return copyable_answers(self.draft, owner_contact(self.user, self.draft), self.chosen)


def party_new_page(draft: Draft, asked: QueryDict, user: User) -> PartyNewPage:
    """The step that `asked`, a query or a post, has come to. A kind that no role takes is asked again.

    So is one that is only being chosen: its page was opened once more in another language.
    """
    role = asked.get("role", "")
    kinds = roles.kinds_for_role(draft, role)
    kind = asked.get("kind", kinds[0] if len(kinds) == 1 else "")
    kind = kind if kind in kinds else ""
    chosen = tuple(one for one in asked.getlist("roles") if one) or ((role,) if role else ())
    token = asked.get("token", "")
    return PartyNewPage(
        draft=draft,
        user=user,
        kind="" if CHOOSING in asked else kind,
        role=role,
        chosen=chosen,
        is_me="me" in asked,
        token=token if is_token(token) else new_token(),
        ticked=kind or next(iter(kinds), ""),
    )
