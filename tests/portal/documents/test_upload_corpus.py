"""The corpus through the portal itself: 120 files that mean harm are refused or made harmless, and 61 honest ones are
taken. `make uploads` measures what each costs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.core.pages.content_policy import ISOLATED_POLICY
from formation_portal.documents import sandbox
from formation_portal.documents.findings import JPEG, PDF, PNG
from tests.documents import corpus
from tests.documents.corpus.honest import HONEST
from tests.documents.corpus.hostile import HOSTILE
from tests.documents.scanners import small_scanner
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLOT = "Business plan"


@pytest.fixture
def scanner(settings: Any) -> Iterator[None]:
    with small_scanner() as one:
        settings.CLAMD_URL = one.url
        yield


@pytest.fixture(autouse=True)
def _every_system_call_is_on_the_list(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    for when in ("setup", "call"):
        assert not [one for one in caplog.get_records(when) if one.name == sandbox.__name__]


def stored() -> list[Path]:
    return [path for path in Path(django_settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def send(client: Client, draft: Draft, sample: corpus.Sample) -> Any:
    url = f"/applications/{draft.application.reference}/documents/"
    if sample.body is not None:
        content_type, body = sample.body
        return client.generic("POST", url, body.replace(b"{slot}", f"/{SLOT}".encode()), content_type)
    upload = SimpleUploadedFile("x", sample.content, content_type=sample.declared)
    # The class would take its folders away, which only a browser does.
    upload._name = sample.name
    return client.post(url, {"slot": f"/{SLOT}", "file": upload})


def assert_harmless(client: Client, draft: Draft) -> None:
    [document], [path] = Document.objects.all(), stored()
    reference = draft.application.reference
    assert document.mime_type in (PDF, JPEG, PNG)
    assert path.parent.name == reference
    assert path.name.isalnum()
    assert len(path.name) == 32
    url = f"/applications/{reference}/documents/{document.pk}/"
    answer = client.get(url)
    assert b"".join(answer)
    ending = {PDF: "pdf", JPEG: "jpg", PNG: "png"}[document.mime_type]
    assert answer["Content-Disposition"] == f'attachment; filename="{reference}-business-plan.{ending}"'
    assert answer["Content-Type"] == document.mime_type
    picture = client.get(f"{url}pages/1/picture/")
    assert picture["Content-Type"] == "image/jpeg"
    for content in (picture.content, bytes(document.preview.picture)):
        assert content.startswith(b"\xff\xd8\xff")
        assert corpus.MARK not in content
        assert b"Exif" not in content
    for one in (answer, picture):
        assert one["Content-Security-Policy"] == ISOLATED_POLICY
        assert one["X-Content-Type-Options"] == "nosniff"
        assert one["Cache-Control"] == "no-store"


def remove(draft: Draft, owner: Any) -> None:
    for document in Document.objects.all():
        document.file.storage.delete(str(document.file.name))
        document.delete()
    draft.reload()


@pytest.mark.usefixtures("scanner")
@pytest.mark.parametrize("name", HOSTILE)
def test_what_means_harm_is_refused_or_made_harmless(name: str, draft: Draft, owner: Any, as_owner: Client) -> None:
    wrong = {}
    for label, make in HOSTILE[name].items():
        sample = make()
        answer = send(as_owner, draft, sample)
        if answer.status_code == 302 and sample.is_taken:
            assert_harmless(as_owner, draft)
        elif answer.status_code == 422 and (sample.body or not sample.is_taken):
            # It says so at the slot.
            assert Markup(answer.content.decode()).all("p", **{"class": "error"})
            assert not stored()
        elif answer.status_code != 400:
            wrong[label] = answer.status_code
        remove(draft, owner)
    assert not wrong


@pytest.mark.usefixtures("scanner")
@pytest.mark.parametrize("name", HONEST)
def test_what_people_send_is_taken(name: str, draft: Draft, owner: Any, as_owner: Client) -> None:
    refused = {}
    for label, make in HONEST[name].items():
        answer = send(as_owner, draft, make())
        if answer.status_code != 302 or not Document.objects.exists():
            refused[label] = [one.text for one in Markup(answer.content.decode()).all("p", **{"class": "error"})]
        remove(draft, owner)
    assert not refused
