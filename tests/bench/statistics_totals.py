"""Totals as so many cases leave them that were submitted within a year: of 32 products with 20 questions each."""

from collections import Counter
from datetime import datetime, timedelta
from types import SimpleNamespace

from django.apps import apps
from django.utils import timezone

from formation_portal.contract.lifecycle import State
from formation_portal.reviews.models import QueryReason
from formation_portal.statistics.counting import (
    CounterKey,
    TotalTable,
    create,
    query_increments,
    question_digest,
    transition_increments,
)
from formation_portal.statistics.models import CaseClock, Form, Question

_PRODUCTS, _QUESTIONS, _DAYS = 32, 20, 364
_MOVES = (
    State.IN_REVIEW,
    State.RETURNED_FOR_CHANGES,
    State.SUBMITTED_FOR_REVIEW,
    State.IN_REVIEW,
    State.SUBMITTED_TO_CSP,
    State.INCORPORATED,
)


def fill(count: int) -> None:
    """Replaces the totals. Each case has come to another state of the same course."""
    for table in TotalTable:
        apps.get_model("figures", table.value).objects.all().delete()
    numbers = _questions()
    more = Counter[CounterKey]()
    for number in range(count):
        more.update(_case(number, numbers))
    create(more, apps)


def _questions() -> dict[str, int]:
    """Their numbers by their digests."""
    forms = [Form(product_id=f"p{number}", name=f"Product {number}", place="Benchland") for number in range(_PRODUCTS)]
    Form.objects.bulk_create(forms, ignore_conflicts=True)
    asked = [(form, index) for form in forms for index in range(_QUESTIONS)]
    Question.objects.bulk_create(
        (
            Question(
                digest=question_digest(_query(index), form.product_id),
                form=form,
                kind="field",
                words=f"Question {index}",
            )
            for form, index in asked
        ),
        ignore_conflicts=True,
    )
    return dict(Question.objects.values_list("digest", "pk"))


def _case(number: int, questions: dict[str, int]) -> Counter[CounterKey]:
    at, form = timezone.now() - timedelta(days=number * 37 % _DAYS, hours=number % 24), f"p{number % _PRODUCTS}"
    clock = CaseClock()
    more = transition_increments(State.SUBMITTED_FOR_REVIEW, at, clock=clock, form=form)
    for step, state in enumerate(_MOVES[: number % (len(_MOVES) + 1)]):
        at += timedelta(minutes=1 + number * (step + 7) % 20_000)
        if at > timezone.now():
            break
        more.update(transition_increments(state, at, clock=clock, form=form))
        if state is State.RETURNED_FOR_CHANGES:
            queries = [_query(number * (one + 3) % _QUESTIONS, number, at) for one in range(2)]
            more.update(query_increments(queries, form=form, questions=questions))
    return more


def _query(index: int, number: int = 0, at: datetime | None = None) -> SimpleNamespace:
    reason = QueryReason.values[number % len(QueryReason.values)]
    return SimpleNamespace(kind="field", name=f"q{index}", holder="", label="", reason=reason, sent_at=at)
