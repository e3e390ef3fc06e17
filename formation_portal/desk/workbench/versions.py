"""What two versions of a form differ in, and what a new one would do to drafts that are open. Counts, never content."""

from collections import Counter
from collections.abc import Iterator
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
# Of the answers that drafts would lose.
_MOST_NAMED = 10
_MOST_VERSIONS = 20
_KINDS = {"person": "people", "corporate": "companies", "foundation": "foundations"}

# A section or question, and what is different about it.
Change = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """From an older form to a newer one. Computed from the schemas alone."""

    old: FormSchema
    new: FormSchema

    @cached_property
    def questions(self) -> FormChanges:
        """Questions and documents that are new, gone or worded differently."""
        return form_changes(self.old, self.new)

    @property
    def groups(self) -> list[tuple[str, list[Change]]]:
        """Everything that differs, by what it is: titles with what is changed, nothing that is the same."""
        found = [
            ("New sections", [(one, "") for one in self._missing_sections(self.new, self.old)]),
            ("Removed sections", [(one, "") for one in self._missing_sections(self.old, self.new)]),
            ("New questions", [_words(one) for one in self.questions.new]),
            ("Removed questions", [_words(one) for one in self.questions.gone]),
            ("Questions worded differently", [_words(one) for one in self.questions.renamed]),
            ("Changed questions", list(self._changed_questions())),
            ("Changed sections and roles", list(self._changed_sections())),
        ]
        return [(title, changes) for title, changes in found if changes]

    def _missing_sections(self, there: FormSchema, here: FormSchema) -> Iterator[str]:
        known = {_identity(section) for section in here.sections}
        return (section.title or section.scope for section in there.sections if _identity(section) not in known)

    def _changed_questions(self) -> Iterator[Change]:
        before = {key: (section, spec) for key, section, spec in _asked(self.old)}
        seen = set()
        for key, section, spec in _asked(self.new):
            if key in before and key not in seen:
                seen.add(key)
                was_in, was = before[key]
                said = list(_field_changes(was, spec))
                rules = _rule_words(self.old, was_in, was), _rule_words(self.new, section, spec)
                if rules[0] != rules[1]:
                    said.append(_from_to("asked", *rules))
                if said:
                    yield f"{section.title}: {spec.label}", "; ".join(said)

    def _changed_sections(self) -> Iterator[Change]:
        before = {_identity(section): section for section in self.old.sections}
        for section in self.new.sections:
            if was := before.get(_identity(section)):
                said = [
                    _from_to(what, old, new)
                    for what, old, new in (
                        ("asked", _section_rule(self.old, was), _section_rule(self.new, section)),
                        ("minimum", str(was.base_minimum), str(section.base_minimum)),
                        ("other minimum", _minimum_words(self.old, was), _minimum_words(self.new, section)),
                        ("may be", _kinds(was), _kinds(section)),
                    )
                    if old != new
                ]
                if said:
                    yield section.title or section.scope, "; ".join(said)


def _asked(schema: FormSchema) -> Iterator[tuple[tuple[str, str, str], Section, FieldSpec]]:
    """Each question by who is asked and its name, as `form_changes` knows it."""
    for section in schema.sections:
        for group, specs in section.groups.items() if section.is_drawn else ():
            if group not in canonical.PARTY_KINDS or section.allows(group):
                yield from (((section.role or "", group, spec.name), section, spec) for spec in specs)


def _identity(section: Section) -> str:
    """Sections about the entity are known by their titles, all others by what they are about."""
    return f"{section.scope} {section.title}" if section.is_entity else section.scope


def _words(change: ChangedQuestion) -> Change:
    titles, label, was = change
    return f"{', '.join(titles)}: {label}", f"was “{was}”" if was else ""


def _field_changes(old: FieldSpec, new: FieldSpec) -> Iterator[str]:
    if old.field_type != new.field_type:
        yield _from_to("type", old.field_type, new.field_type)
    if old.required != new.required:
        yield "now required" if new.required else "now optional"
    if old.provided_by_agent != new.provided_by_agent:
        yield "now given by the agent" if new.provided_by_agent else "no longer given by the agent"
    for what, was, now in (
        ("options", old.options, new.options),
        ("currencies", old.allowed_currencies, new.allowed_currencies),
    ):
        if added := [one for one in now if one not in was]:
            yield f"new {what}: {', '.join(added)}"
        if gone := [one for one in was if one not in now]:
            yield f"without the {what}: {', '.join(gone)}"


def _rule_words(schema: FormSchema, section: Section, spec: FieldSpec) -> str:
    group = next(group for group, specs in section.groups.items() if any(one is spec for one in specs))
    return _condition_words(schema, spec.depends_on, section, group)


def _section_rule(schema: FormSchema, section: Section) -> str:
    return _condition_words(schema, section.depends_on, section, "")


def _condition_words(schema: FormSchema, rule: Condition | None, section: Section, group: str) -> str:
    if rule is None:
        return "always"
    found = lookup_of(schema).candidates(rule.field, section=section, group=group)
    said = reasons.only_if(rule, found[0].spec) if found else f"Never: no question is called “{rule.field}”"
    return said[0].lower() + said[1:]


def _minimum_words(schema: FormSchema, section: Section) -> str:
    least = section.conditional_min
    place = lookup_of(schema).entity_field(least.field) if least else None
    return f"{least.minimum} {reasons.if_answered(place.spec, least.values)}" if least and place else "none"


def _kinds(section: Section) -> str:
    return ", ".join(words for kind, words in _KINDS.items() if section.allows(kind)) if section.role else ""


def _from_to(what: str, old: str, new: str) -> str:
    return f"{what}: {new} (was: {old})"


def versions_in_use(product_id: str) -> list[SchemaVersion]:
    """The versions that applications for the product were started with, the newest first. One query."""
    used = Application.objects.filter(product_id=product_id, deleted_at=None).values("schema_version_id")
    return list(SchemaVersion.objects.filter(pk__in=used).order_by("-created_at")[:_MOST_VERSIONS])


@dataclass(frozen=True)
class OpenDrafts:
    """What would become of the open drafts of a product, were it asked with this form. Reads, and writes nothing."""

    item: CatalogItem
    # The product whose drafts they are; a schema that is pasted alone has none of its own.
    product_id: str

    @cached_property
    def _others(self) -> list[Application]:
        drafts = Application.objects.filter(
            product_id=self.product_id,
            state__in=[state.value for state in WRITABLE],
            deleted_at=None,
        )
        return list(drafts.exclude(schema_version_id=schema_digest(self.item.document)))

    @property
    def count(self) -> int:
        """Open drafts with another version of the form."""
        return len(self._others)

    @property
    def looked_at(self) -> int:
        """How many of them were looked at: those that were changed last."""
        return min(self.count, MAX_DRAFTS) if self._can_be_asked else 0

    @property
    def losing(self) -> int:
        """Of those, how many would lose an answer."""
        return sum(1 for lost, _ in self._effects if lost)

    @property
    def asked_more(self) -> int:
        """Of those, how many would need something that they don't need now."""
        return sum(1 for _, needed in self._effects if needed)

    @property
    def lost(self) -> list[tuple[str, int, bool]]:
        """The questions whose answers would be lost: label, in how many drafts, and whether it is still asked."""
        counted = Counter(one for lost, _ in self._effects for one in lost)
        return [(label, count, is_asked) for (label, is_asked), count in counted.most_common(_MOST_NAMED)]

    @property
    def _can_be_asked(self) -> bool:
        return not check_schema(self.item.form).faults

    @cached_property
    def _effects(self) -> list[tuple[frozenset[tuple[str, bool]], bool]]:
        """Of each draft the labels of the answers that it would lose, and whether it would need more."""
        effects = []
        for application in self._others[: self.looked_at]:
            draft = open_draft(application)
            lost = frozenset((label, is_asked) for _, label, is_asked in lost_answers(draft, self.item.form))
            now = {need.text for need in draft.needs}
            then = {need.text for need in with_schema(draft, self.item.form).needs}
            effects.append((lost, bool(then - now)))
        return effects
