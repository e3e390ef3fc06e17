"""Build the pages of a party: its roles, questions and documents, its addition, and a possible duplicate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain, groupby
from types import MappingProxyType
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop

from formation_portal.accounts.models import User
from formation_portal.applications.contacts import copyable_answers, duplicate_of, owner_contact, properties_of
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import owners_of, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import answer_in_words, number_of_shares
from formation_portal.contract import canonical, rules
from formation_portal.contract.fields.cleaning import clean_email
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.contract.localisation import join_list, long_date, ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.record import Party
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import deliveries_for_customer
from formation_portal.ui import formats, roles
from formation_portal.ui.formats import listed
from formation_portal.ui.forms.controls import Option, Problem, Suggestions
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.form_data import ROLES, posted_answers
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import unaccounted_for

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..lookups import posted_token
from ..pages import ApplicationPage, Link, need_rows
from ..sections.changes import InactiveWarnings, unsaved_rows
from ..sections.pages import QuestionEntry, QuestionPage
from ..slots import SlotRow


def duplicate_context(draft: Draft, party: PartyRow, other: PartyRow) -> dict[str, Any]:
    """Describe the question whether `party`, which was just saved, is the same as `other`, which a merger keeps."""
    new_roles = [role for role in party.roles if role not in other.roles]
    merge_label = gettext("Keep only the first {name}").format(name=other.label)
    if count := len(new_roles):
        merge_label = ngettext("Give {name} this role too", "Give {name} these roles too", count, name=other.label)
    return {
        "page": ApplicationPage(draft),
        "other": other,
        "question": roles.duplicate_question(other.kind),
        "sentence": already_here(draft, other),
        "merge_label": merge_label,
        "new_roles": new_roles and roles.role_words(new_roles),
        "differing": _differing_answers(draft, party, other),
    }


def _differing_answers(draft: Draft, party: PartyRow, other: PartyRow) -> list[tuple[str, str, str]]:
    """Return the answers and shareholdings that differ: the label, the value of `other`, and that of `party`."""
    rows: list[tuple[str, str, str]] = []
    for spec in draft.schema.fields_of(party.kind, (*other.roles, *party.roles)):
        if spec.name in party.raw and spec.name in other.raw:
            value = answer_in_words(spec, other.raw[spec.name])
            lost_value = answer_in_words(spec, party.raw[spec.name])
            if value != lost_value:
                rows.append((spec.label, value, lost_value))
    for share_class in draft.share_classes:
        holding = draft.holdings.get((other.token, share_class.token))
        lost_holding = draft.holdings.get((party.token, share_class.token))
        if holding and lost_holding:
            label = gettext("“{name}” shares").format(name=share_class.label)
            rows.append((label, number_of_shares(holding), number_of_shares(lost_holding)))
    return rows


def already_here(draft: Draft, row: PartyRow) -> str:
    """Say that a party is here: "Ada Lovelace, born 10 December 1985, is already a director in this application."."""
    values = {"name": row.label, "known": distinguishing_words(properties_of(draft, row))}
    if not row.roles:
        return gettext("{name}, {known}, is already in this application.").format(**values)
    values["roles"] = join_list([roles.with_article(role) for role in row.roles])
    return gettext("{name}, {known}, is already {roles} in this application.").format(**values)


def distinguishing_words(properties: Mapping[str, Any]) -> str:
    """Name a party's registration number, else its date of birth, else its e-mail address; "" without any."""
    number = properties.get("registration_number")
    country = properties.get("country")
    if number and country:
        return gettext("number {number} in {country}").format(number=number, country=country_name(country))
    if number:
        return gettext("number {number}").format(number=number)
    birth_date = properties.get("date_of_birth")
    if isinstance(birth_date, date):
        return gettext("born {day}").format(day=long_date(birth_date))
    return str(properties.get("email", ""))


@dataclass(frozen=True, kw_only=True)
class PartyPage(QuestionPage):
    party: PartyRow

    template = "portal/parties/party.html"
    read_only_template = "portal/parties/party_read_only.html"
    folds = True

    @property
    def title(self) -> str:
        return self.party.label

    @property
    def kind(self) -> str:
        """Return "Person", "Company" or "Foundation"."""
        return canonical.kind_title(self.party.kind)

    @property
    def url(self) -> str:
        return self._url("party", self.party.token)

    @cached_property
    def owners(self) -> str:
        if not self.draft.holds_shares or not self.party.is_owned:
            return ""
        owners = owners_of(self.draft, self.party, typed_stakes(self.draft))
        stakes = [f"{owner.party.label} {owner.percent}" for owner in owners if owner.part is not None]
        remainder = unaccounted_for(self.party, owners)
        return f"{listed(stakes)}. {remainder}" if stakes else remainder

    @property
    def version(self) -> int:
        return self.party.version

    @property
    def holder(self) -> str:
        return self.party.token

    @property
    def are_roles_locked(self) -> bool:
        return self.party.token in self.feedback.locks.roles

    @cached_property
    def duplicate(self) -> dict[str, str]:
        """Return the question whether the party duplicates another, with the reason; {} without a likely duplicate."""
        if self.read_only_reason or (other := duplicate_of(self.draft, self.party)) is None:
            return {}
        return {"question": roles.duplicate_question(other.kind), "sentence": already_here(self.draft, other)}

    @property
    def saved_at(self) -> str:
        return formats.day_and_time(self.party.model.updated_at)

    @cached_property
    def unmet(self) -> tuple[Need, ...]:
        return self.draft.needs_of_party(self.party.token)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        # The name with which the texts of the party's needs begin.
        name = self.party.record.label or canonical.unnamed_label(self.party.kind)
        return need_rows(self.unmet, self.form, about=name)

    @cached_property
    def slots_by_role(self) -> dict[str, list[SlotRow]]:
        """Return the document slots that only one role has, by the key of its section, and all others under "".

        Without others, all are under "", since the page says which files are accepted only there.
        """
        sections = [section for section in self.draft.schema.role_sections if section.allows(self.party.kind)]
        names = [(section.key, slot.name) for section in sections for slot in section.slots(self.party.kind)]
        slots: dict[str, list[SlotRow]] = {"": []}
        for row in self.slots:
            keys = [key for key, name in names if name == row.spec.name]
            key = keys[0] if len(keys) == 1 and len(sections) > 1 else ""
            slots.setdefault(key, []).append(row)
        return slots if slots[""] else {"": list(self.slots)}

    @property
    def common_slots(self) -> tuple[SlotRow, ...]:
        return tuple(self.slots_by_role[""])

    @property
    def roles(self) -> tuple[Option, ...]:
        return roles.role_choices(self.draft, self.party.kind, self.party.roles)

    @property
    def excluded_roles(self) -> str:
        return roles.excluded_roles(self.draft, self.party.kind)

    @cached_property
    def entries(self) -> tuple[QuestionEntry, ...]:
        regions = {key: tuple(group) for key, group in groupby(self.form.regions, key=lambda region: region.entry)}
        of_roles: list[QuestionEntry] = []
        for place, section in enumerate(self.draft.schema.sections_for(self.party.kind, self.party.roles)):
            entry = QuestionEntry(
                id=f"role-{place}",
                title=gettext("As {role}").format(role=canonical.role_word(section.role or "")),
                regions=regions.pop(section.key, ()),
                note=self._note(section),
                is_ours=True,
                slots=tuple(self.slots_by_role.get(section.key, ())),
            )
            if entry.regions or entry.note or entry.slots:
                of_roles.append(entry)
        about_party: list[QuestionEntry] = []
        for place, (key, group) in enumerate(regions.items()):
            title = key.removeprefix(ABOUT_PARTY)
            own_title = title or gettext(_ABOUT_PARTY[self.party.kind])
            about_party.append(QuestionEntry(f"about-{place}", own_title, group, is_ours=not title))
        return (*about_party, *of_roles)

    def _note(self, section: Section) -> str:
        activation = self.draft.form_state.section_activation(section)
        if not activation.reason:
            return ""
        note = f"{activation.reason}."
        if not activation.active:
            note += " " + gettext("We keep the answers until you submit.")
        return note


def party_page(draft: Draft, party: PartyRow, *, own_email: str, earlier: EarlierFiles | None = None) -> PartyPage:
    """Build the page of a party. If its e-mail address is the reader's, browsers may fill in the reader's data."""
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_party(party.token)
    delivery = answers_delivery(deliveries, status, party=party.token, changed_at=party.model.updated_at)
    feedback = review_feedback(draft)
    is_own = party.is_person and party_email(party) == own_email.lower()
    form = party_form(draft, party, is_own=is_own, refused=refused_answers(delivery), feedback=feedback)
    return PartyPage(
        draft=draft,
        party=party,
        form=form,
        delivery=delivery,
        deliveries=deliveries,
        earlier=earlier,
        feedback=feedback,
    )


@dataclass(frozen=True)
class PartyForm(QuestionForm):
    is_guests: bool = False

    @staticmethod
    def entry_of(question: rules.Question) -> str:
        """Return the key of a question's heading: the group of a question about the party itself, else the role."""
        if canonical.is_of_party(question.spec.canonical_field):
            return f"{ABOUT_PARTY}{question.spec.group}"
        return question.section.key

    def why(self, question: rules.Question) -> str:
        """Return why a question is asked; for a guest, only if the party's own answers decide that."""
        party = self.holder
        rule = question.spec.depends_on
        if self.is_guests and rule and isinstance(party, Party):
            place = rules.find_field(self.schema, rule, question.section, party.kind, party)
            if place is None or place.group != party.kind or not place.section.counts(party.kind, party.roles):
                return ""
        return super().why(question)


def party_form(
    draft: Draft,
    party: PartyRow,
    *,
    more_roles: Iterable[str] = (),
    is_own: bool = False,
    refused: Mapping[str, str] = MappingProxyType({}),
    feedback: ReviewFeedback | None = None,
    is_guests: bool = False,
) -> PartyForm:
    """Build a party's form, with questions of `more_roles` too: the posted page may have been drawn with more roles.

    Guests are not asked to choose share classes, and don't see other parties' countries.
    """
    holder = replace(party.record, roles=tuple(dict.fromkeys((*party.roles, *more_roles))))
    questions = questions_by_entry(draft.form_state.party_questions(holder))
    if is_guests:
        questions = tuple(question for question in questions if not question.spec.refers_to_share_class)
    warnings = InactiveWarnings(draft, [question.spec for question in questions], holder)
    suggestions = Suggestions(draft)
    if is_guests:
        warnings = replace(warnings, only_of=party.token)
        suggestions = Suggestions(draft, only=holder)
    feedback = feedback or ReviewFeedback(draft)
    return PartyForm(
        schema=draft.schema,
        asked=questions,
        raw=party.raw,
        answers=holder.answers,
        impossible=draft.form_state.impossible_answers(holder),
        advice=draft.form_state.advised_answers(holder),
        refused=refused,
        is_own=is_own,
        share_classes=draft.share_class_choices,
        holder=holder,
        warnings=warnings,
        record=draft.record,
        suggestions=suggestions,
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        locked=feedback.locks.answers_of(party.token),
        notes=feedback.at_answers(party.token),
        is_guests=is_guests,
    )


def unsaved_party_rows(draft: Draft, party: PartyRow, post: QueryDict) -> tuple[AnswerRow, ...]:
    """Return the posted roles and answers of a party that differ from the stored ones, for the reader to copy."""
    posted_roles = list(filter(None, post.getlist(ROLES)))
    form = party_form(draft, party, more_roles=posted_roles)
    rows = unsaved_rows(form, posted_answers(form, post))
    if ROLES not in post or set(posted_roles) == set(party.roles):
        return rows
    return (AnswerRow(gettext("Roles"), roles.role_words(posted_roles)), *rows)


# The prefix of the keys of headings about the party itself.
ABOUT_PARTY = "about:"

_ABOUT_PARTY = {
    "person": gettext_noop("Identity and contact"),
    "corporate": gettext_noop("Company details"),
    "foundation": gettext_noop("Foundation details"),
}


def questions_by_entry(questions: Iterable[rules.Question]) -> tuple[rules.Question, ...]:
    """Sort questions by heading: first the party itself, then each role, in the order of the schema."""
    of_headings: dict[str, list[rules.Question]] = {}
    for question in sorted(questions, key=lambda question: not canonical.is_of_party(question.spec.canonical_field)):
        of_headings.setdefault(PartyForm.entry_of(question), []).append(question)
    return tuple(chain.from_iterable(of_headings.values()))


def party_email(party: PartyRow) -> str:
    """Return the party's typed e-mail address, as accounts have theirs; "" without any."""
    for name, value in party.raw.items():
        if canonical.property_of(name) == "email" and isinstance(value, str):
            return clean_email(value)
    return ""


# Marks in a URL that its kind is a suggestion, not yet a choice.
CHOOSING = "choosing"

_HINTS = {
    "person": gettext_noop("A natural person"),
    "corporate": gettext_noop("A company or other organisation"),
    "foundation": gettext_noop("A private foundation"),
}


_ADD_SOMEONE = gettext_noop("Add someone")


def new_party_context(draft: Draft, query: QueryDict, user: User) -> dict[str, Any]:
    """Describe the current step of adding a party, by the URL's query or a post: first the kind, then the roles."""
    role = query.get("role", "")
    kinds = roles.kinds_for_role(draft, role)
    kind = query.get("kind", kinds[0] if len(kinds) == 1 else "")
    ticked = kind if kind in kinds else next(iter(kinds), "")
    options: list[Option] = []
    for value in kinds:
        label = capfirst(roles.kind_with_article(value))
        options.append(Option(value, label, value == ticked, help=gettext(_HINTS[value])))
    # The kind is asked again if the page was only reopened in another language.
    if kind not in kinds or CHOOSING in query:
        kind = ""
    chosen = query.getlist("roles") or [role]
    choices = [replace(choice, chosen=choice.value in chosen) for choice in roles.role_choices(draft, kind, ())]
    chosen = [choice.value for choice in choices if choice.chosen]
    problems: list[Problem] = []
    if not kind:
        problems.append(Problem("kind", gettext("Choose who you are adding")))
    elif not chosen:
        problems.append(Problem("roles-1", gettext("Choose at least one role")))
    may_be_me = kind == canonical.PERSON and not any(party_email(row) == user.email for row in draft.parties)
    raw: dict[str, Any] = {}
    if may_be_me and "me" in query:
        raw = copyable_answers(draft, owner_contact(user, draft), chosen)
    return {
        "page": ApplicationPage(draft),
        "heading": gettext(roles.ADD_WORDS.get(kind, _ADD_SOMEONE)),
        "role": role,
        "kinds": options,
        "kind": kind,
        "roles": choices,
        "excluded_roles": kind and roles.excluded_roles(draft, kind),
        "chosen": chosen,
        "may_be_me": may_be_me,
        "is_me": "me" in query,
        "raw": raw,
        "token": posted_token(query),
        "problems": problems,
    }
