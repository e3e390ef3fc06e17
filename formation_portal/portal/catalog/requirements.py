"""Who and what a form asks for, said from its schema alone, before anything is answered.

Nothing here is evaluated, since nothing is known yet. What nobody can answer, and what our agent answers, isn't listed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby

from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem, working_days
from formation_portal.contract.conditions import Condition, count_of
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.localisation import colon, in_quotes, join_list, ngettext
from formation_portal.contract.reasons import if_answered, only_if
from formation_portal.contract.record import Record
from formation_portal.contract.rules import FormState, evaluate, find_field, lookup_of
from formation_portal.contract.schema import ENTITY, SHARE_CLASS, DocumentSlot, Section
from formation_portal.ui.formats import counted, entity_word
from formation_portal.ui.roles import capitalised, kind_with_article, role_title

# The heading of what is asked of each kind of party.
_PARTY_HEADINGS = {
    "person": gettext_noop("For each person"),
    "corporate": gettext_noop("For each company involved"),
    "foundation": gettext_noop("For each foundation involved"),
}
_FOR_ANY_NEW = gettext_noop("For the company or foundation")
_FOR_THE_NEW = {
    "company": gettext_noop("About the new company"),
    "foundation": gettext_noop("About the new foundation"),
}
_EFFORT_OF_ANY = gettext_noop("{things} about the company or foundation")
_EFFORT_OF = {
    "company": gettext_noop("{things} about the company"),
    "foundation": gettext_noop("{things} about the foundation"),
}

# A document in one line, like "Letter, as director (optional)", with what helps to choose it.
DocumentLine = tuple[str, tuple[str, ...]]
# Of a longer list, what can be chosen isn't said.
_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """A question, and for which roles it is where not all ask it."""

    spec: FieldSpec
    roles: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """What can be chosen, where that is read at a glance."""
        return tuple(one.label for one in self.spec.choices()) if 0 < len(self.spec.options) <= _MOST_OPTIONS else ()


# Questions that are asked together, under their condition; without one they always are.
Branch = tuple[str, tuple[ListedQuestion, ...]]


@dataclass(frozen=True, slots=True)
class RoleNeed:
    """One role: how many it takes, of which kinds, and the rules by which that changes."""

    section: Section
    title: str
    least: str
    kinds: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChecklistPart:
    """One part of the form: when it is asked at all, what the form says about it, and its questions."""

    id: str
    title: str
    condition: str
    # The portal's own text on who is asked, and the form's.
    about: str
    help: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Requirements:
    """What a product costs and takes, as its page, its checklist and the comparison say it."""

    item: CatalogItem

    @cached_property
    def _nothing_said(self) -> FormState:
        return evaluate(self.item.form, Record())

    @property
    def figures(self) -> list[tuple[str, str]]:
        """What it costs, how many working days it takes, and how many roles are filled at least."""
        figures, price = [], self.item.price
        if price.is_given:
            figures.append((gettext("Set-up fee"), format_money(price.one_off, price.currency)))
            figures.append((gettext("Annual fee"), format_money(price.annual, price.currency)))
        if days := days_of(self.item):
            figures.append((gettext("Working days"), days))
        least = sum(section.base_minimum for section in self.item.form.role_sections if section.depends_on is None)
        return [*figures, (gettext("Required roles"), str(least))]

    @property
    def days(self) -> str:
        """The working days that it takes, in words; empty where the product tells no number."""
        days = working_days(self.item.original.estimated_timeline)
        return ngettext("{days} working day", "{days} working days", days[1], days=days_of(self.item)) if days else ""

    @property
    def formed(self) -> str:
        """The last step."""
        is_foundation = entity_word(self.item.product.type) == "foundation"
        return gettext("The foundation is incorporated") if is_foundation else gettext("The company is incorporated")

    @property
    def form_label(self) -> str:
        """Which form it is, in which version, and whose."""
        form = self.item.form
        name = in_quotes(form.form_name) if form.form_name else gettext("A form")
        version = gettext("version {version}").format(version=form.version) if form.version else ""
        provider = gettext("by {name}").format(name=form.csp_name) if form.csp_name else ""
        return ", ".join(part for part in (name, version, provider) if part) + "."

    @cached_property
    def roles(self) -> tuple[RoleNeed, ...]:
        """Every role, in the order of the form."""
        needs: list[RoleNeed] = []
        for section in self.item.form.role_sections:
            rules: list[str] = []
            count, rule = section.base_minimum, section.conditional_min
            least = gettext("at least {count}").format(count=count) if count else gettext("none required")
            kinds = [kind_with_article(kind) for kind in canonical.PARTY_KINDS if section.allows(kind)]
            place = lookup_of(self.item.form).entity_field(rule.field) if rule else None
            if rule and place and count_of(rule.minimum) is not None:
                condition = if_answered(place.spec, rule.values)
                if rule.minimum:
                    rules.append(
                        gettext("At least {count} {condition}.").format(count=rule.minimum, condition=condition)
                    )
                else:
                    rules.append(gettext("None required {condition}.").format(condition=condition))
            if when := self._condition(section):
                rules.append(when)
            needs.append(RoleNeed(section, role_title(section), least, join_list(kinds, "or"), tuple(rules)))
        return tuple(needs)

    def role_lines(self, role: str) -> tuple[str, ...]:
        """A role in lines: how many of which kinds, and the rules by which that changes; nothing without the role."""
        lines: list[str] = []
        for need in self.roles:
            if need.section.role == role:
                lines += [f"{capitalised(need.least)}{colon()}{need.kinds}", *need.rules]
        return tuple(lines)

    @property
    def effort(self) -> tuple[str, ...]:
        """What a typical application takes, without what is asked after certain answers only: a line for what is
        formed, for each role that has to be filled, and for each share class; with the documents that are required."""
        form, nothing_said = self.item.form, self._nothing_said
        entity = [section for section in form.entity_sections if nothing_said.section_activation(section).active]
        own = _effort(chain(*(one.fields for one in entity)), chain(*(one.slots(ENTITY) for one in entity)))
        words = _EFFORT_OF.get(entity_word(self.item.product.type), _EFFORT_OF_ANY)
        lines = [gettext(words).format(things=own)] if own else []
        for section in form.role_sections:
            if section.base_minimum and nothing_said.section_activation(section).active:
                kind = next(kind for kind in canonical.PARTY_KINDS if section.allows(kind))
                things, role = _effort(section.groups[kind], section.slots(kind)), section.role or ""
                lines.append(gettext("{things} for each {role}").format(things=things, role=canonical.role_word(role)))
        if form.share_section and nothing_said.section_activation(form.share_section).active:
            lines.append(gettext("{things} for each share class").format(things=_effort(form.share_class_fields, ())))
        return tuple(lines)

    @property
    def sections(self) -> Iterator[tuple[Section, list[FieldSpec], str]]:
        """Yield the sections about the entity and its shares with their questions, and when each section is asked."""
        shares = (self.item.form.share_section,) if self.item.form.share_section else ()
        for section in (*self.item.form.entity_sections, *shares):
            fields = [spec for specs in section.groups.values() for spec in specs]
            yield section, fields, self._condition(section)

    def _condition(self, section: Section) -> str:
        """When a section is asked that isn't from the beginning; else nothing."""
        activation = self._nothing_said.section_activation(section)
        return "" if activation.active else f"{activation.reason}."

    def documents(self, entity: str = "") -> tuple[tuple[str, list[DocumentLine]], ...]:
        """The documents to have ready: the new entity's, by whatever word it is called, then by kind of party."""
        entity = entity or entity_word(self.item.product.type)
        own = [(section, slot) for section in self.item.form.entity_sections for slot in section.slots(ENTITY)]
        groups = [(gettext(_FOR_THE_NEW.get(entity, _FOR_ANY_NEW)), _document_lines(own, everybody=1))]
        for kind in canonical.PARTY_KINDS:
            sections = [section for section in self.item.form.role_sections if section.allows(kind)]
            asked = [(section, slot) for section in sections for slot in section.slots(kind)]
            groups.append((gettext(_PARTY_HEADINGS[kind]), _document_lines(asked, everybody=len(sections))))
        return tuple((title, lines) for title, lines in groups if lines)

    @property
    def checklist(self) -> tuple[ChecklistPart, ...]:
        """What one can prepare for, in the order of the form."""
        parts = [self._part(section, ENTITY) for section in self.item.form.entity_sections]
        # What is asked of each kind of party: a question that several roles share stands once, and says for which.
        for kind in canonical.PARTY_KINDS:
            title, asked = gettext(_PARTY_HEADINGS[kind]), self._asked_of_kind(kind)
            parts.append(ChecklistPart(f"each-{kind}", title, "", "", "", _branches(asked)))
        if self.item.form.share_section:
            parts.append(self._part(self.item.form.share_section, SHARE_CLASS, about=gettext("For each share class.")))
        return tuple(part for part in parts if part.branches)

    def _part(self, section: Section, group: str, *, about: str = "") -> ChecklistPart:
        condition = self._condition_of(section.depends_on, section, group)
        # A section whose rule names nothing is never asked.
        asked = self._preparable(section, group) if condition is not None else ()
        branches = _branches((when, ListedQuestion(spec)) for when, spec in asked)
        return ChecklistPart(section.key, section.title, condition or "", about, section.help, branches)

    def _asked_of_kind(self, kind: str) -> Iterator[tuple[str, ListedQuestion]]:
        sections = [section for section in self.item.form.role_sections if section.allows(kind)]
        found: dict[tuple[str, str], tuple[FieldSpec, list[str]]] = {}
        for section in sections:
            for condition, spec in self._preparable(section, kind):
                _, roles = found.setdefault((spec.name, condition), (spec, []))
                roles.append(section.role or "")
        # What always is asked comes first, so that one branch isn't cut into several by what other roles add.
        for (_, condition), (spec, roles) in sorted(found.items(), key=lambda pair: pair[0][1]):
            yield condition, ListedQuestion(spec, "" if len(roles) >= len(sections) else _as_roles(roles))

    def _preparable(self, section: Section, group: str) -> Iterator[tuple[str, FieldSpec]]:
        """The questions of a section that a customer can prepare for, each with its condition."""
        for spec in section.groups.get(group, ()):
            condition = self._condition_of(spec.depends_on, section, group)
            if condition is not None and not spec.provided_by_agent and not self.item.form.why_unanswerable(spec):
                yield condition, spec

    def _condition_of(self, rule: Condition | None, section: Section, group: str) -> str | None:
        """When it is asked, from the rule's own words; empty for always, None for never: its rule names nothing."""
        if rule is None:
            return ""
        place = find_field(self.item.form, rule, section, group, None)
        return only_if(rule, place.spec) if place else None


def days_of(item: CatalogItem) -> str:
    """From how many to how many working days it takes; empty where its words tell no number."""
    return "–".join(map(str, dict.fromkeys(working_days(item.original.estimated_timeline) or ())))


def _effort(asked: Iterable[FieldSpec], slots: Iterable[DocumentSlot]) -> str:
    """12 questions and 2 documents; nothing of what is asked."""
    questions = sum(spec.depends_on is None and not spec.provided_by_agent for spec in asked)
    documents = len({slot.name for slot in slots if slot.required})
    said = (
        counted(questions, "{count} question", "{count} questions"),
        counted(documents, "{count} document", "{count} documents"),
    )
    return join_list([one for one in said if one])


def _document_lines(asked: list[tuple[Section, DocumentSlot]], *, everybody: int) -> list[DocumentLine]:
    """A line for each document, with the roles where not all of the `everybody` sections ask for it."""
    by_name: dict[str, list[tuple[Section, DocumentSlot]]] = {}
    for section, slot in asked:
        by_name.setdefault(slot.name, []).append((section, slot))
    lines: list[DocumentLine] = []
    for some in by_name.values():
        name = some[0][1].words
        roles = _as_roles(section.role for section, _ in some if section.role) if len(some) < everybody else ""
        words = f"{name}, {roles}" if roles else name
        if not any(slot.required for _, slot in some):
            words = gettext("{thing} (optional)").format(thing=words)
        lines.append((words, tuple(dict.fromkeys(slot.help for _, slot in some if slot.help))))
    return lines


def _as_roles(roles: Iterable[str]) -> str:
    """For whom something is asked: "as director or as beneficial owner"."""
    return join_list(
        [gettext("as {role}").format(role=word) for word in dict.fromkeys(map(canonical.role_word, roles))], "or"
    )


def _branches(asked: Iterable[tuple[str, ListedQuestion]]) -> tuple[Branch, ...]:
    """The questions in their order; neighbours under one condition stand together."""
    runs = groupby(asked, key=lambda pair: pair[0])
    return tuple((condition, tuple(question for _, question in run)) for condition, run in runs)
