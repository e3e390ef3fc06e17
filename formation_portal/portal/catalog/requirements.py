"""Describe what a form asks for, from its schema alone, before anything is answered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem, working_days
from formation_portal.contract.conditions import Condition, count_of
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import in_quotes, join_list, ngettext
from formation_portal.contract.reasons import if_answered, only_if
from formation_portal.contract.record import Record
from formation_portal.contract.rules import FormState, evaluate, find_field, lookup_of
from formation_portal.contract.schema import ENTITY, SHARE_CLASS, DocumentSlot, Section
from formation_portal.ui.formats import counted, entity_word
from formation_portal.ui.roles import kind_with_article, role_title

from ..pages import fees_of, incorporated_words

# The heading of the questions to each kind of party.
_PARTY_HEADINGS = {
    "person": gettext_noop("For each person"),
    "corporate": gettext_noop("For each company involved"),
    "foundation": gettext_noop("For each foundation involved"),
}
# Keyed by the word for the entity (entity_word).
_FOR_THE_NEW = {
    "company": gettext_noop("About the new company"),
    "foundation": gettext_noop("About the new foundation"),
    "entity": gettext_noop("For the company or foundation"),
}
_EFFORT_OF = {
    "company": gettext_noop("{things} about the company"),
    "foundation": gettext_noop("{things} about the foundation"),
    "entity": gettext_noop("{things} about the company or foundation"),
}

# A document, like "Letter, as director (optional)", with its help texts.
DocumentLine = tuple[str, tuple[str, ...]]
# Longer lists of options are not shown.
_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """A question, with the roles that ask it unless all do. An empty condition means "always asked"."""

    spec: FieldSpec
    condition: str
    roles: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        if len(self.spec.options) > _MOST_OPTIONS or not self.spec.options:
            return ()
        return tuple(choice.label for choice in self.spec.choices())


@dataclass(frozen=True, slots=True)
class RoleNeed:
    """A role: its minimum, the kinds of parties it accepts, and the rules that change the minimum."""

    section: Section
    title: str
    least: str
    kinds: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChecklistPart:
    id: str
    title: str
    condition: str
    # The portal's text about the people asked, and the form's help.
    about: str
    help: str
    questions: tuple[ListedQuestion, ...]


@dataclass(frozen=True)
class Requirements:
    """The costs and requirements of a product, for its page, its checklist and the comparison."""

    item: CatalogItem

    @cached_property
    def _empty_state(self) -> FormState:
        return evaluate(self.item.form, Record())

    @property
    def figures(self) -> list[tuple[str, str]]:
        one_off, annual = fees_of(self.item.price)
        figures = (
            (gettext("Set-up fee"), one_off),
            (gettext("Annual fee"), annual),
            (gettext("Working days"), days_of(self.item)),
            (gettext("Required roles"), str(sum(count for _, count in least_roles(self.item)))),
        )
        return [(term, value) for term, value in figures if value]

    @property
    def days(self) -> str:
        """Name the working days of a formation; "" if the timeline has no number."""
        days = working_days(self.item.original.estimated_timeline)
        return ngettext("{days} working day", "{days} working days", days[1], days=days_of(self.item)) if days else ""

    @property
    def formed(self) -> str:
        return incorporated_words(self.item.product.type)

    @property
    def form_label(self) -> str:
        form = self.item.form
        parts = [in_quotes(form.form_name) if form.form_name else gettext("A form")]
        if form.version:
            parts.append(gettext("version {version}").format(version=form.version))
        if form.csp_name:
            parts.append(gettext("by {name}").format(name=form.csp_name))
        return f"{', '.join(parts)}."

    @cached_property
    def roles(self) -> tuple[RoleNeed, ...]:
        needs: list[RoleNeed] = []
        for section in self.item.form.role_sections:
            least = gettext("none required")
            if section.base_minimum:
                least = gettext("at least {count}").format(count=section.base_minimum)
            kinds = [kind_with_article(kind) for kind in canonical.PARTY_KINDS if section.allows(kind)]
            rules = filter(None, (self._minimum_rule(section), self._condition(section)))
            needs.append(RoleNeed(section, role_title(section), least, join_list(kinds, "or"), tuple(rules)))
        return tuple(needs)

    def _minimum_rule(self, section: Section) -> str:
        """Describe the rule by which an answer changes a role's minimum; "" without a rule."""
        rule = section.conditional_min
        place = lookup_of(self.item.form).entity_field(rule.field) if rule else None
        if not (rule and place) or count_of(rule.minimum) is None:
            return ""
        sentence = gettext("At least {count} {condition}.") if rule.minimum else gettext("None required {condition}.")
        return sentence.format(count=rule.minimum, condition=if_answered(place.spec, rule.values))

    @property
    def effort(self) -> tuple[str, ...]:
        """Count what is always required: a line for the entity, one for each required role, one for a share class."""
        form = self.item.form
        lines: list[str] = []
        fields: list[FieldSpec] = []
        slots: list[DocumentSlot] = []
        for section in form.entity_sections:
            if not self._condition(section):
                fields += section.fields
                slots += section.slots(ENTITY)
        if counts := _effort(fields, slots):
            sentence = gettext(_EFFORT_OF[entity_word(self.item.product.type)])
            lines.append(sentence.format(things=counts))
        for section in form.role_sections:
            if section.base_minimum and not self._condition(section):
                kind = next(kind for kind in canonical.PARTY_KINDS if section.allows(kind))
                counts = _effort(section.groups[kind], section.slots(kind))
                role = canonical.role_word(section.role or "")
                lines.append(gettext("{things} for each {role}").format(things=counts, role=role))
        if form.share_section and not self._condition(form.share_section):
            counts = _effort(form.share_class_fields, ())
            lines.append(gettext("{things} for each share class").format(things=counts))
        return tuple(lines)

    @property
    def sections(self) -> Iterator[tuple[Section, list[FieldSpec], str]]:
        for section in (*self.item.form.entity_sections, self.item.form.share_section):
            if section:
                yield section, list(chain.from_iterable(section.groups.values())), self._condition(section)

    def _condition(self, section: Section) -> str:
        """Name the condition of a section; "" if it is asked from the beginning."""
        activation = self._empty_state.section_activation(section)
        return "" if activation.active else f"{activation.reason}."

    def documents(self, entity: str = "") -> list[tuple[str, list[DocumentLine]]]:
        entity = entity or entity_word(self.item.product.type)
        groups = [(gettext(_FOR_THE_NEW[entity]), _document_lines(self.item.form.entity_sections, ENTITY))]
        for kind in canonical.PARTY_KINDS:
            groups.append((gettext(_PARTY_HEADINGS[kind]), _document_lines(self._roles_of(kind), kind)))
        return [(title, lines) for title, lines in groups if lines]

    def _roles_of(self, kind: str) -> list[Section]:
        return [section for section in self.item.form.role_sections if section.allows(kind)]

    @property
    def checklist(self) -> tuple[ChecklistPart, ...]:
        """Return the questions to prepare for by heading, without those that the registered agent answers."""
        parts = [self._part(section, ENTITY) for section in self.item.form.entity_sections]
        for kind in canonical.PARTY_KINDS:
            questions = tuple(self._questions_to_kind(kind))
            parts.append(ChecklistPart(f"each-{kind}", gettext(_PARTY_HEADINGS[kind]), "", "", "", questions))
        if self.item.form.share_section:
            parts.append(self._part(self.item.form.share_section, SHARE_CLASS, about=gettext("For each share class.")))
        return tuple(part for part in parts if part.questions)

    def _part(self, section: Section, group: str, *, about: str = "") -> ChecklistPart:
        condition = self._condition_of(section.depends_on, section, group)
        questions: tuple[ListedQuestion, ...] = ()
        # A section whose rule names an unknown question is never asked.
        if condition is not None:
            questions = tuple(self._preparable(section, group))
        return ChecklistPart(section.key, section.title, condition or "", about, section.help, questions)

    def _questions_to_kind(self, kind: str) -> Iterator[ListedQuestion]:
        """Yield the questions to a kind of party; a question of several roles comes once."""
        sections = self._roles_of(kind)
        questions: dict[tuple[str, str], tuple[ListedQuestion, list[str]]] = {}
        for section in sections:
            for question in self._preparable(section, kind):
                key = (question.condition, question.spec.name)
                questions.setdefault(key, (question, []))[1].append(section.role or "")
        # Unconditional questions come first, so that other roles' questions don't interrupt a branch.
        for question, roles in sorted(questions.values(), key=lambda pair: pair[0].condition):
            yield question if len(roles) >= len(sections) else replace(question, roles=_as_roles(roles))

    def _preparable(self, section: Section, group: str) -> Iterator[ListedQuestion]:
        for spec in section.groups.get(group, ()):
            condition = self._condition_of(spec.depends_on, section, group)
            if condition is not None and not spec.provided_by_agent and not self.item.form.why_unanswerable(spec):
                yield ListedQuestion(spec, condition)

    def _condition_of(self, rule: Condition | None, section: Section, group: str) -> str | None:
        """Describe a rule: "" if there is none, None if it can't be met as its question is unknown."""
        if rule is None:
            return ""
        place = find_field(self.item.form, rule, section, group, None)
        return only_if(rule, place.spec) if place else None


def days_of(item: CatalogItem) -> str:
    """Return the range of working days, like "3–5"; "" if the timeline has no number."""
    return "–".join(map(str, dict.fromkeys(working_days(item.original.estimated_timeline) or ())))


def least_roles(item: CatalogItem) -> list[tuple[str, int]]:
    """Return the roles that are always required, with their minimum."""
    required = [section for section in item.form.role_sections if section.depends_on is None and section.base_minimum]
    return [(section.role or "", section.base_minimum) for section in required]


def role_counts(roles: Iterable[tuple[str, int]]) -> list[str]:
    """Write required roles like "1 director"."""
    return [canonical.role_count(role, count) for role, count in roles]


def _effort(fields: Iterable[FieldSpec], slots: Iterable[DocumentSlot]) -> str:
    """Count unconditional questions and required documents: "12 questions and 2 documents"."""
    questions = sum(spec.depends_on is None and not spec.provided_by_agent for spec in fields)
    documents = len({slot.name for slot in slots if slot.required})
    question_count = counted(questions, "{count} question", "{count} questions")
    document_count = counted(documents, "{count} document", "{count} documents")
    return join_list(list(filter(None, (question_count, document_count))))


def _document_lines(sections: Sequence[Section], group: str) -> list[DocumentLine]:
    """Return a line for each document, with its roles unless all of the sections ask for it."""
    by_name: dict[str, list[tuple[Section, DocumentSlot]]] = {}
    for section in sections:
        for slot in section.slots(group):
            by_name.setdefault(slot.name, []).append((section, slot))
    lines: list[DocumentLine] = []
    for pairs in by_name.values():
        label = pairs[0][1].words
        roles = [section.role for section, _ in pairs if section.role]
        if roles and len(pairs) < len(sections):
            label = f"{label}, {_as_roles(roles)}"
        if not any(slot.required for _, slot in pairs):
            label = gettext("{thing} (optional)").format(thing=label)
        helps = dict.fromkeys(slot.help for _, slot in pairs if slot.help)
        lines.append((label, tuple(helps)))
    return lines


def _as_roles(roles: Iterable[str]) -> str:
    """Name the roles that a question is for: "as director or as beneficial owner"."""
    names = dict.fromkeys(map(canonical.role_word, roles))
    return join_list([gettext("as {role}").format(role=name) for name in names], "or")
