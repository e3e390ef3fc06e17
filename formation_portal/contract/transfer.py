"""Compares two forms: which answers to one fit the other, and what two versions of one ask differently. Pure.

Two questions are the same only where they have the same canonical name. What was typed is taken over only where the
other question reads it as the same value of the same type: an option must be offered there, a currency allowed. A
declaration is never taken over.
Between versions a question is known by its name within whoever answers it; documents count as questions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .canonical import PARTY_KINDS
from .fields.base import FieldSpec
from .localisation import gettext, gettext_noop, stored_words
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
    """One holder's answers: what is carried as typed, by the name that both forms know, and why the others stay behind.

    A fit is a question with the one that takes its answer, a misfit a question with the reason in a few words.
    """

    raw: Mapping[str, Any]
    fits: tuple[tuple[Question, FieldSpec], ...]
    misfits: tuple[tuple[Question, str], ...]


def compare(
    questions: Iterable[Question],
    *,
    answers: Answers,
    raw: Mapping[str, Any],
    there: FormSchema,
    into: Sequence[FieldSpec],
) -> Comparison:
    """Set one holder's answers beside the questions `into` that the other form asks of it."""
    known = {spec.canonical_field: spec for spec in reversed(into) if spec.canonical_field}
    # Those with an answer of the customer's own, once by name: where it is asked, if it is asked anywhere.
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
        new = known.get(question.spec.canonical_field or "")
        if reason := _objection(question, answers, raw, new=new, there=there):
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
    there: FormSchema,
) -> str:
    """Why the answer stays behind, to be said; empty where it fits."""
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
    if there.why_unanswerable(new) is not None or new.refers_to_share_class != question.spec.refers_to_share_class:
        return ASKED_DIFFERENTLY
    read = validate((new,), {new.name: raw[name]})
    if problem := read.problems.get(new.name):
        return _PROBLEMS.get(problem.code, ASKED_DIFFERENTLY)
    value, old = read.values.get(new.name), answers.values[name]
    return "" if type(value) is type(old) and value == old else ASKED_DIFFERENTLY


Asker = tuple[str, str]
# Who is asked, the question's name, and whether it is a document.
AskedQuestion = tuple[Asker, str, bool]


# Under which titles a question stands, its label, and the label that it had where that is another.
ChangedQuestion = tuple[tuple[str, ...], str, str]


@dataclass(frozen=True, slots=True)
class FormChanges:
    """All that differs in what is asked."""

    new: tuple[ChangedQuestion, ...]
    gone: tuple[ChangedQuestion, ...]
    renamed: tuple[ChangedQuestion, ...]


def form_changes(old: FormSchema, new: FormSchema) -> FormChanges:
    """Compare what two versions of a form ask, in the order of the form."""
    before, after = dict(_questions(old)), dict(_questions(new))
    return FormChanges(
        new=_by_question((title, _label(key, words), "") for key, (title, words) in after.items() if key not in before),
        gone=_by_question(
            (title, _label(key, words), "") for key, (title, words) in before.items() if key not in after
        ),
        renamed=_by_question(
            (title, _label(key, words), _label(key, before[key][1]))
            for key, (title, words) in after.items()
            # By the words that are kept: another language renames nothing.
            if key in before and stored_words(before[key][1]) != stored_words(words)
        ),
    )


def _label(question: AskedQuestion, words: str) -> str:
    _, _, is_document = question
    return gettext("Document “{name}”", name=words) if is_document else words


def _questions(schema: FormSchema) -> Iterator[tuple[AskedQuestion, tuple[str, str]]]:
    """Each question with its section's title and what it is called."""
    for section in schema.sections:
        if not section.is_drawn:
            continue
        for group, fields in section.groups.items():
            if group in PARTY_KINDS and not section.allows(group):
                continue
            asker = (section.role or "", group)
            for spec in fields:
                yield (asker, spec.name, False), (section.title, spec.label)
            for slot in section.slots(group) if group in (ENTITY, *PARTY_KINDS) else ():
                yield (asker, slot.name, True), (section.title, slot.words)


def _by_question(found: Iterator[tuple[str, str, str]]) -> tuple[ChangedQuestion, ...]:
    """The same change under several titles is one line."""
    titles: dict[tuple[str, str], dict[str, None]] = {}
    for title, label, was in found:
        titles.setdefault((label, was), {})[title] = None
    return tuple((tuple(some), label, was) for (label, was), some in titles.items())
