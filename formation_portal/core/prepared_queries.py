"""Queries whose SQL is written once: writing it takes Django longer than the database takes to answer.

A dozen of them at most, in `applications/queries.py` and `relay/queries.py`; every other query is a plain query set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row", bound=Model)

# Stands for the value while the SQL is written: as text, which fits columns of numbers and of texts.
_SAMPLE = "7318264001"


class PreparedQuery(Generic[Row]):
    """Ask one query set again and again, each time with another value.

    `make` takes the value and returns a query set of whole rows of one table. The value has to stand in it as it is: to
    be compared with, not within a pattern.
    """

    def __init__(self, make: "Callable[[Any], QuerySet[Row, Any]]") -> None:
        self._make = make
        self._alias = ""

    def rows(self, value: Any) -> list[Row]:
        """Return the rows that the query set would give for this value. Raises ValueError where that can't be told."""
        self._alias = self._alias or router.db_for_read(self._make(_SAMPLE).model)
        connection = connections[self._alias]
        # With the connection, and so once a thread: how its columns are read is a matter of that connection.
        prepared: dict[PreparedQuery[Row], _Written[Row]] = vars(connection).setdefault("prepared_queries", {})
        if self not in prepared:
            prepared[self] = _write(self._make(_SAMPLE), connection)
        return prepared[self].rows(value, connection)


@dataclass(frozen=True)
class _Written(Generic[Row]):
    """The SQL of a query set, with the sample among its parameters."""

    model: type[Row]
    sql: str
    parameters: tuple[Any, ...]
    compiler: SQLCompiler
    converters: dict[int, Any]
    names: tuple[str, ...]

    def rows(self, value: Any, connection: BaseDatabaseWrapper) -> list[Row]:
        parameters = [value if str(parameter) == _SAMPLE else parameter for parameter in self.parameters]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
            columns: Any = cursor.fetchall()
        if self.converters:
            columns = self.compiler.apply_converters(columns, self.converters)
        return [self.model.from_db(connection.alias, self.names, row) for row in columns]


def _write(query_set: "QuerySet[Row, Any]", connection: BaseDatabaseWrapper) -> _Written[Row]:
    compiler = query_set.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    if _SAMPLE not in map(str, parameters):
        raise ValueError(f"The value has to stand in the query as it is: {sql}")
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    names = tuple(field.attname for field in query_set.model._meta.concrete_fields)
    return _Written(query_set.model, sql, tuple(parameters), compiler, converters, names)
