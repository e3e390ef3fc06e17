"""Uploads are judged by their content and kept under our own names."""

import hashlib
import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.applications import documents, services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.fields import ScanState
from formation_portal.applications.models import Change, Document, Preview, document_subject
from formation_portal.applications.services import upload_checks
from formation_portal.documents import sandbox
from formation_portal.documents.findings import FindingCode, Findings
from formation_portal.documents.hidden_files import hides_another_file
from tests import factories
from tests.documents import sample_files
from tests.documents.corpus import pdfs


def files() -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [(factories.PDF, "application/pdf"), (factories.JPEG, "image/jpeg"), (factories.PNG, "image/png")],
)
def test_the_type_is_read_from_the_content(draft: Draft, owner: Any, ada: Any, content: bytes, mime_type: str) -> None:
    document = services.add_document(draft, ada, "Passport", factories.upload(content, "x.unknown"), by=owner)
    assert (document.mime_type, document.size) == (mime_type, len(content))
    assert document.sha256 == hashlib.sha256(content).hexdigest()
    with document.file.open() as file:
        assert file.read() == content
    # The same file again changes nothing.
    revision = draft.application.revision
    again = services.add_document(draft, ada, "Passport", factories.upload(content, "x.unknown"), by=owner)
    assert (again.pk, draft.application.revision, len(files())) == (document.pk, revision, 1)


@pytest.mark.parametrize("name", ["p.png", "passport", "../x.JFIF", "IMG_1.JPG", "Letter of J. Smith"])
def test_a_download_is_named_by_reference_slot_and_type(
    draft: Draft, owner: Any, ada: Any, as_owner: Client, name: str
) -> None:
    document = services.add_document(draft, ada, "Passport", factories.upload(factories.PDF, name), by=owner)
    answer = as_owner.get(f"/applications/{draft.application.reference}/documents/{document.pk}/")
    assert b"".join(answer) == factories.PDF  # type: ignore[arg-type]  # a stream of bytes
    assert answer["Content-Disposition"] == f'attachment; filename="{draft.application.reference}-passport.pdf"'


_BY_CONTENT, _BY_NAME = r"^(?:The file must be|Upload a) ", "name is that of another type"


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        *((content, "passport.pdf", _BY_CONTENT) for content in (b"", b"MZ\x90\x00", b"<html>%PDF-1.7", b"GIF89a")),
        *((factories.PDF, name, _BY_NAME) for name in ("p.html", "passport.pdf.exe", "passport.exe.pdf", "../x.svg")),
        *((factories.PDF, name, _BY_NAME) for name in ("x.SVG ", "a.php.jpg")),
    ],
)
def test_a_file_whose_content_or_name_is_that_of_another_type_is_refused(
    draft: Draft, owner: Any, ada: Any, content: bytes, name: str, words: str
) -> None:
    upload = factories.upload(content)
    upload._name = name
    with pytest.raises(services.UploadRefused, match=words):
        services.add_document(draft, ada, "Passport", upload, by=owner)
    assert not files()


def test_a_file_over_the_limit_is_refused(draft: Draft, owner: Any, ada: Any, settings: Any) -> None:
    settings.UPLOAD_LIMIT = 1_000_000
    services.add_document(draft, ada, "Passport", factories.upload(factories.PDF.ljust(1_000_000, b" ")), by=owner)
    with pytest.raises(services.UploadRefused, match="must be 1\u00a0MB or smaller"):
        services.add_document(draft, ada, "Letter", factories.upload(factories.PDF.ljust(1_000_001, b" ")), by=owner)


def test_a_file_that_nobody_could_look_at_is_refused_for_a_minute(
    draft: Draft, owner: Any, ada: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any, **__: Any) -> bytes:
        raise sandbox.SandboxBusy

    kept = services.add_document(draft, ada, "Letter", factories.upload(sample_files.jpeg(), "x.jpg"), by=owner)
    monkeypatch.setattr(sandbox, "run_task", busy)
    with pytest.raises(services.UploadRefused, match="Choose it again in a minute"):
        services.add_document(draft, ada, "Passport", factories.upload(), by=owner)
    with pytest.raises(services.UploadRefused, match="Choose it again in a minute"):
        services.reuse_document(draft, ada, "Passport", kept, by=owner)
    assert len(files()) == 1
    # Of a file that is there no picture is drawn, for now.
    with pytest.raises(OSError, match="Too many files"):
        documents.page_picture(kept, 1)


PDF_REFUSALS = {
    "protected": "This PDF is protected. Print it to a new PDF without a password and upload that",
    "hidden_file": "This PDF contains other files. Print it to a new PDF and upload that",
    "active": "This PDF contains scripts or actions. Print it to a new PDF and upload that",
    "xfa": "This PDF is a form that only some programs can open. Print it to a new PDF and upload that",
    "attachment": "This PDF contains other files. Print it to a new PDF and upload that",
    "too_many_pages": "This PDF has more than 2,000 pages. Upload only the pages that we ask for",
    "no_pages": "Upload a different file. This PDF has no pages",
    "too_heavy": "This PDF takes too long to open. Print it to a new PDF and upload that",
    "unreadable": "We can’t open this PDF. It may be damaged. Print it to a new PDF and upload that",
}
PICTURE_REFUSALS = {
    "hidden_file": "This picture contains another file. Save it again as JPEG or PNG, then upload it",
    "animated": "This picture is animated. Save one image of it as JPEG or PNG, then upload that",
    "too_large": "This picture has 12,345 × 6,789 pixels, too many to open. Upload a smaller one",
    "too_heavy": "This picture takes too long to open. Upload a smaller one",
    "unreadable": (
        "We can’t open this picture. It may be damaged or incomplete. Save it again as JPEG or PNG, then upload it"
    ),
}
REFUSALS = [
    *(("application/pdf", *item) for item in PDF_REFUSALS.items()),
    *(("image/jpeg", *item) for item in PICTURE_REFUSALS.items()),
]


@pytest.mark.parametrize(("mime_type", "code", "words"), REFUSALS)
def test_each_refusal_says_what_is_wrong_and_what_to_do(
    mime_type: str, code: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = Findings(pages=3, width=12_345, height=6_789, codes=(FindingCode(code),))
    monkeypatch.setattr(upload_checks, "inspect_file", lambda *_: (findings, b""))
    with pytest.raises(services.UploadRefused) as refused:
        upload_checks.judge_file(io.BytesIO(b"x"), "a.pdf", mime_type)
    assert str(refused.value) == words


@pytest.mark.parametrize("before", [b"\r\n\xef\xbb\xbf", b"Content-Type: application/pdf\r\n\r\n", b""])
def test_a_pdf_may_stand_behind_the_lines_of_an_email(before: bytes, draft: Draft, owner: Any, ada: Any) -> None:
    kept = services.add_document(draft, ada, "Passport", factories.upload(before + sample_files.pdf()), by=owner)
    assert kept.mime_type == "application/pdf"


def test_a_program_before_a_pdf_is_refused(draft: Draft, owner: Any, ada: Any) -> None:
    with pytest.raises(services.UploadRefused, match="The file must be a PDF"):
        services.add_document(draft, ada, "Passport", factories.upload(b"MZ\0" + sample_files.pdf()), by=owner)


def test_a_pdf_that_opens_without_a_password_is_taken(draft: Draft, owner: Any, ada: Any) -> None:
    kept = services.add_document(draft, ada, "Passport", factories.upload(pdfs.encrypted(user="")), by=owner)
    assert kept.findings["codes"] == []
    assert documents.page_picture(kept, 1).startswith(b"\xff\xd8")


def test_an_earlier_file_that_would_be_refused_today_is_not_used_again(draft: Draft, owner: Any, ada: Any) -> None:
    old = services.add_document(draft, ada, "Letter", factories.upload(), by=owner)
    Path(old.file.path).write_bytes(sample_files.encrypted())
    with pytest.raises(services.UploadRefused, match="This PDF is protected"):
        services.reuse_document(draft, ada, "Passport", old, by=owner)
    assert len(files()) == 1


def test_all_files_of_an_account_have_a_limit_together(draft: Draft, owner: Any, ada: Any, settings: Any) -> None:
    settings.ACCOUNT_STORAGE_MB = 2
    large = factories.PDF.ljust(1_200_000, b"\n")
    first = services.add_document(draft, ada, "Passport", factories.upload(large), by=owner)
    other = factories.new_draft(owner)
    with pytest.raises(services.UploadRefused, match=r"may have 2\u00a0MB. Remove some first"):
        services.add_document(other, None, "Business plan", factories.upload(large), by=owner)
    with pytest.raises(services.UploadRefused, match="Remove some first"):
        services.reuse_document(draft, ada, "Letter", first, by=owner)
    services.add_document(other, None, "Business plan", factories.upload(), by=owner)
    services.remove_document(draft, first, by=owner)
    services.add_document(other, None, "Business plan", factories.upload(large), by=owner)


def test_an_account_has_so_many_files(draft: Draft, owner: Any, ada: Any, settings: Any) -> None:
    settings.ACCOUNT_FILES = 2
    services.add_document(draft, ada, "Passport", factories.upload(), by=owner)
    services.add_document(draft, ada, "Letter", factories.upload(), by=owner)
    with pytest.raises(services.UploadRefused, match="There may be 2 files in all"):
        services.add_document(draft, None, "Business plan", factories.upload(), by=owner)


def test_so_many_files_are_uploaded_in_an_hour_also_where_they_were_removed(
    draft: Draft, owner: Any, ada: Any, settings: Any
) -> None:
    settings.UPLOADS_PER_HOUR = 2
    for slot in ("Passport", "Letter"):
        document = services.add_document(draft, ada, slot, factories.upload(), by=owner)
        services.remove_document(draft, document, by=owner)
    with pytest.raises(services.UploadRefused, match="again in an hour"):
        services.add_document(draft, None, "Business plan", factories.upload(), by=owner)
    Change.objects.update(at=timezone.now() - timedelta(minutes=61))
    services.add_document(draft, None, "Business plan", factories.upload(), by=owner)


def test_a_file_is_stored_under_a_name_of_ours(draft: Draft, owner: Any, ada: Any) -> None:
    document = services.add_document(
        draft, ada, "Passport", factories.upload(name="../../etc/pass\u202ewd.pdf"), by=owner
    )
    assert document.name == "passwd.pdf"
    (path,) = files()
    assert path.parent.name == draft.application.reference
    assert "passwd" not in path.name
    assert path.stat().st_mode & 0o077 == 0


def test_a_new_file_takes_the_place_of_the_old_one_and_only_the_last_few_of_those_are_kept(
    draft: Draft, owner: Any, ada: Any, django_capture_on_commit_callbacks: Any
) -> None:
    for number in range(9):
        with django_capture_on_commit_callbacks(execute=True):
            services.add_document(draft, ada, "Passport", factories.upload(name=f"{number}.pdf"), by=owner)
    again = open_draft(draft.application)
    for opened in (draft, again):
        assert [document.name for document in opened.documents] == ["8.pdf"]
        replaced = [document.name for document in opened.replaced_in(ada, "Passport")]
        assert replaced == ["7.pdf", "6.pdf", "5.pdf", "4.pdf", "3.pdf"]
    assert len(files()) == 6
    assert again.record.documents == {(ada.token, "Passport")}
    assert [document.name for document in Document.objects.in_use()] == ["8.pdf"]
    # An earlier one is removed without the one that counts.
    with django_capture_on_commit_callbacks(execute=True):
        services.remove_document(draft, draft.replaced_in(ada, "Passport")[0], by=owner)
    assert draft.replaced_in(ada, "Passport")[0].name == "6.pdf"
    assert [document.name for document in draft.documents] == ["8.pdf"]
    assert len(files()) == 5


def test_what_is_found_in_a_file_is_kept_with_it_and_copied(draft: Draft, owner: Any, ada: Any) -> None:
    scan = factories.upload(sample_files.jpeg(640, 480), "scan.pdf")
    document = services.add_document(draft, ada, "Passport", scan, by=owner)
    found = documents.findings_of(Document.objects.get(pk=document.pk))
    assert (found.width, found.height) == (640, 480)
    assert found.codes == (FindingCode.MISNAMED, FindingCode.FEW_PIXELS)
    assert bytes(Preview.objects.get().picture).startswith(b"\xff\xd8")
    Document.objects.update(scan=ScanState.WAITING)
    copy = services.create_copy(open_draft(draft.application), by=owner).documents.get()
    assert copy.is_checking
    assert copy.findings == document.findings != {}
    services.remove_document(draft, document, by=owner)
    assert not Preview.objects.filter(document=document).exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("pass\u202efdp.gpj.pdf", "passfdp.gpj.pdf"),
        ("a\x00b\x1b[31m\n.pdf", "ab[31m.pdf"),
        ("x" * 300 + ".pdf", "x" * 200 + ".pdf"),
        ("C:\\Users\\ada\\pass.pdf", "pass.pdf"),
        ("\u200f\u202e", "document"),
        ("паспорт №7.pdf", "паспорт №7.pdf"),
    ],
)
def test_a_name_is_kept_as_far_as_it_can_be_read(draft: Draft, owner: Any, ada: Any, name: str, kept: str) -> None:
    upload = factories.upload()
    upload._name = name
    assert services.add_document(draft, ada, "Passport", upload, by=owner).name == kept


def test_only_slots_of_the_form_are_filled(draft: Draft, owner: Any, ada: Any) -> None:
    services.add_document(draft, None, "Business plan", factories.upload(), by=owner)
    for party, slot in ((ada, "Business plan"), (None, "Passport"), (ada, "Register extract")):
        with pytest.raises(services.UploadRefused):
            services.add_document(draft, party, slot, factories.upload(), by=owner)
    assert len(files()) == 1
    kept = factories.again(draft)
    assert set(kept.documents_of(None)) == {"Business plan"}
    assert kept.record.documents == {(None, "Business plan")}


def test_a_removed_file_is_gone_once_its_removal_is_committed(
    draft: Draft, owner: Any, ada: Any, django_capture_on_commit_callbacks: Any
) -> None:
    document = services.add_document(draft, ada, "Passport", factories.upload(), by=owner)
    with transaction.atomic():
        services.remove_document(draft, document, by=owner)
        transaction.set_rollback(True)
    assert len(files()) == 1
    draft.reload()
    with django_capture_on_commit_callbacks(execute=True):
        services.remove_document(draft, document, by=owner)
    assert not files()
    with pytest.raises(services.Gone):
        services.remove_document(draft, document, by=owner)


@pytest.mark.parametrize("mime_type", ["image/jpeg", "image/png"])
@given(content=st.binary(max_size=300))
def test_where_a_broken_picture_ends_is_always_found(mime_type: str, content: bytes) -> None:
    assert hides_another_file(content, mime_type) in (True, False)


def test_long_slot_names_stay_apart_and_fit_their_column() -> None:
    subjects = {document_subject("t", "x" * 400), document_subject("t", "x" * 400 + "y")}
    assert sorted(map(len, subjects)) == [200, 200]
