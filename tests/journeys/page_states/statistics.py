"""States of the statistics: nothing to count, and something in every table and in every part of a chart."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.utils import timezone

from formation_portal.reviews.models import QueryReason
from formation_portal.statistics.dimensions import Span
from formation_portal.statistics.models import Form, OpenDay, Question, QuestionTotal, ReasonTotal
from tests.journeys.page_states.screenshots import Shot
from tests.statistics.random_histories import begin, do

_REVIEWED = ("submit", "begin_review", "return", "submit", "begin_review", "approve", "record_incorporation")
_WORDS = ("Date of birth", "Describe in two or three sentences what the company will do, and in which countries")


def statistics_states() -> Iterator[Shot]:
    """Each for an agent."""
    yield Shot("statistics-of-nothing", "/desk/figures/?period=12-months", who="agent")
    owner = get_user_model().objects.get(email="demo@example.com")
    for done in range(len(_REVIEWED)):
        case = begin(owner, product=f"product-{done % 2}")
        for transition in _REVIEWED[: done + 1]:
            do(case, transition, by=owner)
    for days in (1, 4, 8, 15, 40):
        OpenDay.objects.create(day=timezone.localdate() - timedelta(days=days), with_us=days, with_customer=3)
    _query_totals()
    yield Shot("statistics", "/desk/figures/", who="agent")
    yield Shot("statistics-of-a-year", "/desk/figures/?period=12-months", who="agent")


def _query_totals() -> None:
    form = Form.objects.get(pk="product-0")
    for span in Span:
        start = span.start_of(timezone.localdate())
        for many, reason in enumerate(QueryReason.values, 1):
            ReasonTotal.objects.create(span=span, start=start, reason=reason, returns=many, remarks=2 * many)
        for many, words in enumerate(_WORDS, 1):
            question, _ = Question.objects.get_or_create(digest=words, form=form, kind="document", words=words)
            QuestionTotal.objects.create(span=span, start=start, question=question, returns=many, remarks=many)
