"""Tabulate when a question shows, by the controls on its page, so that a page can show it before the server answers.

A table has rows. A row names controls and, for each, the posted values that fit; the question shows when a row fits.
The table is found by running the real rules over every choice that they can tell apart, so there is one set of rules.
Where no table can express the rules, only the server knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from .conditions import INCLUDES_ANY, Condition
from .fields.base import FieldSpec
from .fields.values import AnswerError
from .record import Answers, Holder, Party, Record
from .rules import Question, evaluate, find_field, group_of
from .schema import FormSchema, Section

# By answer's name, the control's values that fit; "" if nothing is chosen.
Row = Mapping[str, tuple[str, ...]]
VisibilityTable = tuple[Row, ...]

_MAX_COMBINATIONS = 256


class _ChoiceGroup(NamedTuple):
    """Choices that no rule tells apart: their posted values, and the clean value of the first."""

    posted: tuple[str, ...]
    value: Any


# The rules on which a question depends, by the name of the page's answer that they read.
_Columns = dict[str, list[Condition]]


class VisibilityTables:
    """The tables of the questions that a page asks one holder. Tables that depend on the page alone are cached."""

    def __init__(self, schema: FormSchema, record: Record, holder: Holder, asked: Sequence[Question]) -> None:
        self._schema = schema
        self._record = record
        self._holder = holder
        self._specs = {question.spec.name: question.spec for question in asked}
        page = (group_of(holder), tuple((question.section.key, question.spec.key) for question in asked))
        self._cached = schema.cached(_no_tables).setdefault(page, {})

    def of(self, question: Question) -> VisibilityTable | None:
        """Return the table of a question; None if only the server can tell, or if no control on the page matters."""
        key = (question.section.key, question.spec.key)
        if key not in self._cached:
            columns, has_others = self._dependencies(question)
            table = self._tabulate(question, columns)
            if has_others and columns:
                return table
            self._cached[key] = table
        return self._cached[key]

    def _dependencies(self, question: Question) -> tuple[_Columns, bool]:
        """Return the rules behind the question that read this page's controls, and True if there are others."""
        columns: _Columns = {}
        has_others = False
        seen: set[tuple[str, str, str]] = set()
        group = group_of(self._holder)
        pending: list[tuple[Condition | None, Section, str]] = []
        for section, spec in self._sections_asking(question):
            pending += [(section.depends_on, section, ""), (spec.depends_on, section, group)]
        while pending:
            rule, section, rule_group = pending.pop()
            if rule is None:
                continue
            place = find_field(self._schema, rule, section, rule_group, self._holder if rule_group else None)
            if place is None:
                continue
            if place.group == group and place.spec.name in self._specs:
                columns.setdefault(place.spec.name, []).append(rule)
            else:
                has_others = True
            if place.id not in seen:
                seen.add(place.id)
                pending.append((place.section.depends_on, place.section, ""))
                pending.append((place.spec.depends_on, place.section, place.group))
        return columns, has_others

    def _sections_asking(self, question: Question) -> Iterator[tuple[Section, FieldSpec]]:
        """Yield each section that asks the question, with its field. A party may be asked in several roles."""
        if not isinstance(self._holder, Party):
            yield question.section, question.spec
            return
        for section in self._schema.sections_for(self._holder.kind, self._holder.roles):
            for spec in section.groups.get(self._holder.kind, ()):
                if spec.name == question.spec.name:
                    yield section, spec

    def _tabulate(self, question: Question, columns: _Columns) -> VisibilityTable | None:
        choices: dict[str, list[_ChoiceGroup]] = {}
        for name, rules in columns.items():
            groups = self._choice_groups(self._specs[name], rules)
            if groups is None:
                return None
            choices[name] = groups
        if not choices or prod(map(len, choices.values())) > _MAX_COMBINATIONS:
            return None
        asking = list(self._sections_asking(question))
        fitting = []
        for row in product(*choices.values()):
            chosen = {name: group.value for name, group in zip(choices, row, strict=True)}
            record, holder = self._with(chosen)
            form_state = evaluate(self._schema, record)
            if any(form_state.field_activation(section, spec, holder).active for section, spec in asking):
                fitting.append(tuple(group.posted for group in row))
        table = []
        for cells in _merged_rows(fitting):
            values: dict[str, tuple[str, ...]] = {}
            for (name, groups), posted in zip(choices.items(), cells, strict=True):
                if len(posted) == sum(len(group.posted) for group in groups):
                    # The control does not matter.
                    continue
                if self._specs[name].many and "" in posted:
                    # A control with several values cannot tell that none of these is chosen.
                    return None
                values[name] = posted
            table.append(values)
        return tuple(table) if table and all(table) else None

    def _choice_groups(self, spec: FieldSpec, rules: Sequence[Condition]) -> list[_ChoiceGroup] | None:
        """Group the choices that no rule tells apart; None if text is typed, or if one choice alone cannot decide."""
        choices = spec.choices()
        if spec.refers_to_share_class or spec.parts or not choices:
            return None
        if spec.many:
            # One chosen option must decide, so all rules must be includes_any of one list.
            lists = {frozenset(map(str, rule.named_values())) for rule in rules}
            if len(lists) != 1 or any(rule.operator != INCLUDES_ANY for rule in rules):
                return None
        groups: dict[tuple[bool, ...], _ChoiceGroup] = {}
        for posted in ("", *(choice.value for choice in choices)):
            try:
                value = spec.clean_choice(posted)
            except AnswerError:
                value = None
            outcome = tuple(rule.holds(value) for rule in rules)
            group = groups.get(outcome, _ChoiceGroup((), value))
            groups[outcome] = _ChoiceGroup((*group.posted, posted), group.value)
        return list(groups.values())

    def _with(self, chosen: Mapping[str, Any]) -> tuple[Record, Holder]:
        values = {**(self._holder or self._record).answers.values, **chosen}
        answers = Answers({name: value for name, value in values.items() if value is not None})
        return self._record.with_answers(self._holder, answers)


def _no_tables(_schema: FormSchema) -> dict[Any, dict[tuple[str, str], VisibilityTable | None]]:
    return {}


def _merged_rows(rows: list[tuple[tuple[str, ...], ...]]) -> list[tuple[tuple[str, ...], ...]]:
    """Join the rows that differ in a single column. One pass is enough: later joins allow no earlier ones."""
    for column in range(len(rows[0]) if rows else 0):
        joined: dict[tuple[tuple[str, ...], ...], tuple[str, ...]] = {}
        for row in rows:
            others = row[:column] + row[column + 1 :]
            joined[others] = joined.get(others, ()) + row[column]
        rows = [(*others[:column], posted, *others[column:]) for others, posted in joined.items()]
    return rows
