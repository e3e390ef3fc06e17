"""The closed cases by product: most cases first, each product under its newest name."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.models import Application
from formation_portal.statistics.dimensions import PERIODS
from formation_portal.statistics.totals import Totals
from tests import factories
from tests.statistics.random_histories import do

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def closed(owner: Any, product: str, name: str) -> Application:
    """A withdrawn case of a product, which had a name by then."""
    called = factories.ITEM["product"] | {"name": name}
    item = factories.product(jurisdiction_product_id=product, product=called)
    application = services.start(owner=owner, product=item)
    for transition in ("submit", "withdraw"):
        do(application, transition, by=owner)
    return application


def test_the_product_with_most_cases_comes_first_and_then_the_alphabet(owner: Any) -> None:
    for product, name in (("b", "Branch"), ("t", "Trust"), ("t", "Trust"), ("a", "Association")):
        closed(owner, product, name)
    found = Totals.get(PERIODS[0], timezone.localdate()).closings()
    assert [row[:2] for row in found] == [(2, "Trust"), (1, "Association"), (1, "Branch")]


def test_a_product_has_the_name_of_its_newest_application_whichever_was_changed_last(owner: Any) -> None:
    older = closed(owner, "t", "Trust")
    closed(owner, "t", "Purpose trust")
    for changed in (timezone.now() + timedelta(hours=1), timezone.now() - timedelta(hours=1)):
        Application.objects.filter(pk=older.pk).update(updated_at=changed)
        assert _fresh_names() == ["Purpose trust"]


def _fresh_names() -> list[str]:
    cache.clear()
    return [name for _, name, *_ in Totals.get(PERIODS[0], timezone.localdate()).closings()]
