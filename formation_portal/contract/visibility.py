"""When a question shows, tabulated by the controls beside it, so that a page can show it before the network answers.

A table holds rows; a row names controls and, for each, the posted values that fit. The question shows when one row
fits. The table is found by running the real rules over every choice that they can tell apart, so there is one set of
rules; what can't be said so is None, and then only the server knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from .conditions import INCLUDES_ANY, Condition
from .fields.base import FieldSpec
from .fields.values import AnswerError
from .reach import reads_parties
from .record import Answers, Holder, Party, Record, ShareClass
from .rules import Question, evaluate, find_field, group_of
from .schema import FormSchema, Section

# By answer's name, the values of its control that fit; "" is nothing chosen.
Row = Mapping[str, tuple[str, ...]]
VisibilityTable = tuple[Row, ...]

_MAX_COMBINATIONS = 256


# Choices of one control that no rule tells apart, as they are posted, and one of them as a value.
_ChoiceGroup = tuple[tuple[str, ...], Any]
# A row whose choices are numbers of their groups, column by column.
_IndexRow = tuple[frozenset[int], ...]
# The controls of a page that a question's showing depends on, with the rules on them.
_Columns = dict[str, list[Condition]]


class VisibilityTables:
    """The tables of one page: what is asked of one holder. Those that depend on this page alone are kept."""

    def __init__(self, schema: FormSchema, record: Record, holder: Holder, asked: Sequence[Question]) -> None:
        self._schema, self._record, self._holder = schema, record, holder
        self._specs = {one.spec.name: one.spec for one in asked}
        page = (group_of(holder), tuple((one.section.key, one.spec.key) for one in asked))
        self._cached = schema.cached(_no_tables).setdefault(page, {})

    def of(self, asked: Question) -> VisibilityTable | None:
        """The table of one question; None where the page can't tell, or nothing on it changes anything."""
        known = (asked.section.key, asked.spec.key)
        if known not in self._cached:
            columns, has_others = self._dependencies(asked)
            table = self._tabulate(asked, columns)
            if has_others and columns:
                return table
            self._cached[known] = table
        return self._cached[known]

    def _dependencies(self, asked: Question) -> tuple[_Columns, bool]:
        """What the question's showing can depend on: controls of this page; and whether on more."""
        columns, has_others, seen = _Columns(), False, set[tuple[str, str, str]]()
        group = group_of(self._holder)
        todo: list[tuple[Condition | None, Section, str]] = []
        for section, spec in self._sections_asking(asked):
            todo += [(section.depends_on, section, ""), (spec.depends_on, section, group)]
        while todo:
            rule, section, within = todo.pop()
            place = find_field(self._schema, rule, section, within, self._holder if within else None) if rule else None
            if rule is None or place is None:
                continue
            # Whether the named answer is given by a control of this page.
            if place.group == group and place.spec.name in self._specs:
                columns.setdefault(place.spec.name, []).append(rule)
            else:
                has_others = True
            if place.id not in seen:
                seen.add(place.id)
                todo += [
                    (place.section.depends_on, place.section, ""),
                    (place.spec.depends_on, place.section, place.group),
                ]
        return columns, has_others

    def _sections_asking(self, asked: Question) -> Iterator[tuple[Section, FieldSpec]]:
        """A party may be asked the same in several roles: it is asked where any of them asks."""
        if not isinstance(self._holder, Party):
            yield asked.section, asked.spec
            return
        for section in self._schema.sections_for(self._holder.kind, self._holder.roles):
            for spec in section.groups.get(self._holder.kind, ()):
                if spec.name == asked.spec.name:
                    yield section, spec

    def _tabulate(self, asked: Question, rules: _Columns) -> VisibilityTable | None:
        columns: dict[str, list[_ChoiceGroup]] = {}
        size = 1
        for name, read_by in rules.items():
            groups = self._choice_groups(self._specs[name], read_by)
            if groups is None:
                return None
            columns[name] = groups
            size *= len(groups)
        if not columns or size > _MAX_COMBINATIONS:
            return None
        asking = tuple(self._sections_asking(asked))

        def shows(chosen: Mapping[str, Any]) -> bool:
            """The real rules, run over this record with other choices made."""
            record, holder = self._with(chosen)
            form_state = evaluate(self._schema, record)
            return any(form_state.field_activation(section, spec, holder).active for section, spec in asking)

        fitting = {
            tuple(frozenset({place}) for place in places)
            for places in product(*(range(len(groups)) for groups in columns.values()))
            if shows({name: columns[name][place][1] for name, place in zip(columns, places, strict=True)})
        }
        rows = [dict(zip(columns, row, strict=True)) for row in _merged_rows(fitting)]
        return self._to_posted(rows, columns)

    def _choice_groups(self, spec: FieldSpec, rules: Sequence[Condition]) -> list[_ChoiceGroup] | None:
        """The choices of a control, those that no rule tells apart together; None where anything can be typed."""
        choices = () if spec.refers_to_share_class or spec.parts else spec.choices()
        if not choices:
            return None
        if spec.many:
            # One chosen option must be enough to tell, and for one list of options only.
            lists = {frozenset(map(str, rule.named_values())) for rule in rules}
            if len(lists) != 1 or any(rule.operator != INCLUDES_ANY for rule in rules):
                return None
        kinds: dict[tuple[bool, ...], _ChoiceGroup] = {}
        for posted in ("", *(choice.value for choice in choices)):
            try:
                value = spec.clean([posted] if spec.many and posted else posted)
            except AnswerError:
                value = None
            told_apart = tuple(rule.holds(value) for rule in rules)
            before = kinds.get(told_apart)
            kinds[told_apart] = ((*before[0], posted), before[1]) if before else ((posted,), value)
        return list(kinds.values())

    def _with(self, chosen: Mapping[str, Any]) -> tuple[Record, Holder]:
        record, holder = self._record, self._holder
        before = holder.answers.values if holder else record.answers.values
        kept = {name: value for name, value in before.items() if name not in chosen}
        answers = Answers(kept | {name: value for name, value in chosen.items() if value is not None})
        if isinstance(holder, Party):
            now = replace(holder, answers=answers)
            if not reads_parties(self._schema):
                # Nobody's rules look for it among all parties.
                return record, now
            parties = tuple(now if one.id == holder.id else one for one in record.parties)
            return replace(record, parties=parties), now
        if isinstance(holder, ShareClass):
            newer = replace(holder, answers=answers)
            classes = tuple(newer if one.id == holder.id else one for one in record.share_classes)
            return replace(record, share_classes=classes), newer
        return replace(record, answers=answers), None

    def _to_posted(
        self, rows: list[dict[str, frozenset[int]]], columns: Mapping[str, list[_ChoiceGroup]]
    ) -> VisibilityTable | None:
        """The rows in posted values, without the controls that don't matter; None where nothing does."""
        table = []
        for row in rows:
            matters = {name: some for name, some in row.items() if len(some) < len(columns[name])}
            values = {
                name: tuple(value for place in sorted(some) for value in columns[name][place][0])
                for name, some in matters.items()
            }
            if any(self._specs[name].many and "" in some for name, some in values.items()):
                # None of these: a control with several values can't say so.
                return None
            table.append(values)
        return tuple(table) if table and all(table) else None


def _no_tables(_schema: FormSchema) -> dict[Any, dict[tuple[str, str], VisibilityTable | None]]:
    return {}


def _merged_rows(rows: set[_IndexRow]) -> list[_IndexRow]:
    """Join the rows that differ in one column alone, column by column. `rows` have one choice in each column.

    One pass is enough: joining in a later column never makes rows alike that an earlier column told apart.
    """
    merged = sorted(rows, key=lambda row: [sorted(choices) for choices in row])
    for column in range(len(merged[0]) if merged else 0):
        joined: dict[_IndexRow, frozenset[int]] = {}
        for row in merged:
            others = row[:column] + row[column + 1 :]
            joined[others] = joined.get(others, frozenset()) | row[column]
        merged = [(*others[:column], choices, *others[column:]) for others, choices in joined.items()]
    return merged
