"""Keeping a sheet of people until somebody says what is to be taken over, and taking it over."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.contract.language import noted

from ..answers import differing
from ..drafts import Draft
from ..models import Party
from ..rows import PartyRow
from ..spreadsheet.grid import Grid
from ..spreadsheet.models import PartyImport
from ..spreadsheet.rows import Rows, SheetRow
from ..tokens import new_token
from .parties import known_roles
from .refusals import Gone
from .writing import Journal, changes_of, writing


class Deed(StrEnum):
    """What may be done with a row."""

    # As long as nobody seems to be the same.
    ADD = "add"
    # Although somebody seems to be the same: it was seen, and they are two.
    APART = "apart"
    # Who is there already takes the row's roles, and the answers that they lack.
    JOIN = "join"


@dataclass(frozen=True, slots=True)
class Taken:
    """How many were added, how many who were there have been given something, and whether nothing is left."""

    added: int
    joined: int
    is_all: bool


def keep_import(draft: Draft, grid: Grid, *, name: str, by: AbstractBaseUser) -> PartyImport:
    """Keep a sheet for a week, in place of an earlier one. Nothing of the application changes by it. Raises Closed."""
    with writing(draft, by=by):
        draft.application.party_imports.all().delete()
        return PartyImport.objects.create(
            application=draft.application, uploaded_by_id=by.pk, name=name[:255], sheet=_kept(grid)
        )


def forget_import(draft: Draft, found: PartyImport, *, by: AbstractBaseUser) -> None:
    """Delete a sheet that is not to be taken over. Raises Closed."""
    with writing(draft, by=by):
        PartyImport.objects.filter(pk=found.pk).delete()


def rows_of(draft: Draft, found: PartyImport) -> tuple[SheetRow, ...]:
    """The rows of a kept sheet as the draft stands now."""
    return tuple(Rows(draft, tuple(found.sheet["headings"])).judged(found.sheet["rows"]))


def take_import(draft: Draft, found: PartyImport, wanted: Mapping[str, str], *, by: AbstractBaseUser) -> Taken:
    """Add the wanted rows, by their tokens, in one transaction. Rows with problems are left, whatever is wanted.

    A row that was taken once is never taken again. A sheet of which nothing is left is deleted. Raises Gone, Closed.
    """
    with writing(draft, by=by) as journal:
        if not PartyImport.objects.kept().filter(pk=found.pk).exists():
            raise Gone("The sheet was taken over or deleted")
        taking = _Taking(draft, journal)
        rows = rows_of(draft, found)
        for row in rows:
            if row.party and not row.problems and not row.is_taken:
                taking.take(row, wanted.get(row.token, ""))
        Party.objects.bulk_create(taking.added)
        is_all = all(row.is_taken or row.token in taking.done for row in rows)
        if is_all:
            PartyImport.objects.filter(pk=found.pk).delete()
        return Taken(len(taking.added), taking.joined, is_all)


class _Taking:
    """One transaction's additions."""

    def __init__(self, draft: Draft, journal: Journal) -> None:
        self._draft = draft
        self._journal = journal
        entered = (*draft.party_models, *draft.removed_party_models)
        self._position = max((one.position for one in entered), default=0)
        self.added: list[Party] = []
        self.joined = 0
        self.done: set[str] = set()

    def take(self, row: SheetRow, deed: str) -> None:
        """Do with the row what is wanted, as far as it stands as it was seen."""
        assert row.party is not None
        if row.twin is None and deed == Deed.ADD:
            self._add(row.party, None)
        elif row.twin is not None and deed == Deed.APART:
            self._add(row.party, row.twin.party)
        elif row.twin is not None and deed == Deed.JOIN:
            self._join(row.party, row.twin.party)
        else:
            return
        self.done.add(row.token)

    def _add(self, party: PartyRow, twin: PartyRow | None) -> None:
        self._position += 1
        model = party.model
        model.application, model.position = self._draft.application, self._position
        # Somebody has seen both, and said that they are two.
        model.apart_from = [twin.token] if twin else []
        self.added.append(model)
        self._draft.party_models.append(model)
        self._note(noted("Added {name} from a spreadsheet"), party, {}, model.raw)

    def _join(self, party: PartyRow, twin: PartyRow) -> None:
        """The one who is there, or who was added from a row above, keeps every answer that it has."""
        there = next((one for one in self._draft.party_models if one.token == twin.token), None)
        if there is None:
            # The row above was left out.
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
            self.joined += 1
        self._note(noted("Updated {name} from a spreadsheet"), self._draft.as_party(there), before, raw)

    def _note(self, message: str, party: PartyRow, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        fields = self._draft.schema.fields_of(party.kind, party.roles)
        changes = changes_of(fields, differing(before, after), before, after)
        self._journal.note(message, holder=party.token, changes=changes, name=party.label)


def _kept(grid: Grid) -> dict[str, Any]:
    rows = (
        {"number": row.number, "token": new_token(), "cells": list(row.cells), "formulas": sorted(row.formulas)}
        for row in grid.rows
    )
    return {"headings": list(grid.headings), "remarks": [list(one) for one in grid.remarks], "rows": list(rows)}
