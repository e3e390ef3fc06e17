"""Compare two versions of a form, and count the new version's effects on open drafts, without naming answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
from formation_portal.contract.transfer import ChangedQuestion, form_changes

# Each draft is evaluated twice.
MAX_DRAFTS = 50
_MAX_LOST_ANSWERS = 10
_MAX_VERSIONS = 20
_KINDS = {"person": "people", "corporate": "companies", "foundation": "foundations"}

# A section or question, and its changes in words.
Change = tuple[str, str]


def differences(old: FormSchema, new: FormSchema) -> list[tuple[str, list[Change]]]:
    """Return a title and the changes for each kind of difference between an older and a newer form."""
    questions = form_changes(old, new)
    groups = [
        ("New sections", _missing_sections(old, new)),
        ("Removed sections", _missing_sections(new, old)),
        ("New questions", _question_words(questions.new)),
        ("Removed questions", _question_words(questions.gone)),
        ("Questions worded differently", _question_words(questions.renamed)),
        ("Changed questions", _changed_questions(old, new)),
        ("Changed sections and roles", _changed_sections(old, new)),
    ]
    return [(title, changes) for title, changes in groups if changes]


def _changed_questions(old: FormSchema, new: FormSchema) -> list[Change]:
    before = _questions(old)
    changed = []
    for key, (section, group, spec) in _questions(new).items():
        if key not in before:
            continue
        old_section, old_group, old_spec = before[key]
        changes = list(_field_changes(old_spec, spec))
        old_rule = _rule_words(old, old_spec.depends_on, old_section, old_group)
        new_rule = _rule_words(new, spec.depends_on, section, group)
        if old_rule != new_rule:
            changes.append(_from_to("asked", old_rule, new_rule))
        if changes:
            changed.append((f"{section.title}: {spec.label}", "; ".join(changes)))
    return changed


def _changed_sections(old: FormSchema, new: FormSchema) -> list[Change]:
    before = {_identity(section): section for section in old.sections}
    changed = []
    for section in new.sections:
        if old_section := before.get(_identity(section)):
            changes = []
            old_values = _section_values(old, old_section)
            for name, value in _section_values(new, section).items():
                if value != old_values[name]:
                    changes.append(_from_to(name, old_values[name], value))
            if changes:
                changed.append((section.title or section.scope, "; ".join(changes)))
    return changed


def _missing_sections(schema: FormSchema, other: FormSchema) -> list[Change]:
    identities = {_identity(section) for section in schema.sections}
    return [(section.title or section.scope, "") for section in other.sections if _identity(section) not in identities]


def _questions(schema: FormSchema) -> dict[tuple[str, str, str], tuple[Section, str, FieldSpec]]:
    """Return each question's section, group and field. The key is role, group and name, as in `form_changes`."""
    questions: dict[tuple[str, str, str], tuple[Section, str, FieldSpec]] = {}
    for section in schema.sections:
        if not section.is_drawn:
            continue
        for group, specs in section.groups.items():
            if group not in canonical.PARTY_KINDS or section.allows(group):
                for spec in specs:
                    questions.setdefault((section.role or "", group, spec.name), (section, group, spec))
    return questions


def _identity(section: Section) -> str:
    """Identify a section: by scope and title if about the entity, else by scope."""
    return f"{section.scope} {section.title}" if section.is_entity else section.scope


def _question_words(questions: Iterable[ChangedQuestion]) -> list[Change]:
    changes = []
    for titles, label, old_label in questions:
        before = old_label and f"was “{old_label}”"
        changes.append((f"{', '.join(titles)}: {label}", before))
    return changes


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


def _rule_words(schema: FormSchema, rule: Condition | None, section: Section, group: str) -> str:
    if rule is None:
        return "always"
    questions = lookup_of(schema).candidates(rule.field, section=section, group=group)
    if not questions:
        return f"never: no question is called “{rule.field}”"
    condition = reasons.only_if(rule, questions[0].spec)
    return condition[0].lower() + condition[1:]


def _section_values(schema: FormSchema, section: Section) -> dict[str, str]:
    minimum = section.conditional_min
    other_minimum = "none"
    if minimum and (location := lookup_of(schema).entity_field(minimum.field)):
        other_minimum = f"{minimum.minimum} {reasons.if_answered(location.spec, minimum.values)}"
    kinds = [name for kind, name in _KINDS.items() if section.role and section.allows(kind)]
    return {
        "asked": _rule_words(schema, section.depends_on, section, ""),
        "minimum": str(section.base_minimum),
        "other minimum": other_minimum,
        "may be": ", ".join(kinds),
    }


def _from_to(name: str, old: str, new: str) -> str:
    return f"{name}: {new} (was: {old})"


def versions_in_use(product_id: str) -> list[SchemaVersion]:
    """Return the versions that the product's applications use, newest first. One SQL query."""
    used = Application.objects.filter(product_id=product_id, deleted_at=None).values("schema_version_id")
    return list(SchemaVersion.objects.filter(pk__in=used).order_by("-created_at")[:_MAX_VERSIONS])


@dataclass(frozen=True, slots=True)
class DraftEffects:
    """The effects of a form on the `count` open drafts of other versions; `looked_at` were evaluated. `lost` are the
    questions that lose answers: label, number of drafts, whether still asked."""

    count: int
    looked_at: int
    losing: int
    asked_more: int
    lost: list[tuple[str, int, bool]]


def effects_on_drafts(item: CatalogItem, product_id: str) -> DraftEffects:
    """Evaluate a form on a product's last changed drafts; on none if the form is faulty. Writes nothing."""
    drafts = Application.objects.filter(product_id=product_id, state__in=WRITABLE, deleted_at=None)
    drafts = drafts.exclude(schema_version_id=schema_digest(item.document))
    examined = [] if check_schema(item.form).faults else list(drafts[:MAX_DRAFTS])
    losing = 0
    asked_more = 0
    counted: Counter[tuple[str, bool]] = Counter()
    for application in examined:
        draft = open_draft(application)
        lost = {(label, is_asked) for _, label, is_asked in lost_answers(draft, item.form)}
        counted.update(lost)
        losing += bool(lost)
        needs_now = {need.text for need in draft.needs}
        asked_more += any(need.text not in needs_now for need in with_schema(draft, item.form).needs)
    lost_most = [(label, count, is_asked) for (label, is_asked), count in counted.most_common(_MAX_LOST_ANSWERS)]
    return DraftEffects(drafts.count(), len(examined), losing, asked_more, lost_most)
