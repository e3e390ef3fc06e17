"""Make complete applications of a schema by chance, and try its validations on them (INTERFACE.md, "Validations")."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any

from .conditions import count_of
from .fields.base import FieldSpec
from .fields.bounds import Days
from .record import Answers, Holding, Party, Record, ShareClass, validate
from .rules import evaluate
from .schema import FormSchema, Section
from .validations import CompiledValidation

_MOST_SHARES = 100


class Examples:
    """Makes complete applications whose answers, parties and shares differ; the same ones for the same seed."""

    def __init__(self, schema: FormSchema, *, today: date, seed: int = 1) -> None:
        self._schema = schema
        self._random = Random(seed)  # nosec B311  # noqa: S311  # nothing secret depends on it
        self._days = Days.on(today)
        # The valid answers to each field, by its identity: lists of countries take long to make.
        self._valid_answers: dict[int, list[Any]] = {}

    def record(self) -> Record:
        schema = self._schema
        class_count = self._random.randint(1, 2) if schema.share_section else 0
        classes = []
        for number in range(class_count):
            classes.append(ShareClass(f"class{number}", self._answers(schema.share_class_fields), f"Class {number}"))
        class_ids = [share_class.id for share_class in classes]
        parties: list[Party] = []
        for section in schema.role_sections:
            for _ in range(self._party_count(section)):
                parties.append(self._party(section, f"party{len(parties)}", class_ids))
        holdings = []
        for party in parties:
            for class_id in class_ids:
                holdings.append(Holding(party.id, class_id, self._random.randint(1, _MOST_SHARES)))
        answers = self._answers(schema.entity_fields, class_ids)
        return Record(answers, tuple(parties), tuple(classes), tuple(holdings), days=self._days)

    def _party_count(self, section: Section) -> int:
        least = section.base_minimum
        if section.conditional_min and self._random.choice((True, False)):
            least = max(least, count_of(section.conditional_min.minimum) or 0)
        count = least + self._random.randint(0, 2)
        return min(count, section.most_parties) if section.most_parties else count

    def _party(self, section: Section, id_: str, class_ids: Sequence[str]) -> Party:
        """Return a party of the section's role; one of three may have a second role."""
        kinds = [kind for kind in ("person", "person", "corporate", "foundation") if section.allows(kind)]
        kind = self._random.choice(kinds)
        roles = {section.role or ""}
        if self._random.randint(1, 3) == 1:
            others = [other.role for other in self._schema.role_sections if other.role and other.allows(kind)]
            roles.add(self._random.choice(others))
        in_order = tuple(sorted(roles))
        return Party(id_, kind, in_order, self._answers(self._schema.fields_of(kind, in_order), class_ids), id_)

    def _answers(self, fields: Sequence[FieldSpec], class_ids: Sequence[str] = ()) -> Answers:
        """Return an answer to each field, within its bounds where one of its valid answers is."""
        raw: dict[str, Any] = {}
        for spec in fields:
            if id(spec) not in self._valid_answers:
                self._valid_answers[id(spec)] = [
                    answer for answer in spec.valid_answers() if self._is_possible(spec, answer)
                ]
            examples = list(class_ids) if spec.refers_to_share_class else self._valid_answers[id(spec)]
            if examples:
                raw[spec.name] = self._random.choice(examples)
        return validate(fields, raw)

    def _is_possible(self, spec: FieldSpec, answer: Any) -> bool:
        value = validate([spec], {spec.name: answer}).values.get(spec.name)
        return value is not None and spec.bounds.objection(value, spec, self._days) is None


@dataclass(slots=True)
class Trial:
    """How often a validation held, failed or was not judged in example applications, and the reasons for the last."""

    validation: CompiledValidation
    successes: int = 0
    failures: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


def try_validations(schema: FormSchema, count: int, *, today: date) -> list[Trial]:
    """Try each validation of the schema that can be judged on `count` example applications."""
    trials: list[Trial] = []
    examples = Examples(schema, today=today)
    for _ in range(count):
        verdicts = evaluate(schema, examples.record()).validations.verdicts()
        trials = trials or [Trial(verdict.validation) for verdict in verdicts]
        for trial, verdict in zip(trials, verdicts, strict=True):
            if verdict.holds is None:
                trial.reasons[verdict.fault or f'"{verdict.missing}" is missing'] += 1
            elif verdict.holds:
                trial.successes += 1
            else:
                trial.failures += 1
    return [trial for trial in trials if trial.validation.expression]
