"""States of the statistics: nothing to count, and something in every table and in every part of a chart."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.utils import timezone

from formation_portal.reviews.models import QueryReason
from tests.journeys.page_states.screenshots import Shot
from tests.statistics.random_histories import begin, do
from tests.statistics.stored_figures import add_figures

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
        add_figures("open", day=timezone.localdate() - timedelta(days=days), with_us=days, with_customer=3)
    _add_query_figures()
    # The totals of the empty page.
    cache.clear()
    yield Shot("statistics", "/desk/figures/", who="agent")
    yield Shot("statistics-of-a-year", "/desk/figures/?period=12-months", who="agent")


def _add_query_figures() -> None:
    for number, reason in enumerate(QueryReason.values, 1):
        add_figures("reasons", (reason,), returns=number, queries=2 * number)
    for number, label in enumerate(_WORDS, 1):
        add_figures("questions", (label, "product-0", "document", label), returns=number, queries=number)
