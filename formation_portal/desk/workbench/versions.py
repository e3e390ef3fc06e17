"""Compare two versions of a form, and count what a new one would do to open drafts, without their content."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from formation_portal.applications.draft import open_draft, schema_digest
from formation_portal.applications.models import Application, SchemaVersion
from formation_portal.applications.transfer import lost_answers, with_schema
from formation_portal.contract import canonical, reasons
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.conditions import Condition
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import WRITABLE
from formation_portal.contract.rules import lookup_of
from formation_portal.contract.schema import FormSchema, Section
from formation_portal.contract.schema_check import check_schema
from formation_portal.contract.transfer import ChangedQuestion, FormChanges, form_changes

# Each is opened and evaluated twice.
MAX_DRAFTS = 50
_MAX_LOST_ANSWERS = 10
_MAX_VERSIONS = 20
_KINDS = {"person": "people", "corporate": "companies", "foundation": "foundations"}

# A section or question, and its changes in words.
Change = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """The differences from an older form to a newer one, from the schemas alone."""

    old: FormSchema
    new: FormSchema

    @cached_property
    def questions(self) -> FormChanges:
        """Return the questions and documents that are new, removed or worded differently."""
        return form_changes(self.old, self.new)

    @property
    def groups(self) -> list[tuple[str, list[Change]]]:
        """Return the differences by their kinds; without kinds that have none."""
        groups = [
            ("New sections", _missing_sections(self.old, self.new)),
            ("Removed sections", _missing_sections(self.new, self.old)),
            ("New questions", [_question_words(question) for question in self.questions.new]),
            ("Removed questions", [_question_words(question) for question in self.questions.gone]),
            ("Questions worded differently", [_question_words(question) for question in self.questions.renamed]),
            ("Changed questions", list(self._changed_questions())),
            ("Changed sections and roles", list(self._changed_sections())),
        ]
        return [(title, changes) for title, changes in groups if changes]

    def _changed_questions(self) -> Iterator[Change]:
        before = {key: (section, spec) for key, section, spec in _questions(self.old)}
        compared = set()
        for key, section, spec in _questions(self.new):
            if key not in before or key in compared:
                continue
            compared.add(key)
            old_section, old_spec = before[key]
            changes = list(_field_changes(old_spec, spec))
            old_rule = _question_rule(self.old, old_section, old_spec)
            new_rule = _question_rule(self.new, section, spec)
            if old_rule != new_rule:
                changes.append(_from_to("asked", old_rule, new_rule))
            if changes:
                yield f"{section.title}: {spec.label}", "; ".join(changes)

    def _changed_sections(self) -> Iterator[Change]:
        before = {_identity(section): section for section in self.old.sections}
        for section in self.new.sections:
            old_section = before.get(_identity(section))
            if old_section is None:
                continue
            old_values = _section_values(self.old, old_section)
            changes = []
            for name, new_value in _section_values(self.new, section).items():
                if new_value != old_values[name]:
                    changes.append(_from_to(name, old_values[name], new_value))
            if changes:
                yield section.title or section.scope, "; ".join(changes)


def _missing_sections(schema: FormSchema, other: FormSchema) -> list[Change]:
    """Return the sections of the other form that this one does not have."""
    identities = {_identity(section) for section in schema.sections}
    missing = [section for section in other.sections if _identity(section) not in identities]
    return [(section.title or section.scope, "") for section in missing]


def _questions(schema: FormSchema) -> Iterator[tuple[tuple[str, str, str], Section, FieldSpec]]:
    """Yield each question with its key: role, kind of party and name, as in `form_changes`."""
    for section in schema.sections:
        if not section.is_drawn:
            continue
        for group, specs in section.groups.items():
            if group not in canonical.PARTY_KINDS or section.allows(group):
                for spec in specs:
                    yield (section.role or "", group, spec.name), section, spec


def _identity(section: Section) -> str:
    """Identify a section about the entity by its title, and any other by its scope."""
    return f"{section.scope} {section.title}" if section.is_entity else section.scope


def _question_words(question: ChangedQuestion) -> Change:
    titles, label, old_label = question
    return f"{', '.join(titles)}: {label}", f"was “{old_label}”" if old_label else ""


def _field_changes(old: FieldSpec, new: FieldSpec) -> Iterator[str]:
    if old.field_type != new.field_type:
        yield _from_to("type", old.field_type, new.field_type)
    if old.required != new.required:
        yield "now required" if new.required else "now optional"
    if old.provided_by_agent != new.provided_by_agent:
        yield "now given by the agent" if new.provided_by_agent else "no longer given by the agent"
    yield from _list_changes("options", old.options, new.options)
    yield from _list_changes("currencies", old.allowed_currencies, new.allowed_currencies)


def _list_changes(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if added := [value for value in new if value not in old]:
        yield f"new {name}: {', '.join(added)}"
    if removed := [value for value in old if value not in new]:
        yield f"without the {name}: {', '.join(removed)}"


def _question_rule(schema: FormSchema, section: Section, spec: FieldSpec) -> str:
    group = next(group for group, specs in section.groups.items() if any(other is spec for other in specs))
    return _rule_words(schema, spec.depends_on, section, group)


def _rule_words(schema: FormSchema, rule: Condition | None, section: Section, group: str) -> str:
    if rule is None:
        return "always"
    questions = lookup_of(schema).candidates(rule.field, section=section, group=group)
    if not questions:
        return f"never: no question is called “{rule.field}”"
    condition = reasons.only_if(rule, questions[0].spec)
    return condition[0].lower() + condition[1:]


def _section_values(schema: FormSchema, section: Section) -> dict[str, str]:
    """Return the properties of a section that are compared, in words."""
    minimum = section.conditional_min
    location = lookup_of(schema).entity_field(minimum.field) if minimum else None
    other_minimum = "none"
    if minimum and location:
        other_minimum = f"{minimum.minimum} {reasons.if_answered(location.spec, minimum.values)}"
    kinds = [name for kind, name in _KINDS.items() if section.allows(kind)] if section.role else []
    return {
        "asked": _rule_words(schema, section.depends_on, section, ""),
        "minimum": str(section.base_minimum),
        "other minimum": other_minimum,
        "may be": ", ".join(kinds),
    }


def _from_to(name: str, old: str, new: str) -> str:
    return f"{name}: {new} (was: {old})"


def versions_in_use(product_id: str) -> list[SchemaVersion]:
    """Return the versions that the product's applications were started with, the newest first. One query."""
    used = Application.objects.filter(product_id=product_id, deleted_at=None).values("schema_version_id")
    return list(SchemaVersion.objects.filter(pk__in=used).order_by("-created_at")[:_MAX_VERSIONS])


@dataclass(frozen=True)
class OpenDrafts:
    """The effects of a form on the open drafts of a product that have another version of it. Writes nothing.

    `product_id` is given apart, since a schema that is pasted alone has none of its own.
    """

    item: CatalogItem
    product_id: str

    @cached_property
    def _drafts(self) -> list[Application]:
        drafts = Application.objects.filter(
            product_id=self.product_id,
            state__in=[state.value for state in WRITABLE],
            deleted_at=None,
        )
        return list(drafts.exclude(schema_version_id=schema_digest(self.item.document)))

    @property
    def count(self) -> int:
        return len(self._drafts)

    @property
    def looked_at(self) -> int:
        """Count the drafts that are evaluated: the last changed ones; none with a schema that can't be asked."""
        return 0 if check_schema(self.item.form).faults else min(self.count, MAX_DRAFTS)

    @property
    def losing(self) -> int:
        """Count the drafts that would lose an answer."""
        return sum(1 for lost, _ in self._effects if lost)

    @property
    def asked_more(self) -> int:
        """Count the drafts that would need something new."""
        return sum(1 for _, needs_more in self._effects if needs_more)

    @property
    def lost(self) -> list[tuple[str, int, bool]]:
        """Return the questions whose answers would be lost: label, number of drafts, and whether it is still asked."""
        counted = Counter(answer for lost, _ in self._effects for answer in lost)
        return [(label, count, is_asked) for (label, is_asked), count in counted.most_common(_MAX_LOST_ANSWERS)]

    @cached_property
    def _effects(self) -> list[tuple[frozenset[tuple[str, bool]], bool]]:
        """Return the labels of the answers that each draft would lose, and whether it would need more."""
        effects = []
        for application in self._drafts[: self.looked_at]:
            draft = open_draft(application)
            lost = frozenset((label, is_asked) for _, label, is_asked in lost_answers(draft, self.item.form))
            needs_now = {need.text for need in draft.needs}
            needs_then = {need.text for need in with_schema(draft, self.item.form).needs}
            effects.append((lost, bool(needs_then - needs_now)))
        return effects
