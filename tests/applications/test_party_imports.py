"""A sheet is kept until its rows are taken over: in one transaction, each once, and only what is wanted and right."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.contacts import duplicates
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.grid import Grid, GridRow
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.models import Change
from formation_portal.applications.services.party_imports import RowAction
from formation_portal.core.background import run_hourly_tasks
from tests import factories
from tests.applications.conftest import Upload
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv
from tests.subscribing import subscribe

pytestmark = pytest.mark.django_db

BAD = (*NOOR[:6], "soon")
TWICE = (*ADA[:2], "x", *ADA[3:])


def labels(draft: Draft) -> list[tuple[str, tuple[str, ...]]]:
    return [(row.label, row.roles) for row in factories.again(draft).parties]


def every(draft: Draft, found: PartyImport, action: str = RowAction.ADD) -> dict[str, str]:
    return {row.token: action for row in services.import_rows(draft, found)}


def test_the_good_rows_are_taken_once_and_the_others_are_kept(draft: Draft, upload: Upload, owner: Any) -> None:
    found = upload(as_csv(HEADS, ADA, BAD))
    taken = services.apply_import(draft, found, every(draft, found), by=owner)
    assert (taken.added, taken.is_all) == (1, False)
    assert labels(draft) == [("Ada Lovelace", ("director",))]
    assert [row.is_taken for row in services.import_rows(factories.again(draft), found)] == [True, False]
    # The mended sheet adds only who is missing.
    mended = upload(as_csv(HEADS, ADA, NOOR))
    assert list(PartyImport.objects.all()) == [mended]
    services.apply_import(draft, mended, every(draft, mended), by=owner)
    assert [label for label, _ in labels(draft)] == ["Ada Lovelace", "Noor Haddad"]


def test_what_was_removed_since_is_not_added_by_an_old_page(draft: Draft, upload: Upload, owner: Any) -> None:
    found = upload(as_csv(HEADS, ADA, BAD))
    wanted = every(draft, found)
    services.apply_import(draft, found, wanted, by=owner)
    services.remove_party(draft, draft.parties[0], by=owner)
    services.apply_import(draft, found, wanted, by=owner)
    assert labels(draft) == []


def test_a_sheet_of_which_nothing_is_left_is_deleted(draft: Draft, upload: Upload, owner: Any) -> None:
    found = upload(as_csv(HEADS, ADA, NOOR))
    wanted = every(draft, found)
    assert services.apply_import(draft, found, wanted, by=owner).is_all
    assert not PartyImport.objects.exists()
    with pytest.raises(services.Gone):
        services.apply_import(draft, PartyImport(pk=1, application=draft.application), wanted, by=owner)
    assert len(labels(draft)) == 2


def test_somebody_who_is_here_takes_more_and_keeps_what_they_have(draft: Draft, upload: Upload, owner: Any) -> None:
    known = {"person.first_name": "Ada", "person.last_name": "Lovelace", "person.email": "old@example.com"}
    there = services.add_party(draft, "person", ["director"], known, by=owner)
    line = (*TWICE[:5], "", TWICE[6])
    found = upload(as_csv(HEADS, line))
    taken = services.apply_import(draft, found, every(draft, found, RowAction.MERGE), by=owner)
    [row] = factories.again(draft).parties
    assert (taken.added, taken.merged, row.token) == (0, 1, there.token)
    assert row.roles == ("director", "shareholder")
    assert row.raw["person.email"] == "old@example.com"
    assert row.raw["person.date_of_birth"]["month"] == "December"
    assert row.version == 2


def test_somebody_who_has_everything_already_is_left_alone(draft: Draft, ada: Any, upload: Upload, owner: Any) -> None:
    found = upload(as_csv(HEADS, ADA))
    taken = services.apply_import(draft, found, every(draft, found, RowAction.MERGE), by=owner)
    [row] = factories.again(draft).parties
    assert (taken.added, taken.merged, row.version, row.raw) == (0, 0, 1, factories.ADA)
    assert [change.what for change in Change.objects.filter(holder="ada")] == ["Added Ada Lovelace"]


def test_who_is_somebody_else_is_added_and_nobody_is_asked_again(
    draft: Draft, ada: Any, upload: Upload, owner: Any
) -> None:
    found = upload(as_csv(HEADS, ADA))
    assert services.apply_import(draft, found, every(draft, found, RowAction.ADD), by=owner).added == 0
    assert services.apply_import(draft, found, every(draft, found, RowAction.ADD_ANYWAY), by=owner).added == 1
    assert len(labels(draft)) == 2
    assert duplicates(factories.again(draft)) == {}


def test_nothing_is_taken_where_something_goes_wrong(
    draft: Draft, upload: Upload, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = upload(as_csv(HEADS, ADA, NOOR))

    def stumble(draft: Draft, change: Any) -> None:
        raise RuntimeError

    subscribe(monkeypatch, "application_changed", stumble)
    with pytest.raises(RuntimeError):
        services.apply_import(draft, found, every(draft, found), by=owner)
    assert labels(draft) == []
    assert PartyImport.objects.filter(pk=found.pk).exists()


# Outside a transaction: the round vacuums the database too.
@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_a_sheet_is_kept_for_a_week(draft: Draft, upload: Upload, owner: Any) -> None:
    found = upload(as_csv(HEADS, ADA))
    assert timedelta(days=6.9) < found.expires_at - timezone.now() <= timedelta(days=7)
    run_hourly_tasks()
    assert PartyImport.objects.kept().exists()
    PartyImport.objects.update(expires_at=timezone.now())
    assert not PartyImport.objects.kept().exists()
    with pytest.raises(services.Gone):
        services.apply_import(draft, found, every(draft, found), by=owner)
    run_hourly_tasks()
    assert not PartyImport.objects.exists()


@pytest.mark.parametrize("action", ["submit", "delete_draft"])
def test_a_sheet_goes_with_its_draft(complete: Draft, owner: Any, action: str) -> None:
    services.keep_import(complete, Grid(HEADS, (GridRow(2, ADA),)), name="x", by=owner)
    if action == "submit":
        services.submit(complete, by=owner)
    else:
        services.delete_draft(complete.application, by=owner)
    assert not PartyImport.objects.exists()
