"""The page of the sheet for many people: download, upload, and what is said where a file isn't taken."""

import errno
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.models import PartyImport
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv, as_xlsx, opened, saved
from tests.portal.pages import sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def url(draft: Draft, rest: str = "spreadsheet/") -> str:
    return f"/applications/{draft.application.reference}/people/{rest}"


def upload(client: Client, draft: Draft, content: bytes, name: str = "people.csv") -> Any:
    return client.post(url(draft), {"sheet": SimpleUploadedFile(name, content)})


def refusal(response: Any) -> str:
    page = sound(response, 422)
    assert page.one("title").text.startswith("Error: ")
    [link] = [one for one in page.all("a") if one.attributes.get("href") == "#sheet"]
    control = page.one("input", id="sheet")
    assert control.attributes["aria-invalid"] == "true"
    assert link.text in page.one("p", id="sheet-error").text
    return link.text


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_the_files_are_downloads_that_nobody_keeps_on_the_way(as_owner: Client, draft: Draft, ending: str) -> None:
    answer = as_owner.get(url(draft, f"spreadsheet.{ending}"))
    assert answer["Content-Disposition"] == f'attachment; filename="{draft.application.reference}.{ending}"'
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("no-store", "nosniff")


def test_a_downloaded_sheet_that_is_filled_in_is_understood(as_owner: Client, draft: Draft) -> None:
    book = opened(as_owner.get(url(draft, "spreadsheet.xlsx")).content)
    sheet = book.worksheets[0]
    row = {heading.rstrip(" *"): value for heading, value in zip(HEADS, ADA, strict=True)}
    sheet.append([row.get(cell.value.rstrip(" *"), "") for cell in sheet[1]])
    answer = upload(as_owner, draft, saved(book), "people.xlsx")
    assert answer.status_code == 302
    page = sound(as_owner.get(answer["Location"]))
    assert "Ada Lovelace" in page.one("main").text
    assert "1 of 1 row can be added" in page.one("main").text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (factories.PDF + b"\x00", "The file must be XLSX or CSV"),
        (as_csv((*HEADS, "Kind"), ADA), "Keep only one column called “Kind”"),
        (as_xlsx(HEADS), "Fill in at least one row"),
        (as_csv(HEADS, *([ADA] * 201)), "Upload at most 200 rows at a time. This spreadsheet has 201"),
        (b"PK\x03\x04nothing", "This file is damaged"),
    ],
)
def test_a_file_that_is_not_taken_is_said_at_its_control(
    as_owner: Client, draft: Draft, content: bytes, words: str
) -> None:
    assert refusal(upload(as_owner, draft, content)).startswith(words)
    assert not PartyImport.objects.exists()


def test_a_full_disk_is_not_taken_for_a_file_that_cannot_be_read(
    as_owner: Client, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("formation_portal.portal.parties.spreadsheet.read_sheet", refuse)
    as_owner.raise_request_exception = False
    assert upload(as_owner, draft, as_csv(HEADS, ADA)).status_code == 503


def test_a_sheet_that_waits_is_offered_again_and_another_takes_its_place(as_owner: Client, draft: Draft) -> None:
    first = upload(as_owner, draft, as_csv(HEADS, ADA), "first.csv")
    page = sound(as_owner.get(url(draft)))
    assert "“first.csv”" in page.one("main").text
    assert first["Location"] in [one.attributes.get("href") for one in page.all("a")]
    second = upload(as_owner, draft, as_csv(HEADS, NOOR))
    assert as_owner.get(first["Location"])["Location"] == url(draft)
    assert as_owner.get(second["Location"]).status_code == 200


def test_a_closed_application_takes_no_sheet(as_owner: Client, submitted: Draft) -> None:
    assert sound(as_owner.get(url(submitted))).all("input", type="file") == []
    assert upload(as_owner, submitted, as_csv(HEADS, ADA)).status_code == 409
    assert not PartyImport.objects.exists()


def test_the_pages_take_as_many_queries_for_fifty_rows_as_for_one(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)

    def cost(*rows: Any) -> list[int]:
        address = upload(as_owner, draft, as_csv(HEADS, *rows))["Location"]
        counts = []
        for path in (url(draft), address):
            with CaptureQueriesContext(connections["default"]) as seen:
                assert as_owner.get(path).status_code == 200
            counts.append(len(seen))
        return counts

    as_owner.get(url(draft))  # Notes in the session that the address is confirmed.
    few = cost(ADA)
    assert cost(*[(*NOOR[:3], f"No {number}", *NOOR[4:]) for number in range(50)]) == few
    assert max(few) <= 11
