"""Store an uploaded sheet of people, and add the rows that its customer has chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext_noop

from formation_portal.contract.fields.base import fields_by_name

from ..draft import Draft
from ..fields import changed_names, new_token
from ..imports.grid import Grid
from ..imports.models import PartyImport
from ..imports.rows import SheetRow, SheetRows
from ..models import Party
from ..parties import PartyRow
from .exceptions import Gone, TooManyParties
from .parties import known_roles, party_room
from .transactions import Journal, answer_changes, application_transaction


class RowAction(StrEnum):
    """What to do with a row of a sheet."""

    # Add a party, as long as nobody seems to be the same.
    ADD = "add"
    # Add a party, although somebody seems to be the same: they are different.
    ADD_ANYWAY = "apart"
    # Give the party that is there the row's roles, and the answers that it lacks.
    MERGE = "join"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The numbers of added and of changed parties, and whether no row is left."""

    added: int
    merged: int
    is_all: bool


def keep_import(draft: Draft, grid: Grid, *, name: str, by: AbstractBaseUser) -> PartyImport:
    """Store a sheet for a week, in place of an earlier one. The application does not change. Raises Closed."""
    with application_transaction(draft, by=by):
        draft.application.party_imports.all().delete()
        return PartyImport.objects.create(
            application=draft.application,
            uploaded_by_id=by.pk,
            name=name[:255],
            sheet={
                "headings": list(grid.headings),
                "remarks": [list(one) for one in grid.remarks],
                "rows": [
                    {
                        "number": row.number,
                        "token": new_token(),
                        "cells": list(row.cells),
                        "formulas": sorted(row.formulas),
                    }
                    for row in grid.rows
                ],
            },
        )


def delete_import(draft: Draft, found: PartyImport, *, by: AbstractBaseUser) -> None:
    """Delete a stored sheet. Raises Closed."""
    with application_transaction(draft, by=by):
        PartyImport.objects.filter(pk=found.pk).delete()


def import_rows(draft: Draft, found: PartyImport) -> tuple[SheetRow, ...]:
    """The rows of a stored sheet, validated against the draft as it is now."""
    return tuple(SheetRows(draft, tuple(found.sheet["headings"])).validated(found.sheet["rows"]))


def apply_import(draft: Draft, found: PartyImport, wanted: Mapping[str, str], *, by: AbstractBaseUser) -> ImportResult:
    """Add the wanted rows in one transaction; `wanted` has the RowAction by row token. Rows with problems are skipped.

    A row is never added twice. A sheet of which no row is left is deleted. Raises Gone and Closed, and TooManyParties
    where not all rows can be added: then none is.
    """
    with application_transaction(draft, by=by) as journal:
        if not PartyImport.objects.kept().filter(pk=found.pk).exists():
            raise Gone("The sheet was taken over or deleted")
        room = party_room(draft)
        additions = _Import(draft, journal)
        rows = import_rows(draft, found)
        for row in rows:
            if row.party and not row.problems and not row.is_taken:
                additions.take(row, wanted.get(row.token, ""))
        if additions.added and len(additions.added) > room:
            raise TooManyParties(draft.application.status, room=room)
        Party.objects.bulk_create(additions.added)
        is_all = all(row.is_taken or row.token in additions.done for row in rows)
        if is_all:
            PartyImport.objects.filter(pk=found.pk).delete()
        return ImportResult(len(additions.added), additions.merged, is_all)


class _Import:
    """The additions of one transaction."""

    def __init__(self, draft: Draft, journal: Journal) -> None:
        self._draft = draft
        self._journal = journal
        entered = (*draft.party_models, *draft.removed_party_models)
        self._position = max((one.position for one in entered), default=0)
        self.added: list[Party] = []
        self.merged = 0
        self.done: set[str] = set()

    def take(self, row: SheetRow, action: str) -> None:
        """Carry out the action, unless what the row matches has changed since it was chosen."""
        assert row.party is not None
        if row.match is None and action == RowAction.ADD:
            self._add(row.party, None)
        elif row.match is not None and action == RowAction.ADD_ANYWAY:
            self._add(row.party, row.match.party)
        elif row.match is not None and action == RowAction.MERGE:
            self._merge(row.party, row.match.party)
        else:
            return
        self.done.add(row.token)

    def _add(self, party: PartyRow, match: PartyRow | None) -> None:
        self._position += 1
        model = party.model
        model.application, model.position = self._draft.application, self._position
        # The customer has said that they are different.
        model.apart_from = [match.token] if match else []
        self.added.append(model)
        self._draft.party_models.append(model)
        self._note(gettext_noop("Added {name} from a spreadsheet"), party, {}, model.raw)

    def _merge(self, party: PartyRow, match: PartyRow) -> None:
        """Add what the matching party lacks; it keeps its own answers. It may come from a row above."""
        there = next((one for one in self._draft.party_models if one.token == match.token), None)
        if there is None:
            # The row above was not added.
            self._add(party, None)
            return
        before, roles = there.raw, known_roles(self._draft, (*there.roles, *party.roles))
        raw = {**party.raw, **before}
        if raw == before and roles == there.roles:
            return
        there.raw, there.roles = raw, roles
        if there.pk:
            there.version += 1
            there.save()
            self.merged += 1
        self._note(gettext_noop("Updated {name} from a spreadsheet"), self._draft.as_party(there), before, raw)

    def _note(self, message: str, party: PartyRow, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        fields = fields_by_name(self._draft.schema.fields_of(party.kind, party.roles))
        changes = answer_changes(fields, changed_names(before, after), before, after)
        self._journal.note(message, holder=party.token, changes=changes, name=party.label)
