"""Judge the rules that a schema states across answers, parties and shares (INTERFACE.md, "Validations").

A rule that reads a missing answer is not judged, and a rule that cannot be judged is left out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .canonical import SHAREHOLDER, property_of
from .expressions import Expression, ExpressionError, MissingAnswer, Values, compile_expression
from .fields.base import FieldSpec
from .fields.date import age_on
from .schema import ENTITY, FormSchema, Section, Validation

if TYPE_CHECKING:
    from .rules import FormState

MAX_VALIDATIONS = 100
# The most processor time for all rules of an application. Those of an honest schema take a tenth of a second at most.
_MAX_SECONDS = 2.0
ADVICE, ERROR = "advice", "error"


@dataclass(frozen=True, slots=True)
class CompiledValidation:
    """A rule of a schema with its place in the form; without an expression if it is left out, for the reason `fault`.

    `section` is the key of the section and `field` the name of the entity's answer that the message stands at; without
    a field it stands at the section. `has_place` is false if the schema names neither, or one that does not exist.
    """

    stated: Validation
    section: str
    field: str = ""
    has_place: bool = True
    expression: Expression | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a rule for the answers at hand: it holds, or not; None if it is not judged, for the reason given.

    A `fault` is a mistake of the rule; `missing` is the answer that it reads and that is missing.
    """

    validation: CompiledValidation
    holds: bool | None
    fault: str = ""
    missing: str = ""

    @property
    def is_error(self) -> bool:
        return self.holds is False and self.validation.stated.level == ERROR


class ValidationJudge:
    """Judges the rules of a schema for one application, each when it is first asked for."""

    def __init__(self, form_state: FormState) -> None:
        self._validations = form_state.schema.cached(compile_validations)
        self._application = _Application(form_state)
        self._verdicts: dict[int, Verdict] = {}
        self._seconds = 0.0

    def verdicts(self, section: Section | None = None) -> tuple[Verdict, ...]:
        """Return the outcome of every rule, or of those whose messages stand at the section or its fields."""
        verdicts = []
        for number, validation in enumerate(self._validations):
            if section is None or section.key == validation.section:
                if number not in self._verdicts:
                    self._verdicts[number] = self._judge(validation)
                verdicts.append(self._verdicts[number])
        return tuple(verdicts)

    def messages_at_fields(self, level: str, section: Section | None = None) -> dict[str, str]:
        """Return the messages of the level, ERROR or ADVICE, by the name of the entity's answer that they stand at."""
        messages: dict[str, str] = {}
        for verdict in self.verdicts(section):
            place = verdict.validation
            if verdict.holds is False and place.stated.level == level and place.field:
                messages.setdefault(place.field, place.stated.message)
        return messages

    def _judge(self, validation: CompiledValidation) -> Verdict:
        expression = validation.expression
        if expression is None:
            return Verdict(validation, None, fault=validation.fault)
        if self._seconds > _MAX_SECONDS:
            return Verdict(validation, None, fault="the rules before it take too long")
        start = time.thread_time()
        try:
            return Verdict(validation, expression.holds(self._application.values_for(expression)))
        except MissingAnswer as missing:
            return Verdict(validation, None, missing=str(missing))
        except ExpressionError as error:
            return Verdict(validation, None, fault=str(error))
        finally:
            self._seconds += time.thread_time() - start


class _Application:
    """An application as expressions read it: maps, lists, texts, numbers, true and false."""

    def __init__(self, form_state: FormState) -> None:
        self._state = form_state
        self._names: frozenset[str] = frozenset()
        self._values = Values({})

    def values_for(self, expression: Expression) -> Values:
        """Return the values that the expression reads, perhaps among others. Unknown ones are left out."""
        if expression.concatenates:
            return self._named(expression.names)
        if not expression.names <= self._names:
            self._names |= expression.names
            self._values = self._named(self._names)
        return self._values

    def _named(self, names: Iterable[str]) -> Values:
        values = {name: getattr(self, name) for name in names}
        return Values({name: value for name, value in values.items() if value is not None})

    @cached_property
    def entity(self) -> dict[str, Any]:
        return _by_word(self._state.active_answers())

    @cached_property
    def parties(self) -> list[dict[str, Any]]:
        """Return the parties that are sent: those with an active role."""
        parties = []
        for party in self._state.record.parties:
            roles = self._state.active_roles(party)
            if roles:
                answers = tuple(self._state.active_answers(party))
                row = {"id": party.id, "kind": party.kind, "roles": list(roles), "answers": _by_word(answers)}
                parties.append(row | self._age(answers))
        return parties

    def _age(self, answers: Iterable[tuple[FieldSpec, Any]]) -> dict[str, int]:
        days = self._state.record.days
        if days is not None:
            for spec, value in answers:
                if property_of(spec.canonical_field) == "date_of_birth" and isinstance(value, date):
                    return {"age": age_on(days.last, born=value)}
        return {}

    @cached_property
    def share_classes(self) -> list[dict[str, Any]]:
        if self._state.active_share_section is None:
            return []
        classes = self._state.record.share_classes
        return [{"id": row.id, **_by_word(self._state.active_answers(row))} for row in classes]

    @cached_property
    def holdings(self) -> list[dict[str, Any]]:
        if self._state.active_share_section is None:
            return []
        holders = {party.id for party in self._state.record.parties if SHAREHOLDER in self._state.active_roles(party)}
        return [
            {"party": holding.party_id, "share_class": holding.share_class_id, "shares": holding.shares}
            for holding in self._state.record.holdings
            if holding.shares > 0 and holding.party_id in holders
        ]

    @cached_property
    def today(self) -> str | None:
        """Return the latest date on earth, on which ages count too; None if no day is known."""
        days = self._state.record.days
        return None if days is None else days.last.isoformat()


def _by_word(answers: Iterable[tuple[FieldSpec, Any]]) -> dict[str, Any]:
    return {word_of(spec): _plain(spec.payload(value)) for spec, value in answers}


def word_of(spec: FieldSpec) -> str:
    """Return the word by which an expression reads the answer to a field."""
    if spec.canonical_field:
        return property_of(spec.canonical_field)
    return spec.name


# How a rule names answers: `entity.word`, `entity["word"]`, `"word" in entity`, and the same of `p.answers`.
_WORD = r"""\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\])"""
_ENTITY_WORD = re.compile(rf"(?<![.\w])entity{_WORD}")
_PARTY_WORD = re.compile(rf"\.\s*answers{_WORD}")
_ENTITY_GUARD = re.compile(r"""(?:"([^"]*)"|'([^']*)')\s+in\s+entity\b(?!\s*[.\[])""")
_PARTY_GUARD = re.compile(r"""(?:"([^"]*)"|'([^']*)')\s+in\s+\w+\s*\.\s*answers\b(?!\s*[.\[])""")


def unknown_words(schema: FormSchema, rule: str) -> tuple[str, ...]:
    """Return the words by which a rule reads answers, but which no question of the schema has."""
    entity = {word_of(spec) for spec in schema.entity_fields}
    parties: set[str] = set()
    for section in schema.role_sections:
        for specs in section.groups.values():
            parties.update(map(word_of, specs))
    unknown = []
    places = ((_ENTITY_WORD, entity), (_ENTITY_GUARD, entity), (_PARTY_WORD, parties), (_PARTY_GUARD, parties))
    for pattern, answers in places:
        for match in pattern.finditer(rule):
            word = next(filter(None, match.groups()), "")
            if word not in answers:
                unknown.append(word)
    return tuple(dict.fromkeys(unknown))


def _plain(value: Any) -> Any:
    """Turn a value of a payload into one of an expression, where every number is a double."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def compile_validations(schema: FormSchema) -> tuple[CompiledValidation, ...]:
    return tuple(_compile(schema, number, stated) for number, stated in enumerate(schema.validations))


def validated_fields(schema: FormSchema) -> frozenset[str]:
    """Return the names of the entity's answers at which a message of a rule may stand."""
    return frozenset(validation.field for validation in schema.cached(compile_validations) if validation.field)


def _compile(schema: FormSchema, number: int, stated: Validation) -> CompiledValidation:
    place = _place(schema, stated)
    first = schema.sections[0].key if schema.sections else ""
    section, field = place or (first, "")
    expression = None
    fault = ""
    if number >= MAX_VALIDATIONS:
        fault = f"there are more than {MAX_VALIDATIONS} rules"
    elif not stated.rule or not stated.message:
        fault = "it has no rule or no message"
    elif stated.level not in (ERROR, ADVICE):
        fault = "its level is neither error nor advice"
    else:
        try:
            expression = compile_expression(stated.rule)
        except ExpressionError as error:
            fault = str(error)
    return CompiledValidation(stated, section, field, place is not None, expression, fault)


def _place(schema: FormSchema, stated: Validation) -> tuple[str, str] | None:
    """Return the key of the section and the name of the entity's answer that the message stands at, or None.

    At a field of parties or share classes, the message stands at the section.
    """
    if stated.field:
        for section in schema.sections:
            for group, specs in section.groups.items():
                for spec in specs:
                    if stated.field in (spec.key, spec.canonical_field, spec.csp_field_key):
                        return section.key, spec.name if group == ENTITY else ""
    for section in schema.sections:
        if stated.section and stated.section in (section.scope, section.original.title):
            return section.key, ""
    return None
