"""Whatever goes wrong has a page of the house, which says what became of the answers and where to go."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path

from formation_portal.accounts.policies import public
from formation_portal.core.middleware import body_limit
from formation_portal.service.pipeline import BODY_LIMITS
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@public
def _gone(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=410)


@public
def _faulty(request: HttpRequest) -> HttpResponse:
    raise ValueError("a fault of the code")


urlpatterns = [path("gone/", _gone), path("faulty/", _faulty), path("", include("formation_portal.urls"))]
handler400 = "formation_portal.core.error_handling.bad_request"
handler500 = "formation_portal.core.error_handling.server_error"


def house_page(response: Any, status: int) -> Markup:
    """The answer as a page: of this status, sound, with one heading and a way out."""
    assert response.status_code == status
    markup = Markup(response.content.decode())
    assert markup.faults == []
    assert markup.one("h1").text
    out = [one for one in markup.all("a") + markup.all("button") if one.inside("main") and one.text.strip()]
    assert out
    assert str(status) not in markup.one("title").text
    return markup


@pytest.mark.parametrize(("address", "status"), [("/desk/", 403), ("/nowhere/", 404), ("/applications/%00/", 404)])
def test_what_is_not_there_or_for_others_has_a_page(address: str, status: int, as_owner: Client) -> None:
    house_page(as_owner.get(address), status)


def test_what_makes_no_sense_is_too_large_or_tried_too_often_has_a_page(as_nobody: Client, settings: Any) -> None:
    house_page(as_nobody.post("/accounts/login/", {f"q:{number}": "" for number in range(5_001)}), 400)
    response = as_nobody.post("/")
    house_page(response, 405)
    assert "GET" in response["Allow"]
    response = as_nobody.post("/accounts/login/", {"login": "x" * 2_600_000})
    assert "none of it was saved" in house_page(response, 413).one("main").text
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/m/ip"}
    as_nobody.post("/accounts/signup/", {})
    house_page(as_nobody.post("/accounts/signup/", {}), 429)


@pytest.mark.urls(__name__)
def test_a_fault_of_ours_has_a_page(as_nobody: Client) -> None:
    as_nobody.raise_request_exception = False
    house_page(as_nobody.get("/faulty/"), 500)
    assert "has been removed" in house_page(as_nobody.get("/gone/"), 410).one("main").text


def test_a_form_whose_token_does_not_fit_is_not_saved_and_a_script_gets_one_with_the_account_that_it_counts_for(
    owner: Any, other_customer: Any
) -> None:
    draft = factories.new_draft(owner)
    client = Client(enforce_csrf_checks=True, headers={"origin": "http://testserver"})
    client.force_login(owner)
    assert "Not saved yet" in house_page(client.post("/applications/", {"product": "x"}), 403).one("title").text
    path = f"/applications/{draft.application.reference}/sections/{draft.schema.entity_sections[0].key}/"
    marker = Markup(client.get(path).content.decode()).one("div", id="drawn-from").attributes["data-account"]
    refused = client.post(path, {}, headers={"HX-Request": "true"})
    assert (refused.status_code, refused.json()["account"]) == (403, marker)
    token = {"csrfmiddlewaretoken": refused.json()["token"]}
    assert client.post(path, token, headers={"HX-Request": "true"}).status_code in (200, 204)

    client.force_login(other_customer)
    assert client.post(path, {}, headers={"HX-Request": "true"}).json()["account"] not in ("", marker)
    client.logout()
    assert client.post(path, {}, headers={"HX-Request": "true"}).json()["account"] == ""
    elsewhere = {"HX-Request": "true", "Origin": "https://elsewhere.example"}
    assert b"csrfmiddlewaretoken" not in client.post(path, {}, headers=elsewhere).content


def test_machines_and_pages_that_ask_by_themselves_get_the_bare_answer(as_nobody: Client) -> None:
    assert as_nobody.post("/", headers={"HX-Request": "true"}).content == b""
    assert b"<html" not in as_nobody.delete("/api/v1/catalog").content


@pytest.mark.parametrize("path", ["/accounts/login/", "/nothing/"])
def test_nobody_fills_the_disk_by_a_form(as_nobody: Client, path: str) -> None:
    sheet = SimpleUploadedFile("x.bin", b"x" * 3_000_000)
    assert as_nobody.post(path, {"language": "de", "file": sheet}).status_code == 413
    assert list(Path(configured.FILE_UPLOAD_TEMP_DIR).iterdir()) == []


@pytest.mark.parametrize("path", ["/language/", "/applications/x/documents/", "/part/x/"])
def test_too_large_a_body_is_not_even_read(as_nobody: Client, path: str) -> None:
    closed = BytesIO()
    closed.close()
    environ = {"wsgi.input": closed, "CONTENT_LENGTH": "99999999999", "CONTENT_TYPE": "multipart/form-data"}
    assert as_nobody.generic("POST", path, **environ).status_code == 413


def test_where_forms_take_files_a_file_of_the_largest_size_passes(as_owner: Client) -> None:
    sheet = SimpleUploadedFile("x.pdf", b"x" * configured.UPLOAD_LIMIT)
    assert as_owner.post("/applications/nobodys/documents/", {"file": sheet}).status_code == 404


def test_the_limit_of_the_service_is_its_largest() -> None:
    assert body_limit("/api/v1/entities/") == max(BODY_LIMITS.values())
