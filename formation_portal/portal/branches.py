"""What a form may ask, before anything is answered: questions in their order, each under the rule that opens it.

Nothing here is settled, since nothing is known yet. What nobody can answer, and what our agent answers, isn't listed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from formation_portal.contract.conditions import Condition
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.reasons import only_if
from formation_portal.contract.rules import named_place
from formation_portal.contract.schema import FormSchema, Section

_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: the options it offers where they are few, what helps to answer it, and which roles it is for."""

    label: str
    options: tuple[str, ...]
    help: str
    is_optional: bool
    roles: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """Questions that are asked together; without a condition they always are."""

    condition: str
    asked: tuple[Asked, ...]


def condition_of(schema: FormSchema, rule: Condition | None, section: Section, group: str) -> str | None:
    """When it is asked, from the rule's own words; empty for always, None for never: its rule names nothing."""
    if rule is None:
        return ""
    place = named_place(schema, rule, section, group, None)
    return only_if(rule, place.spec) if place else None


def preparable(schema: FormSchema, section: Section, group: str) -> Iterator[tuple[str, FieldSpec]]:
    """The questions of a section that a customer can prepare for, each with its condition."""
    for spec in section.groups.get(group, ()):
        condition = condition_of(schema, spec.depends_on, section, group)
        if condition is not None and not spec.provided_by_agent and not schema.why_unanswerable(spec):
            yield condition, spec


def branches(asked: Iterable[tuple[str, Asked]]) -> tuple[Branch, ...]:
    """The questions in their order; neighbours under one condition stand together."""
    runs = groupby(asked, key=lambda pair: pair[0])
    return tuple(Branch(condition, tuple(one for _, one in run)) for condition, run in runs)


def asked_of(spec: FieldSpec, roles: str = "") -> Asked:
    """A question as it is listed."""
    options = spec.options if len(spec.options) <= _MOST_OPTIONS else ()
    return Asked(spec.label, options, spec.help, not spec.required, roles)
