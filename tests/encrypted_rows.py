"""Finds and changes rows by columns that the database can't read: they are encrypted, and opened here."""

from typing import Any

from django.db.models import Model, QuerySet


def rows_with(rows: "QuerySet[Any] | Any", **facts: Any) -> list[Any]:
    """The rows whose attributes have these values."""
    return [row for row in rows.all() if all(getattr(row, name) == value for name, value in facts.items())]


def values_of(rows: "QuerySet[Any] | Any", *names: str) -> list[Any]:
    """What `values_list` would give, flat where one column is named."""
    found = [tuple(getattr(row, name) for name in names) for row in rows.all()]
    return [one for (one,) in found] if len(names) == 1 else found


def update_each(rows: "QuerySet[Any] | Any", **changes: Any) -> int:
    """What `update` would do."""
    return len([save_with(row, **changes) for row in rows.all()])


def save_with(row: Model, **changes: Any) -> Model:
    for name, value in changes.items():
        setattr(row, name, value)
    row.save(update_fields=[*changes])
    return row
