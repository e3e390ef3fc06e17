"""Which answers to one form answer another as well. Pure; nothing is guessed.

Two questions are the same only where they have the same canonical name. What was typed is carried only where the other
question reads it as the same value of the same type: an option must be offered there, a currency allowed, and so on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from .answers import Answers, judge
from .field import FieldSpec
from .language import noted, say
from .problems import Problem
from .rules import Question
from .schema import FormSchema

SET_ASIDE = noted("Not needed in this application")
UNREADABLE = noted("We can’t read this answer")
NOT_ASKED = noted("Question not asked")
GIVEN_THERE = noted("Provided by the registered agent")
OTHERWISE = noted("Question asked differently")
_PROBLEMS = {
    "not_an_option": noted("Not one of the options"),
    "currency_not_allowed": noted("Not in this currency"),
}


@dataclass(frozen=True, slots=True)
class Fit:
    """An answer that the other form takes as it was typed."""

    question: Question
    spec: FieldSpec
    raw: Any


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer that stays behind, and why, in a few words."""

    question: Question
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One holder's answers, each a fit or a misfit."""

    fits: tuple[Fit, ...]
    misfits: tuple[Misfit, ...]

    @property
    def raw(self) -> dict[str, Any]:
        """What is carried, as typed, by the name that both forms know."""
        return {fit.spec.name: fit.raw for fit in self.fits}


def compare(
    questions: Iterable[Question],
    *,
    answers: Answers,
    raw: Mapping[str, Any],
    there: FormSchema,
    into: Sequence[FieldSpec],
    today: date,
) -> Comparison:
    """Set one holder's answers beside the questions `into` that the other form asks of it."""
    known = {spec.canonical_field: spec for spec in reversed(into) if spec.canonical_field}
    fits: list[Fit] = []
    misfits: list[Misfit] = []
    for question in _answered(questions, answers):
        new = known.get(question.spec.canonical_field or "")
        if reason := _objection(question, answers, raw, new=new, there=there, today=today):
            misfits.append(Misfit(question, say(reason)))
        elif new is not None:
            fits.append(Fit(question, new, raw[new.name]))
    return Comparison(tuple(fits), tuple(misfits))


def _answered(questions: Iterable[Question], answers: Answers) -> tuple[Question, ...]:
    """Those with an answer of the customer's own, once by name: where it is asked, if it is asked anywhere."""
    found: dict[str, Question] = {}
    for question in questions:
        name = question.spec.name
        if question.spec.provided_by_agent or not (name in answers.values or name in answers.problems):
            continue
        if name not in found or (question.verdict.active and not found[name].verdict.active):
            found[name] = question
    return tuple(found.values())


def _objection(
    question: Question,
    answers: Answers,
    raw: Mapping[str, Any],
    *,
    new: FieldSpec | None,
    there: FormSchema,
    today: date,
) -> str:
    """Why the answer stays behind, to be said; empty where it fits."""
    name = question.spec.name
    if not question.verdict.active:
        return SET_ASIDE
    if name not in answers.values:
        return UNREADABLE
    if new is None:
        return NOT_ASKED
    if new.provided_by_agent:
        return GIVEN_THERE
    if there.why_unanswerable(new) is not None or new.refers_to_share_class != question.spec.refers_to_share_class:
        return OTHERWISE
    read = judge((new,), {new.name: raw[name]}, today=today)
    if problem := read.problems.get(new.name):
        return _words(problem)
    value, old = read.values.get(new.name), answers.values[name]
    return "" if type(value) is type(old) and value == old else OTHERWISE


def _words(problem: Problem) -> str:
    return _PROBLEMS.get(problem.code, OTHERWISE)
