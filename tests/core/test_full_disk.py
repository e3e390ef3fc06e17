"""A full disk during an upload, a save and a pass of the relay: a clear message, no half row, no orphan file."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.models import Document as PortalDocument
from formation_portal.core.databases import SERVICE
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Document as ServiceDocument
from formation_portal.service.models import KeptAnswer
from tests import factories
from tests.full_disk import FullDisk, Limited, Mounted, databases_on_it, disk, needs_a_mount
from tests.markup import Markup
from tests.service import example_catalog
from tests.service.caller import Caller

__all__ = ["databases_on_it", "disk"]

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)

ROOT = Path(__file__).parents[2]
NOT_STORED = "We could not save the file just now. Choose it again in a few minutes"
LARGE = factories.PDF.ljust(600_000, b"\n")
# Beyond what is held in memory while it arrives.
HUGE = factories.PDF.ljust(3_500_000, b"\n")
# Space for the answers, and for the beginning of the file.
SOME = 300_000


@pytest.fixture
def draft(owner: Any) -> Draft:
    """With Ada, who has two slots for documents."""
    draft = factories.new_draft(owner)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="ada")
    return draft


@pytest.fixture
def caller(disk: FullDisk) -> Caller:
    store_catalog(example_catalog.items())
    return Caller.with_scopes()


def page_of_ada(draft: Draft) -> str:
    return f"/applications/{draft.application.reference}/people/ada/"


def uploads(disk: FullDisk) -> list[Path]:
    return [path for path in disk.folder.rglob("*") if path.is_file() and path.name != "ballast"]


@pytest.mark.parametrize("content", [LARGE, HUGE], ids=["in_memory", "in_a_temporary_file"])
def test_an_upload_that_finds_no_room_says_so_at_its_slot_and_loses_nothing_else(
    disk: FullDisk, browser: Client, draft: Draft, content: bytes
) -> None:
    passport = {"slot:ada/Passport": SimpleUploadedFile("passport.pdf", content)}
    others = {"version": "1", "q:person.last_name": "King", "slot:ada/Letter": factories.upload(name="letter.pdf")}

    def post() -> tuple[int, str]:
        response = browser.post(page_of_ada(draft), passport | others)
        return response.status_code, response.content.decode()

    status, html = disk.during(post, room=SOME)
    markup = Markup(html)
    assert status == 422
    assert NOT_STORED in markup.one("p", id="slot:ada/Passport-error").text
    assert markup.one("input", name="q:person.last_name").attributes["value"] == "King"
    kept = open_draft(Application.objects.get())
    assert kept.parties[0].raw["person.last_name"] == "King"
    assert [document.slot for document in kept.documents] == ["Letter"]
    assert len(uploads(disk)) == 1
    passport["slot:ada/Passport"].seek(0)
    assert browser.post(page_of_ada(draft), passport | {"version": "2"}).status_code == 302
    assert {document.slot for document in PortalDocument.objects.all()} == {"Letter", "Passport"}
    assert len(uploads(disk)) == 2
    # A file that is replaced stays where the new one finds no room.
    other = {"version": "3", "slot:ada/Passport": SimpleUploadedFile("new.pdf", content + b"\n")}
    assert disk.during(lambda: browser.post(page_of_ada(draft), other).status_code, room=SOME) == 422
    with PortalDocument.objects.get(slot="Passport").file.open() as file:
        assert file.read() == content
    assert len(uploads(disk)) == 2


def test_the_service_has_no_room_for_an_upload_and_takes_it_later_with_the_same_key(
    disk: FullDisk, caller: Caller
) -> None:
    entity = caller.entity()

    def post() -> tuple[int, str, str]:
        form = {"file": SimpleUploadedFile("plan.pdf", HUGE), "document_key": "Business plan"}
        response = caller.upload(f"/entities/{entity}/documents", **form, idempotency_key="k")
        return response.status_code, response.headers.get("Retry-After", ""), response.json().get("code", "")

    assert disk.during(post, room=SOME) == (503, "60", "unavailable")
    assert uploads(disk) == []
    assert not ServiceDocument.objects.exists()
    assert not KeptAnswer.objects.filter(status__isnull=False, idempotency_key="k").exists()
    assert post()[0] == 201
    assert len(uploads(disk)) == ServiceDocument.objects.count() == 1


sqlite_only = pytest.mark.skipif(connection.vendor != "sqlite", reason="a server has a disk of its own")


@sqlite_only
def test_a_save_that_finds_no_room_is_kept_on_the_page_and_not_half_written(
    disk: FullDisk, browser: Client, draft: Draft, databases_on_it: None
) -> None:
    path = f"/applications/{draft.application.reference}/sections/the-company/"
    typed = {"version": "0", "q:name": "Larkfield", "q:goods": "Tea and coffee. " * 600}

    def post() -> tuple[int, str]:
        response = browser.post(path, typed)
        return response.status_code, response.content.decode()

    status, html = disk.during(post, room=8_000)
    assert status == 503
    markup = Markup(html)
    assert markup.one("h1").text == "Not saved yet"
    assert {one.attributes["name"]: one.text.removeprefix("\n") for one in markup.all("textarea")} == typed
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    stored = Application.objects.get()
    assert stored.revision == draft.application.revision
    assert open_draft(stored).entity_raw == {}
    assert stored.changes.count() == 2
    assert browser.post(path, typed).status_code == 302
    assert open_draft(stored).entity_raw["entity.name"] == "Larkfield"


@sqlite_only
@pytest.mark.parametrize("disk", [pytest.param(Mounted, marks=needs_a_mount)], indirect=True)
def test_a_file_whose_row_finds_no_room_at_the_commit_is_removed_with_it(
    disk: FullDisk, databases_on_it: None, caller: Caller
) -> None:
    entity = caller.entity()
    with connections[SERVICE].cursor() as cursor:
        # Else the commit would find its room in what the log has taken before.
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def post() -> int:
        file = SimpleUploadedFile("plan.pdf", factories.PDF.ljust(40_000, b"\n"))
        return caller.upload(f"/entities/{entity}/documents", file=file, document_key="Business plan").status_code

    assert disk.during(post, room=56_000) == 503
    assert [path for path in uploads(disk) if "service-documents" in str(path)] == []
    assert not ServiceDocument.objects.exists()
    assert post() == 201


@sqlite_only
@pytest.mark.parametrize("disk", [Limited], indirect=True)
def test_a_commit_that_may_have_been_done_is_never_called_undone(disk: FullDisk, caller: Caller) -> None:
    """503 with Retry-After says that nothing was done. A file that may not grow breaks the commit in the middle."""

    def until_it_breaks() -> list[tuple[int, bool]]:
        body = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT}
        answers = [caller.post("/entities", body) for _ in range(60)]
        return [(answer.status_code, "Retry-After" in answer) for answer in answers]

    errors = disk.during(until_it_breaks, room=200_000)
    assert (201, False) in errors
    assert (500, False) in errors
    assert (503, True) not in errors


@needs_a_mount
def test_a_start_on_a_full_disk_is_refused_in_one_line(tmp_path: Path) -> None:
    disk = Mounted(tmp_path / "data")
    start = [sys.executable, "manage.py", "serve"]
    environment = os.environ | {"DATA_DIR": str(disk.folder)}
    try:
        act = partial(subprocess.run, start, env=environment, capture_output=True, text=True, check=False, cwd=ROOT)
        ended = disk.during(act, room=0)
    finally:
        disk.unmount()

    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (
        1,
        "The disk is full. Free some space, then try again.",
    )
    assert "Traceback" not in ended.stderr
