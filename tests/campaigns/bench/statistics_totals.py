"""The history and the queries of a year's cases: what the statistics are counted from."""

from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.models import Query, QueryReason

_AT_MOST, _QUESTIONS, _DAYS = 5_000, 20, 364
_MOVES = (
    State.SUBMITTED_FOR_REVIEW,
    State.IN_REVIEW,
    State.RETURNED_FOR_CHANGES,
    State.SUBMITTED_FOR_REVIEW,
    State.IN_REVIEW,
    State.SUBMITTED_TO_CSP,
    State.INCORPORATED,
)


def fill(count: int) -> None:
    """Give so many applications, 5,000 at most, a history. Each has come to another state of the same course."""
    Change.objects.exclude(moved_to="").delete()
    Query.objects.all().delete()
    changes, queries = [], []
    newest = Application.objects.filter(deleted_at=None).exclude(submitted_at=None).order_by("-pk")
    for number, application in enumerate(newest[: min(count, _AT_MOST)]):
        at = timezone.now() - timedelta(days=number * 37 % _DAYS, hours=number % 24)
        for step, state in enumerate(_MOVES[: 1 + number % len(_MOVES)]):
            changes.append((Change(application=application, what=state.value, moved_to=state), at))
            if state is State.RETURNED_FOR_CHANGES:
                queries += [_query(application, number, number * (place + 3), at) for place in range(2)]
            at = min(at + timedelta(minutes=1 + number * (step + 7) % 20_000), timezone.now())
    Change.objects.bulk_create(change for change, _ in changes)
    with connection.cursor() as cursor:
        # `at` is the time of saving.
        times = [(at, change.pk) for change, at in changes]
        cursor.executemany(f"UPDATE {Change._meta.db_table} SET at = %s WHERE id = %s", times)
    Query.objects.bulk_create(queries)


def _query(application: Any, number: int, place: int, at: datetime) -> Query:
    name = f"q{place % _QUESTIONS}"
    reason = QueryReason.values[number % len(QueryReason.values)]
    asked = {"kind": "field", "holder": "section", "name": name, "label": f"Question {name}", "reason": reason}
    return Query(application=application, version=1, at=at, round=1, sent_at=at, settled_at=at, **asked)
