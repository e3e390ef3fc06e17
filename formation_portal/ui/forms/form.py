"""A form: the questions that a page asks about one holder, as regions that show and hide."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from formation_portal.applications.services import Overlong
from formation_portal.contract import rules
from formation_portal.contract.fields.base import Choice, FieldSpec, control_name
from formation_portal.contract.fields.values import Problem as AnswerProblem
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.record import Answers, Holder, Party, Record, names_changed
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.visibility import VisibilityTable, VisibilityTables

from .controls import Suggestions, control_id, no_suggestions
from .question import QueryNote, Question, address_lines
from .region import Region
from .rendering import QuestionPlace, cached_markup, render

# Where a region begins and ends among the questions of a form, its id, and the heading that it stands under.
_Run = tuple[int, int, str, str]


class _Outline(NamedTuple):
    """How questions stand in regions, the name of each one's control, and where the answer of a name is asked for."""

    runs: tuple[_Run, ...]
    controls: tuple[str, ...]
    places: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class QuestionForm:
    """The questions to one holder with what was typed, what it means, and what the service refused of it.

    `control` names the control of a field; `refused` holds the service's words by field name.
    """

    schema: FormSchema
    asked: tuple[rules.Question, ...]
    raw: Mapping[str, Any]
    answers: Answers
    refused: Mapping[str, str] = field(default_factory=dict)
    # Answers that can be read and cannot be true, by field name (supplement, "Bounds").
    impossible: Mapping[str, AnswerProblem] = field(default_factory=dict)
    # What is worth a second look in an answer, by field name; it never stands in the way.
    advice: Mapping[str, str] = field(default_factory=dict)
    # What was posted just now and is too long to be kept; it is shown as typed.
    overlong: Mapping[str, Overlong] = field(default_factory=dict)
    control: Callable[[FieldSpec], str] = control_name
    # The key of the heading that a question stands under: the group that the schema puts it in.
    entry_of: Callable[[rules.Question], str] = lambda asked: asked.spec.group
    is_own: bool = False
    # By name, what another answer can set aside; worked out only where questions are drawn.
    warnings: Callable[[], Mapping[str, str]] = dict
    # What stands first in long lists of countries and currencies.
    suggestions: Suggestions = no_suggestions
    share_classes: tuple[Choice, ...] = ()
    shares_url: str = ""
    # The names of the answers that were accepted and are only read, and what our reviewer asks about the others.
    locked: frozenset[str] = frozenset()
    notes: Mapping[str, QueryNote] = field(default_factory=dict)
    # Whose answers these are, and all that is said besides; without them, nothing is looked up in the page.
    holder: Holder = None
    record: Record | None = None
    # False for a schema that is only looked at: nothing of it stays in this process.
    is_kept: bool = True

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """All of it, in the order of the schema."""
        return tuple(Region(id_, entry, self.asked[begin:end], self) for begin, end, id_, entry in self.runs)

    @property
    def runs(self) -> tuple[_Run, ...]:
        """How the questions stand in regions."""
        return self._outline.runs

    @property
    def controls(self) -> tuple[str, ...]:
        """The name of each question's control."""
        return self._outline.controls

    @cached_property
    def _outline(self) -> _Outline:
        """Regions and controls; made once for a section, as long as its schema."""
        if not self.asked or not self.is_kept or isinstance(self.holder, Party):
            return self._new_outline()
        page = (self.asked[0].section.key, len(self.asked), self.control, self.entry_of)
        known = self.schema.cached(_no_outlines)
        if page not in known:
            known[page] = self._new_outline()
        return known[page]

    def _new_outline(self) -> _Outline:
        places: dict[str, list[int]] = {}
        for at, one in enumerate(self.asked):
            places.setdefault(one.spec.name, []).append(at)
        return _Outline(tuple(self._runs()), tuple(self.control(one.spec) for one in self.asked), places)

    def _runs(self) -> Iterator[_Run]:
        begin = 0
        for _, run in groupby(self.asked, key=self._run):
            asked = tuple(run)
            first, end = asked[0], begin + len(asked)
            has_rule = first.spec.depends_on is not None or first.section.depends_on is not None
            id_ = f"region-{control_id(self.control(first.spec))}" if has_rule else ""
            yield begin, end, id_, self.entry_of(first)
            begin = end

    def _run(self, one: rules.Question) -> tuple[Hashable, ...]:
        """The same for neighbours that show and hide together."""
        return (self.entry_of(one), one.section.key, one.section.depends_on, one.spec.depends_on)

    def why(self, asked: rules.Question) -> str:
        """Why a question is asked. The rule of a whole section is said once, at the head of the section."""
        if asked.spec.depends_on is None:
            return ""
        return rules.why_asked(self.schema, asked.section, asked.spec, self.holder)

    def when(self, asked: rules.Question) -> str:
        """The table of a question: rows apart by spaces, each written like a posted form."""
        table = self._tables.of(asked) if self._tables else None
        if table is None:
            return ""
        known, place = self._table_texts, (asked.section.key, asked.spec.key, self.control)
        kept = known.get(place)
        if kept is None or kept[0] is not table:
            rows: list[str] = []
            for row in table:
                pairs = [(self._control_of(name), value) for name, values in row.items() for value in values]
                # As a browser writes it, which looks for a control's name in it.
                rows.append(urlencode(pairs, safe="*").replace("~", "%7E"))
            kept = known[place] = (table, " ".join(rows))
        return kept[1]

    @cached_property
    def _table_texts(self) -> dict[Hashable, tuple[VisibilityTable, str]]:
        return self.schema.cached(_no_tables)

    @cached_property
    def _tables(self) -> VisibilityTables | None:
        return VisibilityTables(self.schema, self.record, self.holder, self.asked) if self.record is not None else None

    def typed(self, spec: FieldSpec) -> Any:
        """What was typed; what was posted just now and is too long to be kept stands as it was typed, too."""
        overlong = self.overlong.get(spec.name)
        return overlong.raw if overlong else self.raw.get(spec.name)

    def is_asked(self, spec: FieldSpec) -> bool:
        """Whether there is anything to answer; an address of the agent's is only shown."""
        return not spec.provided_by_agent and not self.schema.why_unanswerable(spec)

    def question(self, asked: rules.Question) -> Question:
        """One question with what was typed there and what there is to say about it."""
        spec = asked.spec
        unanswerable = self.schema.why_unanswerable(spec) or ""
        problem = self.answers.problems.get(spec.name)
        impossible = self.impossible.get(spec.name)
        is_incomplete = problem is not None and problem.is_incomplete
        given = address_lines(self.schema.agent_address) if spec.provided_by_agent and not unanswerable else ()
        return Question(
            spec=spec,
            name=self.control(spec),
            typed=self.typed(spec),
            error=self._error(spec.name),
            error_code=problem.code if problem else "",
            objection=impossible.message if impossible else "",
            advice=self.advice.get(spec.name, ""),
            is_incomplete=is_incomplete,
            optional=self._is_optional(asked),
            is_answered=spec.name in self.answers.values,
            is_own=self.is_own,
            share_classes=self.share_classes,
            shares_url=self.shares_url,
            given=given,
            unanswerable=unanswerable,
            warnings=self.warnings,
            is_locked=spec.name in self.locked,
            note=self.notes.get(spec.name),
            suggestions=self.suggestions,
        )

    def _error(self, name: str) -> str:
        """Return why an answer cannot be read or was refused; empty parts of an answer are no error."""
        if name in self.overlong:
            return self.overlong[name].message
        problem = self.answers.problems.get(name)
        if problem is not None and not problem.is_incomplete:
            return problem.message
        return self.refused.get(name, "")

    def markup_of(self, asked: rules.Question) -> str:
        """Return the question's markup. Nothing of a form that is only looked at gets into the cache."""
        question = self.question(asked)
        if not self.is_kept:
            return render(question)
        place = QuestionPlace(asked.section.key, rules.group_of(self.holder), asked.spec.key)
        return cached_markup(question, self.schema, place)

    @staticmethod
    def _is_optional(asked: rules.Question) -> bool:
        return not (asked.required or (asked.spec.required and not asked.activation.active))

    @property
    def questions(self) -> Iterator[Question]:
        """Every question, shown or not."""
        return (question for region in self.regions for question in region.questions)

    @property
    def problems(self) -> tuple[Question, ...]:
        """The shown questions whose answer cannot be read or was refused."""
        wrong = {*self.answers.problems, *self.overlong, *self.refused}
        asked = (one for one in self.asked if one.spec.name in wrong and one.activation.active) if wrong else ()
        return tuple(question for question in map(self.question, asked) if question.error)

    @property
    def problems_title(self) -> str:
        count = len(self.problems)
        if self.overlong:
            return ngettext("{count} answer is not saved yet", "{count} answers are not saved yet", len(self.overlong))
        if all(question.spec.name in self.answers.problems for question in self.problems):
            return ngettext("Correct {count} answer", "Correct {count} answers", count)
        return ngettext("{count} answer needs a change", "{count} answers need a change", count)

    @property
    def has_rules(self) -> bool:
        """Whether anything here shows or hides."""
        return any(id_ for _, _, id_, _ in self.runs)

    def has_new_problems(self, before: "QuestionForm") -> bool:
        """Whether a save has to be drawn again: something cannot be read, or the service has refused something new.

        What it had refused before doesn't hold up those who want to go on and mend it later.
        """
        unreadable = any(question.spec.name in self.answers.problems for question in self.problems)
        return unreadable or bool(self.overlong) or bool(self.refused.items() - before.refused.items())

    def opened_since(self, before: "QuestionForm", shown: Collection[str]) -> tuple[Question, ...]:
        """The required questions without an answer that a save has opened, and whoever saved has not seen.

        `shown` are the ids of the regions that the page showed when it was posted.
        """
        seen = before.shown_controls
        now = (q for region in self.regions if region.shown and region.id not in shown for q in region.questions)
        return tuple(q for q in now if q.name not in seen and q.mark == "open" and q.is_asked)

    @property
    def shown(self) -> frozenset[str]:
        """The ids of the regions that a rule shows now."""
        return frozenset(id_ for begin, _, id_, _ in self.runs if id_ and self.asked[begin].activation.active)

    @property
    def shown_controls(self) -> frozenset[str]:
        """The controls that stand open."""
        return frozenset(name for name, one in zip(self.controls, self.asked, strict=True) if one.activation.active)

    def regions_of(self, ids: Collection[str]) -> tuple[Region, ...]:
        """The regions of these ids."""
        return tuple(
            Region(id_, entry, self.asked[begin:end], self) for begin, end, id_, entry in self.runs if id_ in ids
        )

    def names_changed_since(self, before: "QuestionForm") -> frozenset[str]:
        """The names of the answers whose questions may look otherwise: what was typed, what it means, whether it is
        asked or needed, what is said of it. Both forms ask the same questions."""
        said: list[tuple[Mapping[str, object], Mapping[str, object]]] = [
            (before.raw, self.raw),
            (before.answers.problems, self.answers.problems),
            (before.impossible, self.impossible),
            (before.advice, self.advice),
            (before.overlong, self.overlong),
            (before.refused, self.refused),
            (before.notes, self.notes),
        ]
        found = {name for was, now in said for name in names_changed(was, now)}
        found |= (self.answers.values.keys() ^ before.answers.values.keys()) | (self.locked ^ before.locked)
        pairs = zip(self.asked, before.asked, strict=True)
        found |= {now.spec.name for now, was in pairs if now is not was and _standing(now) != _standing(was)}
        return frozenset(found)

    def places_of(self, names: Iterable[str]) -> list[int]:
        """Where answers of these names are asked for among the questions, in their order."""
        return sorted(at for name in names for at in self._outline.places.get(name, ()))

    @property
    def structure(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Which regions there are and what stands in them; while it stays, a page can be mended in place."""
        return tuple((entry, self.controls[begin:end]) for begin, end, _, entry in self.runs)

    def control_id_of(self, name: str) -> str:
        """The id of the control that asks for an answer, by the answer's name; empty where the page has none."""
        return control_id(self._control_of(name)) if name in self._outline.places else ""

    def _control_of(self, name: str) -> str:
        return self.controls[self._outline.places[name][-1]]


def _standing(asked: rules.Question) -> tuple[bool, bool]:
    return asked.activation.active, asked.required


def _no_outlines(_schema: FormSchema) -> dict[Hashable, _Outline]:
    return {}


def _no_tables(_schema: FormSchema) -> dict[Hashable, tuple[VisibilityTable, str]]:
    return {}
