"""A change that fails at any of its writes leaves nothing behind, in either database.

The database itself refuses the write, by a trigger on the table.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction

_ALIASES = ("default", "service")

_REFUSE_ON_POSTGRESQL = """
    CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger AS
    $$ BEGIN RAISE EXCEPTION 'refused by a test'; END $$ LANGUAGE plpgsql;
    CREATE TRIGGER refuse_write BEFORE INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION refuse_write()
"""
_REFUSE_ON_SQLITE = "CREATE TRIGGER refuse_{event} BEFORE {event} ON {table} BEGIN SELECT RAISE(ABORT, 'refused'); END"
_EVENTS = ("INSERT", "UPDATE", "DELETE")

Table = tuple[str, str]  # the alias of its database, and its name


def assert_all_or_nothing(change: Callable[[], Any]) -> list[str]:
    """Run the change once for each table that it writes to, with that table refusing; assert that nothing is written.

    `change` reads what it needs anew each time. Return the names of the tables, so that a test can say which it means.
    """
    before = _rows()
    tables = _tables_written_by(change)
    assert tables, "The change writes nothing"
    for table in tables:
        with _refusing(table):
            try:
                change()
            except Exception:
                is_refused = True
            else:
                is_refused = False
        after = _rows()
        changed = [name for name in before if after[name] != before[name]]
        assert not changed, f"{table[1]} refused a write, and these were written all the same: {changed}"
        assert is_refused, f"{table[1]} refused a write, and nobody was told"
    return [name for _, name in tables]


def _tables_written_by(change: Callable[[], Any]) -> list[Table]:
    before = _rows()
    with transaction.atomic(), transaction.atomic(using="service"):
        change()
        after = _rows()
        for alias in _ALIASES:
            transaction.set_rollback(True, using=alias)
    return [table for table in before if after[table] != before[table]]


def _rows() -> dict[Table, list[tuple[Any, ...]]]:
    """Read every row of every table of both databases."""
    rows = {}
    for alias in _ALIASES:
        connection = connections[alias]
        for name in connection.introspection.table_names():
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")
                rows[alias, name] = sorted(cursor.fetchall(), key=repr)
    return rows


@contextmanager
def _refusing(table: Table) -> Iterator[None]:
    """Have the database refuse every write to a table."""
    alias, name = table
    connection = connections[alias]
    quoted = connection.ops.quote_name(name)
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if is_postgresql:
            cursor.execute(_REFUSE_ON_POSTGRESQL.format(table=quoted))
        else:
            for event in _EVENTS:
                cursor.execute(_REFUSE_ON_SQLITE.format(event=event, table=quoted))
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            if is_postgresql:
                cursor.execute(f"DROP TRIGGER refuse_write ON {quoted}")
            else:
                for event in _EVENTS:
                    cursor.execute(f"DROP TRIGGER refuse_{event}")
