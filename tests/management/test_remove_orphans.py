"""Files without a row are removed once nobody can be about to write the row."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.management.commands.remove_orphans import AGE_SECONDS
from formation_portal.reviews.models import ScreeningCheck
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.service import example_catalog
from tests.service.caller import Caller

pytestmark = pytest.mark.django_db(databases=["default", "service"])

LONG_AGO = time.time() - AGE_SECONDS - 60


@pytest.fixture(autouse=True)
def _folders(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "documents"
    settings.SERVICE_DOCUMENTS = tmp_path / "service-documents"
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "arriving"


def left_behind(folder: Path, beside: str, *, at: float) -> Path:
    path = folder / beside / "left"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    os.utime(path, (at, at))
    return path


def test_only_old_files_without_a_row_are_removed(owner: Any, settings: Any, capsys: Any) -> None:
    store_catalog(example_catalog.items())
    caller = Caller.with_scopes()
    entity = caller.entity()
    assert caller.upload(f"/entities/{entity}/documents", file=factories.upload(), document_key="Business plan")
    draft = factories.new_draft(owner)
    services.add_document(draft, None, "Business plan", factories.upload(), by=owner)
    # A file of a screening check is no document.
    row = ScreeningCheck(application=draft.application, version=1, at=timezone.now(), done_on=timezone.localdate())
    row.file.save(f"{draft.application.reference}/report", factories.upload())
    folders = [settings.MEDIA_ROOT, settings.SERVICE_DOCUMENTS, settings.FILE_UPLOAD_TEMP_DIR]
    kept = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert len(kept) == 3
    for path in kept:
        os.utime(path, (LONG_AGO, LONG_AGO))
    beside = (draft.application.reference, entity, "")
    old = [left_behind(folder, name, at=LONG_AGO) for folder, name in zip(folders, beside, strict=True)]
    new = left_behind(settings.MEDIA_ROOT, f"{draft.application.reference}/new", at=time.time())
    call_command("remove_orphans")
    assert "3 files removed" in capsys.readouterr().out
    assert not any(path.exists() for path in old)
    assert new.exists(), "its row may still come"
    assert all(path.exists() for path in kept)


def test_a_database_that_knows_nothing_costs_no_file(settings: Any) -> None:
    files = [left_behind(settings.MEDIA_ROOT, "FP-1", at=LONG_AGO)]
    files += [left_behind(settings.SERVICE_DOCUMENTS, "ent_1", at=LONG_AGO)]
    call_command("remove_orphans")
    assert all(path.exists() for path in files)
