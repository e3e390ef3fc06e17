"""A database that is written anew gives the space of deleted rows back."""

from typing import Any

import pytest
from django.db import connection

from formation_portal.core.overwriting import vacuum

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="not run: PostgreSQL has no list of free pages"),
]


def free_pages(cursor: Any) -> int:
    return int(cursor.execute("PRAGMA freelist_count").fetchone()[0])


def test_a_thorough_vacuum_alone_leaves_no_free_pages() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE deleted_soon (text)")
        cursor.execute("INSERT INTO deleted_soon VALUES (zeroblob(400000))")
        cursor.execute("DROP TABLE deleted_soon")
        assert free_pages(cursor) > 50
        vacuum()
        assert free_pages(cursor) > 50
        vacuum(is_thorough=True)
        assert free_pages(cursor) == 0
