"""Make complete applications of a schema by chance, and try its validations on them (INTERFACE.md, "Validations")."""

from collections import Counter
from collections.abc import Iterator, Sequence
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


def example_records(schema: FormSchema, count: int, *, seed: int = 1) -> Iterator[Record]:
    """Yield complete applications whose answers, parties and shares differ; the same ones for the same seed."""
    random = Random(seed)  # nosec B311  # noqa: S311  # nothing secret depends on it
    for _ in range(count):
        yield _example(schema, random)


def _example(schema: FormSchema, random: Random) -> Record:
    days = Days.on(date.today())
    class_count = random.randint(1, 2) if schema.share_section else 0
    classes = []
    for number in range(class_count):
        answers = _answers(schema.share_class_fields, random, days)
        classes.append(ShareClass(f"class{number}", answers, f"Class {number}"))
    class_ids = [share_class.id for share_class in classes]
    parties: list[Party] = []
    for section in schema.role_sections:
        for _ in range(_party_count(section, random)):
            parties.append(_party(schema, section, f"party{len(parties)}", class_ids, random, days))
    holdings = []
    for party in parties:
        for class_id in class_ids:
            holdings.append(Holding(party.id, class_id, random.randint(1, _MOST_SHARES)))
    answers = _answers(schema.entity_fields, random, days, class_ids)
    return Record(answers, tuple(parties), tuple(classes), tuple(holdings), days=days)


def _party_count(section: Section, random: Random) -> int:
    least = section.base_minimum
    if section.conditional_min and random.random() < 0.5:
        least = max(least, count_of(section.conditional_min.minimum) or 0)
    count = least + random.randint(0, 2)
    return min(count, section.most_parties) if section.most_parties else count


def _party(
    schema: FormSchema, section: Section, id_: str, class_ids: Sequence[str], random: Random, days: Days
) -> Party:
    """Return a party of the section's role; one of three has a further role."""
    kind = random.choice([kind for kind in ("person", "person", "corporate", "foundation") if section.allows(kind)])
    roles = {section.role or ""}
    others = [other.role for other in schema.role_sections if other.role and other.allows(kind)]
    if random.random() < 1 / 3:
        roles.add(random.choice(others))
    answers = _answers(schema.fields_of(kind, sorted(roles)), random, days, class_ids)
    return Party(id_, kind, tuple(sorted(roles)), answers, id_)


def _answers(fields: Sequence[FieldSpec], random: Random, days: Days, class_ids: Sequence[str] = ()) -> Answers:
    """Return an answer to each field, within its bounds where one of its examples is."""
    raw: dict[str, Any] = {}
    for spec in fields:
        examples = list(class_ids if spec.refers_to_share_class else spec.valid_answers())
        random.shuffle(examples)
        for example in examples:
            value = validate([spec], {spec.name: example}).values.get(spec.name)
            if value is not None:
                raw[spec.name] = example
                if spec.bounds.objection(value, spec, days) is None:
                    break
    return validate(fields, raw)


@dataclass(slots=True)
class Trial:
    """How often a validation held, failed or was not judged in example applications, and the reasons for the last."""

    validation: CompiledValidation
    held: int = 0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


def try_validations(schema: FormSchema, count: int) -> list[Trial]:
    """Try each validation of the schema that can be judged on `count` example applications."""
    trials: list[Trial] = []
    for record in example_records(schema, count):
        verdicts = evaluate(schema, record).validations.verdicts()
        trials = trials or [Trial(verdict.validation) for verdict in verdicts]
        for trial, verdict in zip(trials, verdicts, strict=True):
            if verdict.holds is None:
                trial.reasons[verdict.fault or f"“{verdict.missing}” is missing"] += 1
            elif verdict.holds:
                trial.held += 1
            else:
                trial.failed += 1
    return [trial for trial in trials if trial.validation.expression]
