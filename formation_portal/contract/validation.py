"""Validates raw answers field by field, and names the controls of an answer that a problem lies in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from . import canonical
from .fields.base import FieldSpec
from .fields.parsing import is_blank
from .fields.values import AnswerError, Problem


@dataclass(frozen=True, slots=True)
class Answers:
    """One holder's answers by field name: values where readable, problems where not. Unanswered names are absent."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict)


def validate(fields: Iterable[FieldSpec], raw: Mapping[str, Any], *, today: date) -> Answers:
    """Read every field's raw answer. What the agent provides is never read from anybody else."""
    values: dict[str, Any] = {}
    problems: dict[str, Problem] = {}
    for spec in fields:
        if spec.provided_by_agent or spec.name not in raw or spec.name in values:
            continue
        try:
            value = spec.clean(raw[spec.name])
        except AnswerError as error:
            problems[spec.name] = Problem(spec.name, error.code, error.message)
            continue
        if value is None:
            continue
        if objection := canonical.problem_with(spec.canonical_field, value, today=today):
            problems[spec.name] = Problem(spec.name, *objection)
        else:
            values[spec.name] = value
    return Answers(values, problems)


# By the problem's code (contract/fields/parsing.py, contract/fields/compound.py).
_PARTS_BY_CODE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("not_a_number", "negative", "too_many_digits", "ambiguous", "too_precise"), frozenset({"amount"})),
    **dict.fromkeys(("currency_missing", "currency_not_allowed"), frozenset({"currency"})),
    "not_a_year": frozenset({"year"}),
    "not_a_country": frozenset({"country"}),
}
# What must be there of an answer that has more than is needed.
_REQUIRED_PARTS: Mapping[str, frozenset[str]] = {
    "incomplete_date": frozenset({"day", "month", "year"}),
    "incomplete_address": frozenset({"street1", "city", "country"}),
}


def wrong_parts(parts: Sequence[str], code: str, raw: Any) -> tuple[str, ...]:
    """Those of the parts that the problem lies in; all of them where its code doesn't tell."""
    typed = raw if isinstance(raw, Mapping) else {}
    missing = {part for part in _REQUIRED_PARTS.get(code, frozenset()) if is_blank(typed.get(part))}
    meant = missing or _PARTS_BY_CODE.get(code, frozenset())
    return tuple(part for part in parts if part in meant) or tuple(parts)
