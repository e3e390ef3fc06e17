"""Store an uploaded sheet of people, and add the rows that the customer has chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext_noop

from formation_portal.contract.fields.base import fields_by_name

from ..draft import Draft
from ..fields import new_token
from ..imports.grid import Grid
from ..imports.models import PartyImport
from ..imports.rows import SheetRow, SheetRows
from ..models import Party
from ..parties import PartyRow
from .exceptions import Gone, TooManyParties
from .parties import known_roles, party_room
from .transactions import Journal, answer_changes, application_transaction


class RowAction(StrEnum):
    # Add a party, unless a party of the application matches it.
    ADD = "add"
    # Add a party although another matches it: the customer says that they are different.
    ADD_ANYWAY = "apart"
    # Give the matching party the row's roles, and the answers that it lacks.
    MERGE = "join"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The numbers of added and of changed parties, and whether no row is left."""

    added: int
    merged: int
    is_all: bool


def keep_import(draft: Draft, grid: Grid, *, name: str, by: AbstractBaseUser) -> PartyImport:
    """Store a sheet for a week, in place of an earlier one. The application does not change. Raises Closed."""
    sheet = grid.as_json()
    for row in sheet["rows"]:
        row["token"] = new_token()
    with application_transaction(draft, by=by):
        imports = draft.application.party_imports
        imports.all().delete()
        return imports.create(uploaded_by_id=by.pk, name=name[:255], sheet=sheet)


def delete_import(draft: Draft, sheet: PartyImport, *, by: AbstractBaseUser) -> None:
    with application_transaction(draft, by=by):
        PartyImport.objects.filter(pk=sheet.pk).delete()


def import_rows(draft: Draft, sheet: PartyImport) -> tuple[SheetRow, ...]:
    return tuple(SheetRows(draft, tuple(sheet.sheet["headings"])).validated(sheet.sheet["rows"]))


def apply_import(draft: Draft, sheet: PartyImport, actions: Mapping[str, str], *, by: AbstractBaseUser) -> ImportResult:
    """Carry out each row's action once; `actions` maps row tokens to RowActions. Delete a sheet with no rows left.

    Raises Gone and Closed, and TooManyParties if not all rows can be added: then none is.
    """
    with application_transaction(draft, by=by) as journal:
        if not PartyImport.objects.kept().filter(pk=sheet.pk).exists():
            raise Gone("The sheet was taken over or deleted")
        room = party_room(draft)
        additions = _Import(draft, journal)
        rows = import_rows(draft, sheet)
        for row in rows:
            if row.party and not row.problems and not row.is_taken:
                additions.take(row, actions.get(row.token, ""))
        if additions.added and len(additions.added) > room:
            raise TooManyParties(room)
        Party.objects.bulk_create(additions.added)
        is_all = all(row.is_taken or row.token in additions.done for row in rows)
        if is_all:
            PartyImport.objects.filter(pk=sheet.pk).delete()
        return ImportResult(len(additions.added), additions.merged, is_all)


class _Import:
    def __init__(self, draft: Draft, journal: Journal) -> None:
        self._draft = draft
        self._journal = journal
        entered = (*draft.party_models, *draft.removed_party_models)
        self._position = max((model.position for model in entered), default=0)
        self.added: list[Party] = []
        self.merged = 0
        self.done: set[str] = set()

    def take(self, row: SheetRow, action: str) -> None:
        """Carry out the action, unless the row has gained or lost a match since the choice."""
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
        model.application = self._draft.application
        model.position = self._position
        # The customer has said that the two are different.
        model.apart_from = [match.token] if match else []
        self.added.append(model)
        self._draft.party_models.append(model)
        self._note(gettext_noop("Added {name} from a spreadsheet"), party, {}, model.raw)

    def _merge(self, party: PartyRow, match: PartyRow) -> None:
        """Give the matching party, perhaps from a row above, the roles and answers it lacks."""
        model = self._draft.party_model(match.token)
        if model is None:
            # The row above was not added.
            self._add(party, None)
            return
        before = model.raw
        old_roles = model.roles
        model.raw = {**party.raw, **before}
        model.roles = known_roles(self._draft, (*old_roles, *party.roles))
        if model.raw == before and model.roles == old_roles:
            return
        if model.pk:
            model.version += 1
            model.save()
            self.merged += 1
        self._note(gettext_noop("Updated {name} from a spreadsheet"), self._draft.as_party(model), before, model.raw)

    def _note(self, message: str, party: PartyRow, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        fields = fields_by_name(self._draft.schema.fields_of(party.kind, party.roles))
        changes = answer_changes(fields, before, after)
        self._journal.note(message, holder=party.token, changes=changes, name=party.label)
