"""A form: the questions that a page asks about one holder, as regions that show and hide.

A region is a run of neighbouring questions under the same rule. It always stands in the page, hidden or not, so that
what was typed there is posted and restored; and a page says in its post which regions it shows.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.applications.services import Overlong
from formation_portal.contract import canonical, rules
from formation_portal.contract.fields.base import Choice, FieldSpec, control_name
from formation_portal.contract.fields.values import Problem as AnswerProblem
from formation_portal.contract.localisation import get_language, ngettext
from formation_portal.contract.record import Answers, Holder, Party, Record
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.validations import validated_fields
from formation_portal.contract.visibility import VisibilityTables

from .controls import Suggestions, attributes, control_id, markup, party_control
from .question import AnswerRow, AnswerWarnings, QueryNote, Question, address_lines
from .rendering import cached_markup, render, why_markup


@dataclass(frozen=True)
class QuestionForm:
    """The questions to one holder with the typed answers, and the messages about them."""

    schema: FormSchema
    asked: tuple[rules.Question, ...]
    # Answers as typed and as validated.
    raw: Mapping[str, Any]
    answers: Answers
    # The service's objections, by field name.
    refused: Mapping[str, str] = field(default_factory=dict)
    # Answers that can be read but cannot be true, by field name (INTERFACE.md, "Bounds" and "Validations").
    impossible: Mapping[str, AnswerProblem] = field(default_factory=dict)
    # Advice about answers that are worth a second look, by field name.
    advice: Mapping[str, str] = field(default_factory=dict)
    # Posted answers that are too long to be stored, by field name; they are shown as typed.
    overlong: Mapping[str, Overlong] = field(default_factory=dict)
    is_own: bool = False
    warnings: AnswerWarnings | None = None
    suggestions: Suggestions | None = None
    share_classes: tuple[Choice, ...] = ()
    shares_url: str = ""
    # The names of accepted answers, which are read-only; and our reviewer's questions about others.
    locked: frozenset[str] = frozenset()
    notes: Mapping[str, QueryNote] = field(default_factory=dict)
    # The holder of the answers, and the record; without a record no region has a visibility table.
    holder: Holder = None
    record: Record | None = None
    # False for a schema that is only previewed: none of its markup is cached.
    is_kept: bool = True

    def control(self, spec: FieldSpec) -> str:
        return party_control(spec) if isinstance(self.holder, Party) else control_name(spec)

    def entry_of(self, question: rules.Question) -> str:
        """Return the key of the heading over a question: the `group` that the schema gives it."""
        return question.spec.group

    def why(self, question: rules.Question) -> str:
        """Return why a question is asked; "" without a rule. The rule of a section is explained once, at its head."""
        if question.spec.depends_on is None:
            return ""
        return rules.why_asked(self.schema, question.section, question.spec, self.holder)

    @cached_property
    def regions(self) -> tuple["Region", ...]:
        regions: list[Region] = []
        begin = 0
        for _, group in groupby(self.asked, key=self._region_key):
            questions = tuple(group)
            first = questions[0]
            has_rule = first.spec.depends_on is not None or first.section.depends_on is not None
            id_ = f"region-{control_id(self.control(first.spec))}" if has_rule else ""
            regions.append(Region(id_, self.entry_of(first), questions, begin, self))
            begin += len(questions)
        return tuple(regions)

    @cached_property
    def controls(self) -> tuple[str, ...]:
        return tuple(self.control(question.spec) for question in self.asked)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        places: dict[str, list[int]] = {}
        for place, question in enumerate(self.asked):
            places.setdefault(question.spec.name, []).append(place)
        return places

    def _region_key(self, question: rules.Question) -> tuple[Hashable, ...]:
        """Return the grouping key of a question: neighbours with equal keys form one region."""
        return (self.entry_of(question), question.section.key, question.section.depends_on, question.spec.depends_on)

    @cached_property
    def tables(self) -> VisibilityTables | None:
        if self.record is None:
            return None
        return VisibilityTables(self.schema, self.record, self.holder, self.asked)

    def typed(self, spec: FieldSpec) -> Any:
        if spec.name in self.overlong:
            return self.overlong[spec.name].raw
        return self.raw.get(spec.name)

    def is_answerable(self, spec: FieldSpec) -> bool:
        return not spec.provided_by_agent and not self.schema.why_unanswerable(spec)

    def question(self, question: rules.Question) -> Question:
        spec = question.spec
        unanswerable = self.schema.why_unanswerable(spec) or ""
        problem = self.answers.problems.get(spec.name)
        impossible = self.impossible.get(spec.name)
        is_optional = not question.required and (not spec.required or question.activation.active)
        is_from_agent = spec.provided_by_agent and not unanswerable
        return Question(
            spec=spec,
            name=self.control(spec),
            typed=self.typed(spec),
            error=self._error(spec.name),
            error_code=problem.code if problem else "",
            objection=impossible.message if impossible else "",
            advice=self.advice.get(spec.name, ""),
            is_validated=self.holder is None and spec.name in self._validated,
            is_incomplete=problem is not None and problem.is_incomplete,
            optional=is_optional,
            is_answered=spec.name in self.answers.values,
            is_own=self.is_own,
            share_classes=self.share_classes,
            shares_url=self.shares_url,
            given=address_lines(self.schema.agent_address) if is_from_agent else (),
            unanswerable=unanswerable,
            warnings=self.warnings,
            is_locked=spec.name in self.locked,
            note=self.notes.get(spec.name),
            suggestions=self.suggestions,
        )

    @cached_property
    def _validated(self) -> frozenset[str]:
        """Return the names of answers at which a message about several answers may stand."""
        return self.schema.cached(validated_fields) | {canonical.ENTITY_NAME}

    def _error(self, name: str) -> str:
        """Return why an answer cannot be read or was refused, else "". Missing parts of an answer are no error."""
        if name in self.overlong:
            return self.overlong[name].message
        problem = self.answers.problems.get(name)
        if problem is not None and not problem.is_incomplete:
            return problem.message
        return self.refused.get(name, "")

    def markup_of(self, question: rules.Question) -> str:
        """Return the question's markup. The markup of a form that is only previewed is not cached."""
        drawn = self.question(question)
        if not self.is_kept:
            return render(drawn)
        place = (question.section.key, rules.group_of(self.holder), question.spec.key)
        return cached_markup(drawn, self.schema, place)

    @property
    def questions(self) -> Iterator[Question]:
        return (question for region in self.regions for question in region.questions)

    @cached_property
    def problems(self) -> tuple[Question, ...]:
        names = {*self.answers.problems, *self.overlong, *self.refused}
        problems: list[Question] = []
        for asked in self.asked:
            if asked.spec.name in names and asked.activation.active:
                question = self.question(asked)
                if question.error:
                    problems.append(question)
        return tuple(problems)

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
        return any(region.id for region in self.regions)

    def has_new_problems(self, before: "QuestionForm") -> bool:
        """Tell whether an answer is unreadable or too long, or has been refused by the service since `before`."""
        is_unreadable = any(question.spec.name in self.answers.problems for question in self.problems)
        return is_unreadable or bool(self.overlong) or bool(self.refused.items() - before.refused.items())

    def opened_since(self, before: "QuestionForm", shown_regions: Collection[str]) -> tuple[Question, ...]:
        """Return the unanswered required questions that a save made active and that the page did not show."""
        earlier = before.shown_controls
        opened: list[Question] = []
        for region in self.regions:
            if not region.shown or region.id in shown_regions:
                continue
            for question in region.questions:
                if question.name not in earlier and question.mark == "open" and self.is_answerable(question.spec):
                    opened.append(question)
        return tuple(opened)

    @property
    def shown(self) -> frozenset[str]:
        return frozenset(region.id for region in self.regions if region.id and region.shown)

    @property
    def shown_controls(self) -> frozenset[str]:
        pairs = zip(self.controls, self.asked, strict=True)
        return frozenset(control for control, question in pairs if question.activation.active)

    @property
    def structure(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the headings and controls of all regions; a page of the same structure can be updated in place."""
        return tuple((region.entry, region.controls) for region in self.regions)

    def control_id_of(self, name: str) -> str:
        """Return the id of the control that asks for an answer, by the answer's name; "" if there is none."""
        if name not in self._places:
            return ""
        return control_id(self.control_of(name))

    def control_of(self, name: str) -> str:
        return self.controls[self._places[name][-1]]


@dataclass(frozen=True)
class Region:
    """A run of a form's questions from index `begin` on, under the heading `entry`. `id` is "" without a rule."""

    id: str
    entry: str
    asked: tuple[rules.Question, ...]
    begin: int
    form: QuestionForm = field(repr=False, compare=False)

    @property
    def controls(self) -> tuple[str, ...]:
        return self.form.controls[self.begin : self.begin + len(self.asked)]

    @property
    def shown(self) -> bool:
        return self.asked[0].activation.active

    @property
    def why(self) -> str:
        return self.form.why(self.asked[0])

    @property
    def when(self) -> str:
        """Return the visibility table as urlencoded rows, separated by spaces; "" without a rule or a table."""
        if not self.id or self.form.tables is None:
            return ""
        rows: list[str] = []
        for row in self.form.tables.of(self.asked[0]) or ():
            pairs = {self.form.control_of(name): values for name, values in row.items()}
            # The script looks for names of controls as browsers encode them.
            rows.append(urlencode(pairs, doseq=True, safe="*").replace("~", "%7E"))
        return " ".join(rows)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        return tuple(map(self.form.question, self.asked))

    @property
    def markup(self) -> SafeString:
        return markup("".join(map(self.form.markup_of, self.asked)))

    @property
    def html(self) -> SafeString:
        """Return the region's markup, hidden or not. A hidden input in it tells in a post that the region is shown."""
        return self._html("")

    @property
    def swapped_html(self) -> SafeString:
        return self._html(' hx-swap-oob="true"')

    def _html(self, swap: str) -> SafeString:
        if not self.id:
            return self.markup
        why = self.why
        id_ = escape(self.id)
        hidden = disabled = ""
        if not self.shown:
            hidden = " hidden"
            disabled = " disabled"
        return markup(
            f'<div class="region reveal{" lit" if why else ""}" id="{id_}" data-questions="{len(self.asked)}"'
            f"{attributes(data_when=self.when)}{hidden}{swap}>"
            f'<input type="hidden" name="shown" value="{id_}"{disabled}>'
            f"{why_markup(why, get_language())}{self.markup}</div>"
        )


def answer_rows(regions: Iterable[Region]) -> tuple[AnswerRow, ...]:
    rows: list[AnswerRow] = []
    questions = [question for region in regions if region.shown for question in region.questions]
    for question in questions:
        note = question.objection or question.advice or question.doubt
        if question.given:
            note = gettext("Provided by your registered agent")
        if not question.unanswerable:
            value = "\n".join(question.given) or question.read_back
            rows.append(AnswerRow(question.label, value, question.is_name, note))
    return tuple(rows)
