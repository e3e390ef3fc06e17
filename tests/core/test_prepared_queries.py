"""A prepared query gives what its query set gives."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from formation_portal.core.prepared_queries import PreparedQuery

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Any]:
    names = ("Ada", "Ida", "Mira", "Ada")
    model = get_user_model()
    return [model.objects.create_user(f"{at}@example.com", first_name=name) for at, name in enumerate(names)]


def test_rows_are_those_of_the_query_set_each_time_for_other_values(people: list[Any]) -> None:
    model = get_user_model()
    query = PreparedQuery(lambda name: model.objects.filter(Q(is_active=True), first_name=name).order_by("-pk"))
    for name in ("Ada", "Ida", "Nobody", "Ada"):
        expected = list(model.objects.filter(first_name=name).order_by("-pk"))
        rows = query.rows(name)
        assert [vars(row) | {"_state": None} for row in rows] == [vars(row) | {"_state": None} for row in expected]
        assert all(not row._state.adding and row._state.db == "default" for row in rows)


def test_the_value_goes_where_it_stands_in_the_query_set_and_nowhere_within_a_pattern(people: list[Any]) -> None:
    model = get_user_model()
    query = PreparedQuery(lambda number: model.objects.filter(Q(first_name="Ada") | Q(pk__gt=2), pk=number))
    for person in people:
        is_there = person.first_name == "Ada" or person.pk > 2
        assert query.rows(person.pk) == ([person] if is_there else [])
    query = PreparedQuery(lambda name: model.objects.filter(first_name__startswith=name))
    with pytest.raises(ValueError, match="stand in the query as it is"):
        query.rows("A")


def test_a_prepared_query_takes_one_query_and_locks_where_its_query_set_does(people: list[Any]) -> None:
    query = PreparedQuery(lambda number: get_user_model().objects.select_for_update().filter(pk=number))
    with transaction.atomic(), CaptureQueriesContext(connection) as seen:
        assert query.rows(people[2].pk) == [people[2]]
    assert len(seen) == 1
    assert ("FOR UPDATE" in seen[0]["sql"]) == connection.features.has_select_for_update
