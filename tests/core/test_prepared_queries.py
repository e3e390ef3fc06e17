"""A prepared query gives what its query set gives."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Count, Max, Q
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
        found = query.rows(name)
        assert found == expected
        assert [vars(one) | {"_state": None} for one in found] == [vars(one) | {"_state": None} for one in expected]
        assert all(not one._state.adding and one._state.db == "default" for one in found)


def test_values_go_where_they_stand_in_the_query_set(people: list[Any]) -> None:
    model = get_user_model()
    query = PreparedQuery(lambda name, number: model.objects.filter(pk=number, first_name=name))
    assert query.rows("Ida", people[1].pk) == [people[1]]
    assert query.rows("Ida", people[0].pk) == []


def test_related_rows_come_with_them_as_the_query_set_names_them(people: list[Any]) -> None:
    first, second = (EmailAddress.objects.create(user=one, email=one.email) for one in people[:2])
    query = PreparedQuery(lambda email: EmailAddress.objects.filter(email=email).select_related("user"))
    for expected, person in ((first, people[0]), (second, people[1])):
        with CaptureQueriesContext(connection) as seen:
            [found] = query.rows(expected.email)
            assert (found, found.user, found.user.first_name) == (expected, person, person.first_name)
        assert len(seen) == 1


def test_it_takes_one_query_and_locks_where_its_query_set_does(people: list[Any]) -> None:
    query = PreparedQuery(lambda number: get_user_model().objects.select_for_update().filter(pk=number))
    with transaction.atomic(), CaptureQueriesContext(connection) as seen:
        assert query.rows(people[2].pk) == [people[2]]
    assert len(seen) == 1
    assert ("FOR UPDATE" in seen[0]["sql"]) == connection.features.has_select_for_update


def test_a_value_that_stands_within_a_pattern_is_refused(people: list[Any]) -> None:
    query = PreparedQuery(lambda name: get_user_model().objects.filter(first_name__startswith=name))
    with pytest.raises(AssertionError):
        query.rows("A")


def test_tuples_are_those_of_a_query_set_that_counts(people: list[Any]) -> None:
    def by_name(but: str) -> Any:
        users = get_user_model().objects.exclude(first_name=but).order_by("first_name")
        return users.values_list("first_name").annotate(last=Max("date_joined"), count=Count("pk"))

    query = PreparedQuery(by_name)
    assert [(name, count) for name, _, count in query.tuples("Ida")] == [("Ada", 2), ("Mira", 1)]
    for but in ("Ada", "Mira", "Ada"):
        assert query.tuples(but) == list(by_name(but))
