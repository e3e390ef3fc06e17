"""Columns that a migration changes together, and steps that only rows need."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from formation_portal.core.migration_operations import ChangeFields, RunPythonOnRows

pytestmark = pytest.mark.django_db(transaction=True)

APP = "parcels"
FIRST = migrations.CreateModel(
    "Parcel",
    fields=[
        ("id", models.BigAutoField(primary_key=True)),
        ("label", models.CharField(max_length=20, unique=True)),
        ("weight", models.IntegerField(null=True)),
        ("content", models.JSONField(default=dict)),
    ],
)
CHANGES: dict[str, Any] = {
    "row": models.UUIDField(null=True),
    "place": models.CharField(max_length=9, null=True, db_index=True),
    "label": models.TextField(),
    "weight": models.IntegerField(default=3),
    "content": models.TextField(),
}
ONE_BY_ONE = [
    migrations.AddField("parcel", "row", models.UUIDField(null=True)),
    migrations.AddField("parcel", "place", models.CharField(max_length=9, null=True, db_index=True)),
    *(migrations.AlterField("parcel", name, CHANGES[name]) for name in ("label", "weight", "content")),
]


@contextmanager
def noted() -> Iterator[list[str]]:
    statements: list[str] = []

    def note(execute: Any, sql: str, *more: Any) -> Any:
        statements.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        yield statements


class Table:
    """The table of one model, and the migration's state of it."""

    def __init__(self) -> None:
        self.states = [ProjectState()]

    @property
    def model(self) -> Any:
        return self.states[-1].apps.get_model(APP, "parcel")

    def forwards(self, *operations: Operation) -> list[str]:
        """What they do to state and table, as one migration runs them; the statements that it took."""
        with noted() as statements, connection.schema_editor() as editor:
            for operation in operations:
                state = self.states[-1].clone()
                assert state.apps
                operation.state_forwards(APP, state)
                operation.database_forwards(APP, editor, self.states[-1], state)
                self.states.append(state)
        return statements

    def back(self, *operations: Operation) -> list[str]:
        """Undo them, the last one first."""
        with noted() as statements, connection.schema_editor() as editor:
            for operation in reversed(operations):
                state = self.states.pop()
                operation.database_backwards(APP, editor, state, self.states[-1])
        return statements

    def columns(self) -> set[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            described = connection.introspection.get_table_description(cursor, "parcels_parcel")
            constraints = connection.introspection.get_constraints(cursor, "parcels_parcel").values()
        columns: set[tuple[Any, ...]] = {
            (one.name, one.type_code, one.null_ok, one.internal_size, one.default) for one in described
        }
        indexed = {(tuple(one["columns"]), one["unique"], one["index"], one["check"]) for one in constraints}
        return columns | indexed


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    table.forwards(FIRST)
    try:
        yield table
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE parcels_parcel")


def remakes(statements: list[str]) -> int:
    return sum(one.startswith('CREATE TABLE "new__') for one in statements)


def test_many_columns_cost_one_remake_and_become_what_they_would_one_by_one(table: Table) -> None:
    first, before = table.columns(), table.model.objects
    before.create(label="one", content={"a": 1})
    before.create(label="two", weight=7)
    statements = table.forwards(ChangeFields(parcel=CHANGES))
    assert remakes(statements) == (connection.vendor == "sqlite")
    rows = table.model.objects.order_by("pk")
    assert [(row.label, row.weight, row.content, row.row) for row in rows] == [
        ("one", 3, '{"a": 1}', None),
        ("two", 7, "{}", None),
    ]
    together = table.columns()
    statements = table.back(ChangeFields(parcel=CHANGES))
    assert remakes(statements) == (connection.vendor == "sqlite")
    assert table.columns() == first
    assert [(row.label, row.weight, row.content) for row in table.model.objects.order_by("pk")] == [
        ("one", 3, {"a": 1}),
        ("two", 7, {}),
    ]
    table.forwards(*ONE_BY_ONE)
    assert table.columns() == together


def test_the_state_is_what_it_would_be_one_by_one(table: Table) -> None:
    table.forwards(ChangeFields(parcel=CHANGES))
    together = table.states[-1]
    table.back(ChangeFields(parcel=CHANGES))
    table.forwards(*ONE_BY_ONE)
    assert together == table.states[-1]
    rendered = together.apps.get_model(APP, "parcel")._meta.get_fields()
    assert [one.name for one in rendered] == [one.name for one in table.model._meta.get_fields()]


@pytest.mark.parametrize(
    "field",
    [
        models.TextField(default=""),
        models.TextField(),
        models.UUIDField(null=True, default=uuid.uuid4),
        models.UUIDField(null=True, unique=True),
        models.TextField(null=True, db_default="none"),
        models.ForeignKey("parcel", models.CASCADE, null=True),
    ],
)
def test_a_column_that_takes_more_is_not_added(table: Table, field: Any) -> None:
    with pytest.raises(ValueError, match=r"parcels\.parcel\.more: use AddField"):
        table.forwards(ChangeFields(parcel={"more": field}))


def test_a_column_that_others_refer_to_is_not_altered(table: Table) -> None:
    table.forwards(migrations.AddField("parcel", "within", models.ForeignKey("parcel", models.CASCADE, null=True)))
    with pytest.raises(ValueError, match=r"parcels\.parcel\.id: use AlterField"):
        table.forwards(ChangeFields(parcel={"id": models.CharField(max_length=9, primary_key=True)}))


def test_a_step_that_rows_need_is_left_out_where_there_are_none(table: Table) -> None:
    done: list[str] = []

    def forwards(apps: Any, _: Any) -> None:
        done.append(f"there: {apps.get_model(APP, 'parcel').objects.count()}")

    def back(apps: Any, _: Any) -> None:
        done.append("back")

    step = RunPythonOnRows("parcel", code=forwards, reverse_code=back)
    table.forwards(step)
    table.back(step)
    assert done == []
    table.model.objects.create(label="one")
    table.forwards(step)
    table.back(step)
    assert done == ["there: 1", "back"]


def test_a_table_is_altered_before_and_after_its_rows_change(table: Table) -> None:
    table.forwards(migrations.AddField("parcel", "within", models.ForeignKey("parcel", models.CASCADE, null=True)))
    outer = table.model.objects.create(label="outer")
    table.model.objects.create(label="inner", within=outer)

    def name_rows(apps: Any, _: Any) -> None:
        for row in apps.get_model(APP, "parcel").objects.all():
            row.row, row.content = uuid.uuid4(), "changed"
            row.save()

    def empty_rows(apps: Any, _: Any) -> None:
        apps.get_model(APP, "parcel").objects.update(content="{}")

    operations = [
        ChangeFields(parcel={"row": models.UUIDField(null=True), "content": models.TextField()}),
        RunPythonOnRows("parcel", code=name_rows, reverse_code=empty_rows),
        ChangeFields(parcel={"row": models.UUIDField(default=uuid.uuid4, unique=True)}),
    ]
    table.forwards(*operations)
    assert {(row.content, row.row is None) for row in table.model.objects.all()} == {("changed", False)}
    table.back(*operations)
    assert [row.content for row in table.model.objects.all()] == [{}, {}]
