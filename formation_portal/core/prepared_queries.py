"""Compile the SQL of a query once: compiling takes Django longer than the database takes to answer.

The few prepared queries are in `applications/queries.py` and `relay/queries.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row", bound=Model)

# The placeholder for the value in the compiled SQL: a text that suits both number columns and text columns.
_SAMPLE = "7318264001"


class PreparedQuery(Generic[Row]):
    """A query set of whole rows that is repeated with different values.

    The SQL query has to compare a column with the value itself, not with a pattern made of the value.
    """

    def __init__(self, make: "Callable[[Any], QuerySet[Row, Any]]") -> None:
        self._make = make
        self._alias = ""

    def rows(self, value: Any) -> list[Row]:
        """Return the query set's rows for this value. Raises ValueError if the SQL doesn't compare a column with it."""
        self._alias = self._alias or router.db_for_read(self._make(_SAMPLE).model)
        connection = connections[self._alias]
        # Compiled once per connection, and so per thread, since the columns' converters depend on the connection.
        prepared: dict[PreparedQuery[Row], _CompiledQuery[Row]] = vars(connection).setdefault("prepared_queries", {})
        if self not in prepared:
            prepared[self] = _compile(self._make(_SAMPLE), connection)
        return prepared[self].rows(value, connection)


@dataclass(frozen=True)
class _CompiledQuery(Generic[Row]):
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


def _compile(query_set: "QuerySet[Row, Any]", connection: BaseDatabaseWrapper) -> _CompiledQuery[Row]:
    compiler = query_set.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    if _SAMPLE not in map(str, parameters):
        raise ValueError(f"The value has to stand in the query as it is: {sql}")
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    names = tuple(field.attname for field in query_set.model._meta.concrete_fields)
    return _CompiledQuery(query_set.model, sql, tuple(parameters), compiler, converters, names)
