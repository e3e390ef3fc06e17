"""Queries that every page asks, their SQL written once: that takes Django longer than a database takes to answer."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import RelatedPopulator, get_related_populators
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row", bound=Model)

# The first of the numbers that stand for values while the SQL is written.
_SAMPLE = 7_318_264_001


class PreparedQuery(Generic[Row]):
    """A query set that is asked again and again with other values.

    `make` takes the values and gives the query set: for `rows` of whole rows of one table, with those that
    `select_related` names. Each value has to stand in it as it is: to be compared with, not within a pattern.
    `dates` are the places of values that are days.
    """

    def __init__(self, make: "Callable[..., QuerySet[Row, Any]]", *, dates: Collection[int] = ()) -> None:
        self._make = make
        self._dates = dates
        self._alias = ""

    def rows(self, *values: Any) -> list[Row]:
        """The rows that the query set would give for these values."""
        written, found = self._ask(values)
        return [written.row(self._alias, row) for row in found]

    def tuples(self, *values: Any) -> list[tuple[Any, ...]]:
        """The same of a query set that ends in `values_list`, and may count and sum."""
        return [tuple(row) for row in self._ask(values)[1]]

    def _ask(self, values: tuple[Any, ...]) -> "tuple[_Written[Row], Iterator[Any]]":
        samples = [_sample(place, is_day=place in self._dates) for place in range(len(values))]
        self._alias = self._alias or router.db_for_read(self._make(*samples).model)
        connection = connections[self._alias]
        # With the connection, and so once a thread: how its columns are read is a matter of that connection.
        prepared: dict[PreparedQuery[Row], _Written[Row]] = vars(connection).setdefault("prepared_queries", {})
        if self not in prepared:
            prepared[self] = _write(self._make, samples, connection)
        written = prepared[self]
        for place in self._dates:
            day = connection.ops.adapt_datefield_value(values[place])
            values = (*values[:place], day, *values[place + 1 :])
        with connection.cursor() as cursor:
            cursor.execute(written.sql, written.parameters(values))
            found = cursor.fetchall()
        return written, written.converted(found)


@dataclass(frozen=True)
class _Written(Generic[Row]):
    """The SQL of a query set, with the values that don't change and the places of those that do."""

    model: type[Row]
    sql: str
    constants: tuple[Any, ...]
    # By the place among the parameters, which of the values goes there.
    places: dict[int, int]
    compiler: SQLCompiler
    converters: dict[int, Any]
    names: tuple[str, ...]
    # They make the related rows, from the columns behind the row's own.
    populators: tuple[RelatedPopulator, ...]

    def row(self, alias: str, columns: Sequence[Any]) -> Row:
        """A row with its related rows."""
        made = self.model.from_db(alias, self.names, columns[: len(self.names)])
        for populator in self.populators:
            populator.populate(columns, made)
        return made

    def parameters(self, values: Sequence[Any]) -> list[Any]:
        """All of them, in the order of the SQL."""
        filled = list(self.constants)
        for at, place in self.places.items():
            filled[at] = values[place]
        return filled

    def converted(self, rows: list[Any]) -> Iterator[Any]:
        """The rows as the fields read them from this database."""
        return self.compiler.apply_converters(rows, self.converters) if self.converters and rows else iter(rows)


def _sample(place: int, *, is_day: bool) -> str:
    """Stands for a value while the SQL is written: as text, which fits columns of numbers, of texts and of days."""
    return f"{9000 + place}-01-01" if is_day else str(_SAMPLE + place)


def _write(
    make: "Callable[..., QuerySet[Row, Any]]", samples: list[str], connection: BaseDatabaseWrapper
) -> _Written[Row]:
    query_set = make(*samples)
    compiler = query_set.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    places = {at: samples.index(str(one)) for at, one in enumerate(parameters) if str(one) in samples}
    assert {*places.values()} == {*range(len(samples))}, sql
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    names = tuple(field.attname for field in query_set.model._meta.concrete_fields)
    # Of tuples there are no related rows. The types are those of a Django to come, which takes one argument more.
    rows = compiler.klass_info
    populators = tuple(get_related_populators(rows, compiler.select, connection.alias)) if rows else ()  # type: ignore[call-arg]
    return _Written(query_set.model, sql, tuple(parameters), places, compiler, converters, names, populators)
