"""Queries that every page asks, their SQL written once: that takes Django longer than a database takes to answer."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connections, router
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


class PreparedQuery(Generic[Row]):
    """A query with values that change, made of a query set.

    `make` gives the query set, with any values of the right types where the changing ones go; `rows` takes those in the
    order in which they stand in its SQL.
    """

    def __init__(self, make: Callable[[], "QuerySet[Row]"]) -> None:
        self._make = make
        self._written: tuple[type[Row], str] | None = None

    def rows(self, *values: Any) -> list[Row]:
        """The rows, as the query set would give them; foreign keys are not followed."""
        if self._written is None:
            query_set = self._make()
            connection = connections[router.db_for_read(query_set.model)]
            sql, _ = query_set.query.get_compiler(connection=connection).as_sql()
            self._written = query_set.model, sql
        model, sql = self._written
        return list(model._default_manager.raw(sql, values))
