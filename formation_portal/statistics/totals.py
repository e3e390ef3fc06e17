"""The totals of a period, as the desk's page needs them. Each call is one query, and its answer a few rows."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django.db.models import Model, QuerySet, Sum

from .dimensions import BUCKET_BOUNDS, Period, Side
from .models import ClosingTotal, DurationTotal, OpenDay, Question, QuestionTotal, ReasonTotal, TransitionTotal

CountsBySide = dict[Side, int]


def opened_since(day: date) -> dict[date, CountsBySide]:
    """The cases that came to each side on each day from this one on."""
    rows = OpenDay.objects.filter(day__gte=day).values_list("day", *Side)
    return {day: dict(zip(Side, counts, strict=True)) for day, *counts in rows}


def opened_before(day: date) -> CountsBySide:
    """Those that came before that day."""
    sums = OpenDay.objects.filter(day__lt=day).aggregate(**{f"sum_{side}": Sum(side.value) for side in Side})
    return {side: sums[f"sum_{side}"] or 0 for side in Side}


def transitions(period: Period, today: date) -> dict[date, TransitionTotal]:
    """What was done in each week or month of the period in which anything was."""
    return {row.start: row for row in _within(TransitionTotal, period, today)}


def durations(period: Period, today: date) -> dict[Side, Counter[int]]:
    """How long the cases that were closed in the period stood with each side, by buckets."""
    sums = _within(DurationTotal, period, today).values_list("bucket").annotate(*(Sum(side.value) for side in Side))
    found: dict[Side, Counter[int]] = {side: Counter() for side in Side}
    for bucket, *counts in sums:
        for side, count in zip(Side, counts, strict=True):
            found[side][bucket] = count
    return found


def quantile(counts: Mapping[int, int], part: float) -> float:
    """The seconds that `part` of the durations don't exceed, as if they were spread evenly in each bucket: the median
    with a part of 0.5.

    There is at least one duration.
    """
    left = part * sum(counts.values())
    for bucket, count in sorted(counts.items()):
        if left <= count and count:
            low = BUCKET_BOUNDS[bucket - 1] if bucket else 0
            # The last bucket has no end.
            high = BUCKET_BOUNDS[bucket] if bucket < len(BUCKET_BOUNDS) else low
            return low + (high - low) * left / count
        left -= count
    raise ValueError("No duration was counted")


def form_times(period: Period, today: date) -> Iterator[tuple[str, str, int, CountsBySide]]:
    """Of each product its name and place, how many cases were closed, and the seconds that these stood with each side,
    together; those with most cases first. All of them have stood with us."""
    sums = {side: Sum(f"seconds_{side}") for side in Side}
    rows = _within(ClosingTotal, period, today).values_list("form__name", "form__place", "form")
    for name, place, _, cases, *seconds in rows.annotate(Sum("cases_with_us"), *sums.values()).order_by(
        "-cases_with_us__sum", "form__name", "form__place"
    ):
        yield name, place, cases, dict(zip(Side, seconds, strict=True))


def returns_by_reason(period: Period, today: date) -> list[tuple[str, int, int]]:
    """Of each reason's code how many returns and how many queries named it, the most frequent first."""
    return list(_most_frequent_first(_within(ReasonTotal, period, today).values_list("reason"), "reason"))


def returns_by_question(period: Period, today: date, *, at_most: int | None) -> list[tuple[Question, int, int]]:
    """The same of each question. Two queries: the words are read of those alone that are shown."""
    rows = list(
        _most_frequent_first(_within(QuestionTotal, period, today).values_list("question"), "question")[:at_most]
    )
    found = Question.objects.select_related("form").in_bulk([pk for pk, *_ in rows])
    return [(found[pk], returns, queries) for pk, returns, queries in rows]


def _within(model: type[Model], period: Period, today: date) -> QuerySet[Any]:
    starts = period.starts(today)
    return model._default_manager.filter(span=period.span, start__gte=starts[0], start__lte=starts[-1])


def _most_frequent_first(rows: Any, last: str) -> Any:
    sums = rows.annotate(Sum("returns"), Sum("remarks"))
    return sums.order_by("-returns__sum", "-remarks__sum", last)
