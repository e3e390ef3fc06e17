"""A body is limited by its address alone: nobody is asked who they are before, and nothing of it is kept."""

from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.core.middleware import body_limit
from formation_portal.service.pipeline import BODY_LIMITS

pytestmark = pytest.mark.django_db(databases=["default", "service"])

TOO_LARGE_FOR_A_FORM = 3_000_000


@pytest.mark.parametrize("path", ["/accounts/login/", "/nothing/"])
def test_nobody_fills_the_disk_by_a_form(as_nobody: Client, path: str) -> None:
    sheet = SimpleUploadedFile("x.bin", b"x" * TOO_LARGE_FOR_A_FORM)
    assert as_nobody.post(path, {"language": "de", "file": sheet}).status_code == 413
    assert list(Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir()) == []


@pytest.mark.parametrize("path", ["/language/", "/applications/x/documents/", "/part/x/"])
def test_too_large_a_body_is_not_even_read(as_nobody: Client, path: str) -> None:
    closed = BytesIO()
    closed.close()
    environ = {"wsgi.input": closed, "CONTENT_LENGTH": "99999999999", "CONTENT_TYPE": "multipart/form-data"}
    assert as_nobody.generic("POST", path, **environ).status_code == 413


def test_where_forms_take_files_a_file_of_the_largest_size_passes(as_owner: Client) -> None:
    sheet = SimpleUploadedFile("x.pdf", b"x" * settings.UPLOAD_LIMIT)
    assert as_owner.post("/applications/nobodys/documents/", {"file": sheet}).status_code == 404


def test_the_limit_of_the_service_is_its_largest() -> None:
    assert body_limit("/api/v1/entities/") == max(BODY_LIMITS.values())
