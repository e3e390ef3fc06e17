"""What every call passes: keys, scopes, sizes, media types, and the shape of every refusal."""

import re

import pytest
from django.db import OperationalError
from django.test import Client, override_settings

from formation_portal.service.auth import DEMO_KEY, ensure_demo_key, portal_key
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])


@pytest.mark.parametrize("header", ["", "Bearer  ", "Basic c2s6", "Bearer sk_test_wrong", "sk_test_wrong"])
def test_a_call_without_a_known_key_is_unauthorized(loaded: None, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    answer = Client(headers=headers).get("/api/v1/catalog")
    problem(answer, 401, "unauthorized")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_an_answer_has_a_request_id_and_is_not_stored_on_the_way(caller: Caller) -> None:
    assert caller.get("/catalog", X_Request_Id="mine-1")["X-Request-Id"] == "mine-1"
    assert re.fullmatch("req_[0-9a-f]{24}", caller.get("/catalog")["X-Request-Id"])
    assert caller.get("/nowhere", X_Request_Id="mine-2").json()["request_id"] == "mine-2"
    assert caller.get("/catalog", X_Request_Id="two words")["X-Request-Id"] != "two words"
    assert caller.get("/entities")["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/nowhere", "/entities/", "/", "/docs/more"])
def test_an_address_that_is_no_route_is_not_found(caller: Caller, path: str) -> None:
    problem(caller.get(path), 404, "not_found")
    problem(caller.post(path, {}), 404, "not_found")
    assert caller.call("HEAD", path).status_code == 404


@pytest.mark.parametrize("method", ["PUT", "OPTIONS"])
def test_a_method_that_is_not_possible_says_which_are(caller: Caller, method: str) -> None:
    answer = caller.call(method, "/entities")
    problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, POST"


JSON = "application/json"
REFUSED_BODIES = [
    (b"\xff", JSON, 400, "malformed_json"),
    (b'{"a": "\\ud800"}', JSON, 400, "malformed_json"),
    (b'{"a": NaN}', JSON, 400, "malformed_json"),
    (b"[" * 100_000, JSON, 400, "malformed_json"),
    (b'{"a": ' + b"9" * 5000 + b"}", JSON, 400, "malformed_json"),
    (b"", JSON, 422, "validation_failed"),
    (b"[]", JSON, 422, "validation_failed"),
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b"{}", "multipart/form-data", 415, "unsupported_media_type"),
    (b'{"name": "' + b"x" * 1024 * 1024 + b'"}', JSON, 413, "too_large"),
]


@pytest.mark.parametrize(("body", "content_type", "status", "code"), REFUSED_BODIES)
def test_a_body_that_is_no_object_of_json_or_too_large_is_refused(
    caller: Caller, body: bytes, content_type: str, status: int, code: str
) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    problem(client.post("/api/v1/entities", body, content_type=content_type), status, code)


def test_a_multipart_body_without_boundary_is_malformed(caller: Caller, entity: str) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    answer = client.post(f"/api/v1/entities/{entity}/documents", b"x", content_type="multipart/form-data; boundary=é")
    problem(answer, 400, "malformed_request")


def test_every_complaint_points_at_its_place(caller: Caller) -> None:
    answer = caller.post("/entities", {"jurisdiction_product_id": 5, "client_reference": "ä"})
    error = problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/jurisdiction_product_id", "/client_reference"]
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


def test_what_nobody_anticipated_says_nothing_of_itself(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("formation_portal.service.routes.entities.serialize_entity", burst)
    answer = caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT})
    problem(answer, 500, "internal_error")
    assert b"secret" not in answer.content
    assert caller.get("/entities").json()["meta"]["total"] == 0


def test_a_database_that_does_not_answer_is_said_to_be_unavailable(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("formation_portal.service.queries.entities_of", locked)
    answer = caller.get("/entities")
    problem(answer, 503, "unavailable")
    assert int(answer["Retry-After"]) > 0
