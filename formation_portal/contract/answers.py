"""Raw answers judged field by field: what could be read, and what could not, with the reason."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from . import canonical
from .field import FieldSpec
from .problems import AnswerError, Problem


@dataclass(frozen=True, slots=True)
class Answers:
    """One holder's answers by field name: values where readable, problems where not. Unanswered names are absent."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict)


def judge(fields: Iterable[FieldSpec], raw: Mapping[str, Any], *, today: date) -> Answers:
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
        if objection := canonical.objection(spec.canonical_field, value, today=today):
            problems[spec.name] = Problem(spec.name, *objection)
        else:
            values[spec.name] = value
    return Answers(values, problems)
