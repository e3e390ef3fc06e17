"""When a question shows, tabulated by the controls beside it, so that a page can show it before the network answers.

A table holds rows; a row names controls and, for each, the posted values that fit. The question shows when one row
fits. The table is found by running the real rules over every choice that they can tell apart, so there is one set of
rules; what can't be said so is None, and then only the server knows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from .answers import Answers
from .conditions import INCLUDES_ANY, Condition
from .field import FieldSpec
from .places import Place
from .problems import AnswerError
from .record import Holder, Party, Record, ShareClass
from .rules import Question, group_of, named_place, settle
from .schema import FormSchema, Section

# By answer's name, the values of its control that fit; "" is nothing chosen.
Row = Mapping[str, tuple[str, ...]]
Table = tuple[Row, ...]

_MOST_COMBINATIONS = 256


@dataclass(frozen=True, slots=True)
class _Kind:
    """Choices of one control that no rule tells apart, and one of them as a value."""

    posted: tuple[str, ...]
    value: Any


@dataclass
class _Support:
    """What a question's showing can depend on: the controls of this page with the rules on them; or on more."""

    columns: dict[str, list[Condition]] = field(default_factory=dict)
    has_facts: bool = False


class Tables:
    """The tables of one page: what is asked of one holder. Those that depend on this page alone are kept."""

    def __init__(self, schema: FormSchema, record: Record, holder: Holder, asked: Sequence[Question]) -> None:
        self._schema, self._record, self._holder = schema, record, holder
        self._specs = {one.spec.name: one.spec for one in asked}
        page = (group_of(holder), tuple((one.section.key, one.spec.key) for one in asked))
        self._kept = schema.remembered(_kept_tables).setdefault(page, {})

    def of(self, asked: Question) -> Table | None:
        """The table of one question; None where the page can't tell, or nothing on it changes anything."""
        known = (asked.section.key, asked.spec.key)
        if known not in self._kept:
            support = self._support(asked)
            table = self._tabulated(asked, support)
            if support.has_facts and support.columns:
                return table
            self._kept[known] = table
        return self._kept[known]

    def _support(self, asked: Question) -> _Support:
        support, seen = _Support(), set[tuple[str, str, str]]()
        group = group_of(self._holder)
        todo: list[tuple[Condition | None, Section, str]] = []
        for section, spec in self._sections_asking(asked):
            todo += [(section.depends_on, section, ""), (spec.depends_on, section, group)]
        while todo:
            rule, section, within = todo.pop()
            place = named_place(self._schema, rule, section, within, self._holder if within else None) if rule else None
            if rule is None or place is None:
                continue
            if self._is_here(place):
                support.columns.setdefault(place.spec.name, []).append(rule)
            else:
                support.has_facts = True
            if place.id not in seen:
                seen.add(place.id)
                todo += [
                    (place.section.depends_on, place.section, ""),
                    (place.spec.depends_on, place.section, place.group),
                ]
        return support

    def _sections_asking(self, asked: Question) -> Iterator[tuple[Section, FieldSpec]]:
        """A party may be asked the same in several roles: it is asked where any of them asks."""
        if not isinstance(self._holder, Party):
            yield asked.section, asked.spec
            return
        for section in self._schema.sections_for(self._holder.kind, self._holder.roles):
            for spec in section.groups.get(self._holder.kind, ()):
                if spec.name == asked.spec.name:
                    yield section, spec

    def _is_here(self, place: Place) -> bool:
        """Whether the named answer is given by a control of this page."""
        return place.group == group_of(self._holder) and place.spec.name in self._specs

    def _tabulated(self, asked: Question, support: _Support) -> Table | None:
        columns = {name: self._kinds(self._specs[name], rules) for name, rules in support.columns.items()}
        if not columns or any(kinds is None for kinds in columns.values()):
            return None
        kinds = [found for found in columns.values() if found is not None]
        size = 1
        for some in kinds:
            size *= len(some)
        if size > _MOST_COMBINATIONS:
            return None
        shows = self._shows(asked)
        fitting = {
            tuple(frozenset({place}) for place in places)
            for places in product(*(range(len(some)) for some in kinds))
            if shows({name: kinds[at][places[at]].value for at, name in enumerate(columns)})
        }
        rows = [dict(zip(columns, row, strict=True)) for row in _merged(fitting)]
        return self._posted(rows, {name: some for name, some in columns.items() if some is not None})

    def _kinds(self, spec: FieldSpec, rules: Sequence[Condition]) -> list[_Kind] | None:
        """The choices of a control, those that no rule tells apart together; None where anything can be typed."""
        choices = () if spec.refers_to_share_class or spec.parts else spec.choices()
        if not choices or (spec.many and not _reads_members(rules)):
            return None
        kinds: dict[tuple[bool, ...], _Kind] = {}
        for posted in ("", *(choice.value for choice in choices)):
            value = _value(spec, posted)
            told_apart = tuple(rule.holds(value) for rule in rules)
            before = kinds.get(told_apart)
            kinds[told_apart] = _Kind((*before.posted, posted), before.value) if before else _Kind((posted,), value)
        return list(kinds.values())

    def _shows(self, asked: Question) -> Callable[[Mapping[str, Any]], bool]:
        """The real rules, run over this record with other choices made."""
        asking = tuple(self._sections_asking(asked))

        def shows(chosen: Mapping[str, Any]) -> bool:
            record, holder = self._with(chosen)
            standing = settle(self._schema, record)
            return any(standing.field(section, spec, holder).active for section, spec in asking)

        return shows

    def _with(self, chosen: Mapping[str, Any]) -> tuple[Record, Holder]:
        record, holder = self._record, self._holder
        before = holder.answers.values if holder else record.answers.values
        kept = {name: value for name, value in before.items() if name not in chosen}
        answers = Answers(kept | {name: value for name, value in chosen.items() if value is not None})
        if isinstance(holder, Party):
            now = replace(holder, answers=answers)
            parties = tuple(now if one.id == holder.id else one for one in record.parties)
            return replace(record, parties=parties), now
        if isinstance(holder, ShareClass):
            newer = replace(holder, answers=answers)
            classes = tuple(newer if one.id == holder.id else one for one in record.share_classes)
            return replace(record, share_classes=classes), newer
        return replace(record, answers=answers), None

    def _posted(self, rows: list[dict[str, frozenset[int]]], columns: Mapping[str, list[_Kind]]) -> Table | None:
        """The rows in posted values, without the controls that don't matter; None where nothing does."""
        table = []
        for row in rows:
            matters = {name: some for name, some in row.items() if len(some) < len(columns[name])}
            values = {
                name: tuple(value for place in sorted(some) for value in columns[name][place].posted)
                for name, some in matters.items()
            }
            if any(self._specs[name].many and "" in some for name, some in values.items()):
                # None of these: a control with several values can't say so.
                return None
            table.append(values)
        return tuple(table) if table and all(table) else None


def _kept_tables(_schema: FormSchema) -> dict[Any, dict[tuple[str, str], Table | None]]:
    return {}


def _reads_members(rules: Sequence[Condition]) -> bool:
    """Whether one chosen option is enough to tell, and for one list of options only."""
    lists = {frozenset(map(str, rule.named_values())) for rule in rules}
    return len(lists) == 1 and all(rule.operator == INCLUDES_ANY for rule in rules)


def _value(spec: FieldSpec, posted: str) -> Any:
    try:
        return spec.clean([posted] if spec.many and posted else posted)
    except AnswerError:
        return None


def _merged(rows: set[tuple[frozenset[int], ...]]) -> list[tuple[frozenset[int], ...]]:
    """As few rows as joining those that differ in one column gives."""
    found = sorted(rows, key=lambda row: [sorted(part) for part in row])
    at = 0
    while at < len(found):
        for other in range(at + 1, len(found)):
            joined = _joined(found[at], found[other])
            if joined is not None:
                found[at] = joined
                del found[other]
                at = -1
                break
        at += 1
    return found


def _joined(one: tuple[frozenset[int], ...], other: tuple[frozenset[int], ...]) -> tuple[frozenset[int], ...] | None:
    differing = [place for place, (mine, yours) in enumerate(zip(one, other, strict=True)) if mine != yours]
    if len(differing) != 1:
        return None
    [place] = differing
    return (*one[:place], one[place] | other[place], *one[place + 1 :])
