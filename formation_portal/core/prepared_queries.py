"""Queries that every page asks, their SQL written once: that takes Django longer than a database takes to answer."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connections, router
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)

# The first of the numbers that stand for values while the SQL is written.
_SAMPLE = 7_318_264_001


class PreparedQuery(Generic[Row]):
    """A query set that is asked again and again with other values.

    `make` takes the values and gives the query set; each has to stand in it as it is, once: for equality, not within a
    pattern.
    """

    def __init__(self, make: "Callable[..., QuerySet[Row]]") -> None:
        self._make = make
        self._written: tuple[type[Row], str, tuple[Any, ...]] | None = None

    def rows(self, *values: Any) -> list[Row]:
        """The rows that the query set would give for these values; no foreign keys are followed."""
        model, sql, parameters = self._written or self._write(len(values))
        filled = [values[one.place] if isinstance(one, _Place) else one for one in parameters]
        return list(model._default_manager.raw(sql, filled))

    def _write(self, count: int) -> tuple[type[Row], str, tuple[Any, ...]]:
        # As text, which fits columns of numbers and of texts.
        samples = [str(_SAMPLE + place) for place in range(count)]
        query_set = self._make(*samples)
        connection = connections[router.db_for_read(query_set.model)]
        sql, parameters = query_set.query.get_compiler(connection=connection).as_sql()
        marked = tuple(_Place(samples.index(str(one))) if str(one) in samples else one for one in parameters)
        assert sum(isinstance(one, _Place) for one in marked) == count, sql
        self._written = (query_set.model, sql, marked)
        return self._written


class _Place:
    """Stands for a value among the parameters of the SQL."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place
