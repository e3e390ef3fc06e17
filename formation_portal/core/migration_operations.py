"""Operations of migrations that change many columns, or rows that may not be there.

Django draws the models of a migration anew for each AlterField, with all that are related to them, and on SQLite
remakes the table each time. With many columns that is most of a first start.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.db import models, router
from django.db.migrations import RunPython
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.migrations.utils import field_is_referenced


class ChangeFields(Operation):
    """Adds and alters columns of an app's models, as AddField and AlterField do one by one, in one remake a table on
    SQLite: `ChangeFields(party={"name": TextField()}, …)`. A field that its model has not yet is added.

    Not for what takes a remake of its own or of other tables: an added field is nullable, without a default and not
    unique; none is a relation, or one that a relation refers to. No column gets another name.
    """

    def __init__(self, **changes: "dict[str, models.Field[Any, Any]]") -> None:
        self.changes = changes

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # Without its rendered models the state renders none: all of them are rendered once, at the end.
        rendered = state.__dict__.pop("apps", None)
        keys = [(app_label, name) for name in self.changes]
        for key, fields in zip(keys, self.changes.values(), strict=True):
            for name, field in fields.items():
                is_new = name not in state.models[key].fields
                if field.is_relation or (
                    _takes_more(field) if is_new else field_is_referenced(state, key, (name, field))
                ):
                    raise ValueError(f"{app_label}.{key[1]}.{name}: use {'AddField' if is_new else 'AlterField'}.")
                change = state.add_field if is_new else state.alter_field
                change(*key, name, field, preserve_default=True)
        if rendered is not None:
            state.__dict__["apps"] = rendered
            state.reload_models(keys)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for name, fields in self.changes.items():
            old, new = (state.apps.get_model(app_label, name) for state in (from_state, to_state))
            if self.allow_migrate_model(schema_editor.connection.alias, new):
                _change_columns(schema_editor, old, new, fields)

    # What the state to be reached lacks is removed, and the others are altered.
    database_backwards = database_forwards

    def describe(self) -> str:
        return f"Change fields of {', '.join(self.changes)}"


def _takes_more(field: "models.Field[Any, Any]") -> bool:
    """Whether SQLite can't add its column without a remake."""
    return not field.null or field.unique or field.has_default() or field.has_db_default()


def _change_columns(schema_editor: Any, old: type[models.Model], new: type[models.Model], names: Iterable[str]) -> None:
    before, after = ({field.name: field for field in model._meta.local_fields} for model in (old, new))
    added = [after[name] for name in names if name not in before]
    removed = [before[name] for name in names if name not in after]
    pairs = [(before[name], after[name]) for name in names if name in before and name in after]
    for field in added:
        schema_editor.add_field(old, field)
    if schema_editor.connection.vendor == "sqlite":
        altered = [pair for pair in pairs if schema_editor._field_should_be_altered(*pair)]
        if altered or removed:
            # From the new model: it has what was added, as the table has by now, and nothing of what is removed.
            schema_editor._remake_table(new, alter_fields=altered)
        return
    for field in removed:
        schema_editor.remove_field(old, field)
    for pair in pairs:
        schema_editor.alter_field(old, *pair)


class RunPythonOnRows(RunPython):
    """RunPython for what changes rows of some models alone: where none of them has any, nothing is done, and the
    models of the migration need not be rendered for it. The tables of the rows may be altered afterwards."""

    def __init__(self, *names: str, code: Callable[..., None], reverse_code: Callable[..., None] | None = None) -> None:
        super().__init__(code, reverse_code)
        self.names = names

    def deconstruct(self) -> Any:
        name, _, options = super().deconstruct()
        return name, list(self.names), options

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if self._has_rows(app_label, schema_editor, from_state):
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            _check_deferred(schema_editor)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if self._has_rows(app_label, schema_editor, from_state):
            super().database_backwards(app_label, schema_editor, from_state, to_state)
            _check_deferred(schema_editor)

    def _has_rows(self, app_label: str, schema_editor: Any, state: ProjectState) -> bool:
        alias = schema_editor.connection.alias
        return router.allow_migrate(alias, app_label) and any(
            state.apps.get_model(app_label, name)._base_manager.using(alias).exists() for name in self.names
        )


def _check_deferred(schema_editor: Any) -> None:
    # PostgreSQL alters no table with foreign keys that are still to be checked, as they are in rows that are changed in
    # the same transaction as the table they stand in.
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.connection.check_constraints()
