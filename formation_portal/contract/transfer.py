"""Compare two forms: the answers to one that fit the other, and the questions that differ between two versions.

An answer fits a question of the same canonical name that reads it as the same value of the same type. Questions of two
versions are matched by name and by who answers them; documents count as questions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .canonical import PARTY_KINDS
from .fields.base import FieldSpec
from .localisation import gettext, gettext_noop
from .record import Answers, validate
from .rules import Question
from .schema import ENTITY, FormSchema

INACTIVE = gettext_noop("Not needed in this application")
UNREADABLE = gettext_noop("We can’t read this answer")
NOT_ASKED = gettext_noop("Question not asked")
FROM_AGENT = gettext_noop("Provided by the registered agent")
ASKED_DIFFERENTLY = gettext_noop("Question asked differently")
DECLARATION = gettext_noop("Make this declaration again")
_PROBLEMS = {
    "not_an_option": gettext_noop("Not one of the options"),
    "currency_not_allowed": gettext_noop("Not in this currency"),
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers of a holder, compared with what another form asks.

    `raw` has the fitting answers as typed. `fits` pairs each question with the other form's field, `misfits` with the
    reason against it.
    """

    raw: Mapping[str, Any]
    fits: tuple[tuple[Question, FieldSpec], ...]
    misfits: tuple[tuple[Question, str], ...]


def compare(
    questions: Iterable[Question],
    *,
    answers: Answers,
    raw: Mapping[str, Any],
    form: FormSchema,
    into: Sequence[FieldSpec],
) -> Comparison:
    """Compare a holder's answers with `into`, the other form's questions to the holder."""
    targets = {spec.canonical_field: spec for spec in reversed(into) if spec.canonical_field}
    # The questions that the customer answered, one for each name: an active question if any.
    answered: dict[str, Question] = {}
    for question in questions:
        name = question.spec.name
        if question.spec.provided_by_agent or not (name in answers.values or name in answers.problems):
            continue
        if name not in answered or (question.activation.active and not answered[name].activation.active):
            answered[name] = question
    fits: list[tuple[Question, FieldSpec]] = []
    misfits: list[tuple[Question, str]] = []
    for question in answered.values():
        new = targets.get(question.spec.canonical_field or "")
        if reason := _objection(question, answers, raw, new=new, form=form):
            misfits.append((question, gettext(reason)))
        elif new is not None:
            fits.append((question, new))
    return Comparison({new.name: raw[new.name] for _, new in fits}, tuple(fits), tuple(misfits))


def _objection(
    question: Question,
    answers: Answers,
    raw: Mapping[str, Any],
    *,
    new: FieldSpec | None,
    form: FormSchema,
) -> str:
    name = question.spec.name
    if not question.activation.active:
        return INACTIVE
    if name not in answers.values:
        return UNREADABLE
    if new is None:
        return NOT_ASKED
    if question.spec.is_declaration or new.is_declaration:
        return DECLARATION
    if new.provided_by_agent:
        return FROM_AGENT
    if form.why_unanswerable(new) is not None or new.refers_to_share_class != question.spec.refers_to_share_class:
        return ASKED_DIFFERENTLY
    new_answers = validate((new,), {new.name: raw[name]})
    if problem := new_answers.problems.get(new.name):
        return _PROBLEMS.get(problem.code, ASKED_DIFFERENTLY)
    old_value = answers.values[name]
    new_value = new_answers.values.get(new.name)
    is_same = type(new_value) is type(old_value) and new_value == old_value
    return "" if is_same else ASKED_DIFFERENTLY


Asker = tuple[str, str]
# The asker, the question's name, and True for a document.
AskedQuestion = tuple[Asker, str, bool]
# The titles under which a question stands, its label, and its earlier label if that has changed.
ChangedQuestion = tuple[tuple[str, ...], str, str]


@dataclass(frozen=True, slots=True)
class FormChanges:
    new: tuple[ChangedQuestion, ...]
    gone: tuple[ChangedQuestion, ...]
    renamed: tuple[ChangedQuestion, ...]


def form_changes(old: FormSchema, new: FormSchema) -> FormChanges:
    """Compare the questions of two versions of a form, in the order of the form."""
    before = _questions(old)
    after = _questions(new)
    added = []
    renamed = []
    for question, label in after.items():
        if question not in before:
            added.append((question, label, ""))
        elif before[question].stored != label.stored:
            # Stored labels are compared: a translation renames nothing.
            renamed.append((question, label, before[question].text))
    gone = [(question, label, "") for question, label in before.items() if question not in after]
    return FormChanges(_by_label(added), _by_label(gone), _by_label(renamed))


class _QuestionLabel(NamedTuple):
    """The title of the section that asks a question, and its label as it is shown and as it is stored."""

    title: str
    text: str
    stored: str


def _questions(schema: FormSchema) -> dict[AskedQuestion, _QuestionLabel]:
    labels: dict[AskedQuestion, _QuestionLabel] = {}
    for section in schema.sections:
        if not section.is_drawn:
            continue
        for group, fields in section.groups.items():
            if group in PARTY_KINDS and not section.allows(group):
                continue
            asker = (section.role or "", group)
            for spec in fields:
                labels[asker, spec.name, False] = _QuestionLabel(section.title, spec.label, spec.original.label)
            for slot in section.slots(group) if group in (ENTITY, *PARTY_KINDS) else ():
                labels[asker, slot.name, True] = _QuestionLabel(section.title, slot.words, slot.original.words)
    return labels


def _by_label(changes: Iterable[tuple[AskedQuestion, _QuestionLabel, str]]) -> tuple[ChangedQuestion, ...]:
    titles: dict[tuple[str, str], dict[str, None]] = {}
    for (_, _, is_document), label, earlier in changes:
        text = label.text
        if is_document:
            text = gettext("Document “{name}”", name=text)
            earlier = earlier and gettext("Document “{name}”", name=earlier)
        titles.setdefault((text, earlier), {})[label.title] = None
    return tuple((tuple(section_titles), text, earlier) for (text, earlier), section_titles in titles.items())
