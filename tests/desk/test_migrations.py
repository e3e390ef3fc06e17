"""What the desk's migrations do stays as it was, whatever becomes of the code."""

import ast
from pathlib import Path

import pytest

from formation_portal.desk import migrations

_MIGRATIONS = sorted(Path(str(migrations.__file__)).parent.glob("0*.py"))
# What columns are made of, how they were encrypted, and how many are changed at once.
_FIELDS = {
    "formation_portal.core.encrypted_fields",
    "formation_portal.core.encryption",
    "formation_portal.core.migration_operations",
}


@pytest.mark.parametrize("path", _MIGRATIONS, ids=lambda path: path.stem)
def test_no_migration_leans_on_code_that_changes(path: Path) -> None:
    found = list(ast.walk(ast.parse(path.read_text())))
    named = [one.module for one in found if isinstance(one, ast.ImportFrom)]
    named += [name.name for one in found if isinstance(one, ast.Import) for name in one.names]
    assert [one for one in named if one is None or (one.startswith("formation_portal") and one not in _FIELDS)] == []
