"""What every call passes: keys, scopes, sizes, media types, and the shape of every refusal."""

import re
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client, override_settings

from formation_portal.service.auth import DEMO_KEY, ensure_demo_key, portal_key
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])


def test_an_answer_has_a_request_id_and_is_not_stored_on_the_way(caller: Caller) -> None:
    assert caller.get("/catalog", X_Request_Id="mine-1")["X-Request-Id"] == "mine-1"
    assert re.fullmatch("req_[0-9a-f]{24}", caller.get("/catalog")["X-Request-Id"])
    assert caller.get("/nowhere", X_Request_Id="mine-2").json()["request_id"] == "mine-2"
    assert caller.get("/catalog", X_Request_Id="two words")["X-Request-Id"] != "two words"
    assert caller.get("/entities")["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/nowhere", "/entities/", "/docs/more"])
def test_an_address_that_is_no_route_is_not_found(caller: Caller, path: str) -> None:
    problem(caller.get(path), 404, "not_found")
    problem(caller.post(path, {}), 404, "not_found")
    assert caller.call("HEAD", path).status_code == 404


def test_a_method_that_is_not_possible_says_which_are(caller: Caller) -> None:
    answer = caller.call("PUT", "/entities")
    problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, POST"


JSON, FORM = "application/json", "multipart/form-data"


@pytest.mark.parametrize(
    ("path", "body", "content_type", "status", "code"),
    [
        ("", b"\xff", JSON, 400, "malformed_json"),
        ("", b'{"a": "\\ud800"}', JSON, 400, "malformed_json"),
        ("", b'{"a": NaN}', JSON, 400, "malformed_json"),
        ("", b"[" * 100_000, JSON, 400, "malformed_json"),
        ("", b'{"a": ' + b"9" * 5000 + b"}", JSON, 400, "malformed_json"),
        ("", b"[]", JSON, 422, "validation_failed"),
        ("", b"{}", FORM, 415, "unsupported_media_type"),
        ("", b'{"name": "' + b"x" * 1024 * 1024 + b'"}', JSON, 413, "too_large"),
        ("/ent_1/documents", b"{}", JSON, 415, "unsupported_media_type"),
        ("/ent_1/documents", b"x", f"{FORM}; boundary=é", 400, "malformed_request"),
    ],
)
def test_a_body_that_is_not_what_the_route_takes_or_too_large_is_refused(
    caller: Caller, path: str, body: bytes, content_type: str, status: int, code: str
) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    problem(client.post(f"/api/v1/entities{path}", body, content_type=content_type), status, code)


def test_every_complaint_points_at_its_place(caller: Caller) -> None:
    answer = caller.post("/entities", {"jurisdiction_product_id": 5, "client_reference": "ä"})
    error = problem(answer, 422, "validation_failed", "/jurisdiction_product_id", "/client_reference")
    assert error["instance"] == "/api/v1/entities"
    assert error["title"] == "Unprocessable Entity"
    assert error["type"].endswith("validation_failed")


@pytest.mark.django_db(databases=["default", "service"])
def test_the_demo_key_opens_only_while_the_demo_is_on(loaded: None) -> None:
    with override_settings(DEMO=True):
        ensure_demo_key()
        entity = Caller(portal_key()).entity()
        assert Caller(DEMO_KEY).get(f"/entities/{entity}").status_code == 200, "it sees what the portal sent"
    with override_settings(DEMO=False):
        ensure_demo_key()
        problem(Caller(DEMO_KEY).get("/catalog"), 401, "unauthorized")


def test_a_fault_says_nothing_of_itself_and_a_database_that_does_not_answer_is_unavailable(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(error: Exception) -> Any:
        def failing(*_: object) -> None:
            raise error

        return failing

    monkeypatch.setattr("formation_portal.service.routes.entities.serialize_entity", fail(RuntimeError("secret")))
    answer = caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT})
    problem(answer, 500, "internal_error")
    assert b"secret" not in answer.content
    assert caller.get("/entities").json()["meta"]["total"] == 0
    monkeypatch.setattr("formation_portal.service.queries.entities_of", fail(OperationalError("database is locked")))
    answer = caller.get("/entities")
    problem(answer, 503, "unavailable")
    assert int(answer["Retry-After"]) > 0
