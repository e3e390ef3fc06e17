"""A form: the questions that a page asks about one holder, as regions that show and hide.

A region is a run of neighbouring questions under the same rule. It always stands in the page, hidden or not, so that
what was typed there is kept, posted and restored; and a page says in its post which regions it shows.

A long form has hundreds of questions, most of them blank, and templates take their time. So a question is rendered once
for each way it can look in a language, with a gap where typed text stands; the text itself is never kept, only what
was chosen from the schema's own lists.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.template import Context
from django.template.loader import get_template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.applications.draft import Overlong
from formation_portal.contract import rules
from formation_portal.contract.fields.base import Choice, FieldSpec, control_name
from formation_portal.contract.localisation import get_language, ngettext
from formation_portal.contract.record import Answers, Holder, Record
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.visibility import VisibilityTables

from ..formats import schema_language
from .controls import SUGGESTIONS_GAP, Suggestions, markup, no_suggestions
from .question import QueryNote, Question, address_lines


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer as ui/summary_row.html draws it."""

    term: str
    value: str
    is_name: bool = False
    note: str = ""
    # Where it can be changed: the row's own id, its mark, and the way to the control.
    id: str = ""
    state: str = ""
    change_url: str = ""
    change_what: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A run of questions. Without a rule it is always shown and needs no id."""

    id: str
    # The key of the heading that it stands under.
    entry: str
    shown: bool
    why: str
    questions: tuple[Question, ...]
    # When it shows, as the script looks it up; empty where only the server can tell.
    when: str = ""
    # Whether the mark-up of its questions may be kept for the next page that asks them.
    is_kept: bool = True

    @property
    def is_conditional(self) -> bool:
        return bool(self.id)

    @property
    def markup(self) -> SafeString:
        if not self.is_kept:
            return markup("".join(map(_render, self.questions)))
        spoken = f"{get_language()} {schema_language()}"
        return markup("".join(render_question(question, spoken) for question in self.questions))


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
        runs = groupby(self.asked, key=self._run)
        return tuple(self._region(tuple(run)) for _, run in runs)

    def _run(self, one: rules.Question) -> tuple[Hashable, ...]:
        """The same for neighbours that show and hide together."""
        return (self.entry_of(one), one.section.key, one.section.depends_on, one.spec.depends_on)

    def _region(self, run: tuple[rules.Question, ...]) -> Region:
        verdict, rule = run[0].activation, run[0].spec.depends_on
        questions = tuple(self._question(one) for one in run)
        has_rule = rule is not None or run[0].section.depends_on is not None
        return Region(
            id=f"region-{questions[0].id}" if has_rule else "",
            entry=self.entry_of(run[0]),
            shown=verdict.active,
            # The rule of a whole section is said once, at the head of the section.
            why=rules.why_asked(self.schema, run[0].section, run[0].spec, self.holder) if rule is not None else "",
            questions=questions,
            when=self._when(run[0]) if has_rule else "",
            is_kept=self.is_kept,
        )

    def _when(self, asked: rules.Question) -> str:
        """The table of a question: rows apart by spaces, each written like a posted form."""
        table = self._tables.of(asked) if self._tables else None
        rows: list[str] = []
        for row in table or ():
            pairs = [(self.control(self._specs[name]), value) for name, values in row.items() for value in values]
            # As a browser writes it, which looks for a control's name in it.
            rows.append(urlencode(pairs, safe="*").replace("~", "%7E"))
        return " ".join(rows)

    @cached_property
    def _tables(self) -> VisibilityTables | None:
        return VisibilityTables(self.schema, self.record, self.holder, self.asked) if self.record is not None else None

    @cached_property
    def _specs(self) -> Mapping[str, FieldSpec]:
        return {one.spec.name: one.spec for one in self.asked}

    def _question(self, asked: rules.Question) -> Question:
        spec = asked.spec
        unanswerable = self.schema.why_unanswerable(spec) or ""
        overlong, problem = self.overlong.get(spec.name), self.answers.problems.get(spec.name)
        given = address_lines(self.schema.agent_address) if spec.provided_by_agent and not unanswerable else ()
        return Question(
            spec=spec,
            name=self.control(spec),
            typed=overlong.raw if overlong else self.raw.get(spec.name),
            error=overlong.message if overlong else problem.message if problem else self.refused.get(spec.name, ""),
            error_code=problem.code if problem else "",
            optional=not (asked.required or (spec.required and not asked.activation.active)),
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

    @property
    def questions(self) -> Iterator[Question]:
        """Every question, shown or not."""
        return (question for region in self.regions for question in region.questions)

    @property
    def problems(self) -> tuple[Question, ...]:
        """The shown questions whose answer cannot be read or was refused."""
        return tuple(q for region in self.regions if region.shown for q in region.questions if q.error)

    @property
    def problems_title(self) -> str:
        count = len(self.problems)
        if self.overlong:
            return ngettext("{count} answer is not saved yet", "{count} answers are not saved yet", len(self.overlong))
        if all(question.spec.name in self.answers.problems for question in self.problems):
            return ngettext("We can’t read {count} answer", "We can’t read {count} answers", count)
        return ngettext("{count} answer needs a change", "{count} answers need a change", count)

    @property
    def has_rules(self) -> bool:
        """Whether anything here shows or hides."""
        return any(region.is_conditional for region in self.regions)

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
        return frozenset(region.id for region in self.regions if region.is_conditional and region.shown)

    @property
    def shown_controls(self) -> frozenset[str]:
        """The controls that stand open."""
        return frozenset(q.name for region in self.regions if region.shown for q in region.questions)

    @property
    def structure(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Which regions there are and what stands in them; while it stays, a page can be mended in place."""
        return tuple((region.entry, tuple(q.name for q in region.questions)) for region in self.regions)

    def control_id_of(self, name: str) -> str:
        """The id of the control that asks for an answer, by the answer's name; empty where the page has none."""
        return self._ids.get(name, "")

    @cached_property
    def _ids(self) -> dict[str, str]:
        return {question.spec.name: question.id for question in self.questions}


def answer_rows(regions: Iterable[Region]) -> tuple[AnswerRow, ...]:
    """The shown questions with their answers."""
    return tuple(
        AnswerRow(
            term=question.label,
            value="\n".join(question.given) or question.read_back,
            is_name=question.is_name,
            note=gettext("Provided by your registered agent") if question.given else question.doubt,
        )
        for region in regions
        if region.shown
        for question in region.questions
        if not question.unanswerable
    )


# Of about a kilobyte each; lists of countries have fifteen.
_KEPT_AT_MOST = 2_000

# The field is kept with its markup, so that its id names nothing else meanwhile.
_cache: dict[Hashable, tuple[FieldSpec, str]] = {}


def render_question(question: Question, spoken: str) -> str:
    """The question's markup; `spoken` names the languages of the page and of the schema."""
    # What looks like hardly anybody else's would only take the place of others if it were kept. What is likely is one
    # gap in a list that opens, and changes the order of a list of tick boxes.
    said = question.error or question.doubt or question.ahead or question.note
    if said or question.is_locked or question.spec.refers_to_share_class or question.is_ticked_from_many:
        return _render(question)
    # What is likely is another matter in each application.
    asked, question = question, replace(question, suggestions=None)
    typed = dict(_typed_text(question))
    look = question
    if typed:
        gaps = {part: _gap(part) for part in typed}
        look = replace(question, typed={**question.raw, **gaps} if question.spec.parts else gaps[""])
    key = (spoken, *_key(look))
    if key not in _cache:
        markup = _render(look)
        if any(markup.count(_gap(part)) != 1 for part in typed):
            return _render(asked)
        if len(_cache) >= _KEPT_AT_MOST:
            _cache.clear()
        _cache[key] = (question.spec, markup)
    markup = _cache[key][1]
    for part, text in typed.items():
        markup = markup.replace(_gap(part), escape(text))
    return markup.replace(SUGGESTIONS_GAP, asked.suggested) if SUGGESTIONS_GAP in markup else markup


def _render(question: Question) -> str:
    template = get_template(question.template)
    context = Context({"q": question, "shares_url": question.shares_url})
    return str(template.template.render(context))  # type: ignore[attr-defined]  # what a backend's template wraps


def _typed_text(question: Question) -> Iterator[tuple[str, str]]:
    """What was typed freely, by part; the whole of a single control is part ""."""
    raw: Any = question.raw
    if isinstance(raw, Mapping):
        yield from (
            (part, text)
            for part, text in raw.items()
            if text and part in question.spec.parts and part not in question.spec.chosen_parts
        )
    elif isinstance(raw, str) and raw and not question.choices:
        yield "", raw


def _gap(part: str) -> str:
    """Stands for typed text; of characters that Unicode leaves to private use, so that nothing else looks so."""
    return f"\ue000{part}\ue001"


def _key(look: Question) -> tuple[Hashable, ...]:
    raw = look.raw
    shown = tuple(sorted(raw.items())) if isinstance(raw, Mapping) else tuple(raw) if isinstance(raw, list) else raw
    return (
        id(look.spec),
        look.name,
        shown,
        look.why,
        look.optional,
        look.is_answered,
        look.is_own,
        look.given,
        look.unanswerable,
    )
