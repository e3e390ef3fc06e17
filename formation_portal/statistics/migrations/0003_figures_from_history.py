"""Reads the statistics from history and queries: of the totals only what these no longer tell is kept, in one row."""

from collections import Counter, deque
from collections.abc import Iterator
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.state import StateApps

from formation_portal.statistics.dimensions import Span
from formation_portal.statistics.figures import Figure, case_figures, query_figures, to_json

# The tables of totals with their keys: a figure's table has them too.
TOTALS = {
    "transitions": ("TransitionTotal", ()),
    "durations": ("DurationTotal", ("bucket",)),
    "closings": ("ClosingTotal", ("form_id",)),
    "reasons": ("ReasonTotal", ("reason",)),
    "questions": ("QuestionTotal", ("question__digest", "question__form_id", "question__kind", "question__words")),
}


def keep_what_was_erased(apps: StateApps, _editor: Any) -> None:
    """Keep one row with the difference between the totals and what history and queries tell."""
    differences = _stored_totals(apps)
    for (day, table, key, column), number in _live_figures(apps).items():
        for span in Span:
            # The label of a question is no part of its identity.
            name = (table, key[:1], column, span)
            if name in differences:
                differences[name][span.start_of(day)] -= number
    labels = _question_keys(apps)
    figures = Counter[Figure]()
    for table, key, column, span in differences:
        if span is Span.WEEK:
            months = differences.get((table, key, column, Span.MONTH), Counter())
            whole_key = labels[key[0]] if table == "questions" else key
            for day, number in spread(differences[table, key, column, span], months):
                figures[Figure(day, table, whole_key, column)] += number
    if figures:
        last_day = max(figure.day for figure in figures)
        apps.get_model("figures", "ErasedFigures").objects.create(figures=to_json(figures), last_day=last_day)


def spread(weeks: Counter[date], months: Counter[date]) -> Iterator[tuple[date, int]]:
    """Spread a number of each week and of each month over days, so that both come out: the n-th in the order of days
    is in the n-th week and in the n-th month."""
    left, right = (deque(sorted((+numbers).items())) for numbers in (weeks, months))
    while left and right:
        (week, of_week), (month, of_month) = left.popleft(), right.popleft()
        number = min(of_week, of_month)
        yield max(week, month), number
        if of_week > number:
            left.appendleft((week, of_week - number))
        if of_month > number:
            right.appendleft((month, of_month - number))


def _stored_totals(apps: StateApps) -> dict[tuple[str, tuple[str, ...], str, Span], Counter[date]]:
    totals: dict[tuple[str, tuple[str, ...], str, Span], Counter[date]] = {}
    for table, (model_name, key_names) in TOTALS.items():
        model = apps.get_model("figures", model_name)
        columns = [field.name for field in model._meta.fields if isinstance(field, models.IntegerField)]
        columns = [name for name in columns if name not in ("id", "bucket")]
        for row in model.objects.values("span", "start", *key_names, *columns):
            key = tuple(str(row[name]) for name in key_names[:1])
            for column in columns:
                name = (table, key, column.replace("remarks", "queries"), Span(row["span"]))
                totals.setdefault(name, Counter())[row["start"]] += row[column]
    return totals


def _question_keys(apps: StateApps) -> dict[str, tuple[str, ...]]:
    questions = apps.get_model("figures", "Question").objects.values_list("digest", "form_id", "kind", "words")
    return {question[0]: question for question in questions}


def _live_figures(apps: StateApps) -> Counter[Figure]:
    figures = Counter[Figure]()
    changes = apps.get_model("applications", "Change").objects.exclude(moved_to="")
    submitted = changes.filter(application__deleted_at=None).exclude(application__submitted_at=None)
    moves = submitted.order_by("application", "pk").values_list(
        "application_id", "application__product_id", "moved_to", "at"
    )
    for (_, product_id), rows in groupby(moves.iterator(), key=itemgetter(0, 1)):
        figures.update(case_figures(product_id, (row[2:] for row in rows)))
    names = ("application_id", "application__product_id", "kind", "holder", "name", "label", "reason", "round", "sent_at")
    queries = apps.get_model("reviews", "Query").objects.exclude(sent_at=None).order_by("application", "round", "pk")
    # The label stays encrypted: it is no part of a question's identity.
    by_application = groupby(queries.values_list(*names, named=True), key=itemgetter(0, 1))
    for (_, product_id), sent in by_application:
        figures.update(query_figures(product_id, sent))
    return figures


class Migration(migrations.Migration):
    dependencies = [
        ("applications", "0018_payment_due"),
        ("figures", "0002_what_had_happened"),
        ("reviews", "0009_service_statuses"),
    ]

    operations = [
        migrations.CreateModel(
            name="ErasedFigures",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("figures", models.JSONField(default=list)),
                ("last_day", models.DateField(db_index=True)),
                (
                    "application",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="applications.application",
                    ),
                ),
            ],
        ),
        migrations.RunPython(keep_what_was_erased, migrations.RunPython.noop),
        *(
            migrations.DeleteModel(name)
            for name in (
                *("CaseClock", "CountingLock", "OpenDay", "TransitionTotal", "DurationTotal", "ClosingTotal"),
                *("ReasonTotal", "QuestionTotal", "Question", "Form"),
            )
        ),
    ]
