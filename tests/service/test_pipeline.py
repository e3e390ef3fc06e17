"""What every call passes: keys, scopes, sizes, media types, and the shape of every refusal."""

import re

import pytest
from django.db import OperationalError
from django.test import Client, override_settings

from formation_portal.service import problems
from formation_portal.service.auth import DEMO_KEY, ensure_demo_key
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer  ", "Basic c2s6", "Bearer sk_test_wrong", "sk_test_wrong"])
def test_a_call_without_a_known_key_is_unauthorized(loaded: None, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    answer = Client(headers=headers).get("/api/v1/catalog")
    problem(answer, 401, "unauthorized")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_request_id_is_echoed_or_made(caller: Caller) -> None:
    assert caller.get("/catalog", X_Request_Id="mine-1")["X-Request-Id"] == "mine-1"
    assert re.fullmatch("req_[0-9a-f]{24}", caller.get("/catalog")["X-Request-Id"])
    assert caller.get("/nowhere", X_Request_Id="mine-2").json()["request_id"] == "mine-2"
    assert caller.get("/catalog", X_Request_Id="two words")["X-Request-Id"] != "two words"


# The stable codes of refusals, by status (INTERFACE.md, "Envelopes, pages, errors").
CODES = {
    400: {"malformed_json", "malformed_request"},
    401: {"unauthorized"},
    403: {"insufficient_scope"},
    404: {"not_found"},
    405: {"method_not_allowed"},
    409: {"conflict", "invalid_state", "request_in_progress", "schema_superseded"},
    413: {"too_large"},
    415: {"unsupported_media_type"},
    422: {
        *("validation_failed", "not_applicable", "unknown_field", "party_type_not_allowed", "currency_not_allowed"),
        *("requirements_not_met", "idempotency_key_reused", "too_many_parties"),
    },
    429: {"rate_limited"},
    500: {"internal_error"},
    503: {"unavailable"},
}


def test_every_code_has_its_status() -> None:
    assert {code: status for status, codes in CODES.items() for code in codes} == problems.STATUS_OF


@pytest.mark.parametrize("path", ["/nowhere", "/entities/", "/entities/x/y/z", "", "/", "/docs/more"])
def test_an_address_that_is_no_route_is_not_found(caller: Caller, path: str) -> None:
    problem(caller.get(path), 404, "not_found")
    problem(caller.post(path, {}), 404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"])
def test_a_method_that_is_not_possible_says_which_are(caller: Caller, method: str) -> None:
    answer = caller.call(method, "/entities")
    problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, POST"


def test_head_answers_as_get(caller: Caller, entity: str) -> None:
    assert caller.call("HEAD", f"/entities/{entity}").status_code == 200
    assert caller.call("HEAD", "/nowhere").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff",
        b'{"a": "\\ud800"}',
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        '{"a": "ü"}'.encode("latin-1"),
    ],
)
def test_a_body_that_is_no_json_is_malformed(caller: Caller, body: bytes) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    problem(client.post("/api/v1/entities", body, content_type="application/json"), 400, "malformed_json")


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'"text"', b"5"])
def test_a_body_that_is_no_object_is_refused(caller: Caller, body: bytes) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    problem(client.post("/api/v1/entities", body, content_type="application/json"), 422, "validation_failed")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_body_of_another_media_type_is_refused(caller: Caller, content_type: str) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    answer = client.post("/api/v1/entities", b"{}", content_type=content_type)
    problem(answer, 415, "unsupported_media_type")


def test_a_multipart_body_without_boundary_is_malformed(caller: Caller, entity: str) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    path = f"/api/v1/entities/{entity}/documents"
    for content_type in ("multipart/form-data", "multipart/form-data; boundary=é"):
        problem(client.post(path, b"x", content_type=content_type), 400, "malformed_request")


def test_a_body_over_a_mebibyte_is_too_large(caller: Caller) -> None:
    body = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "name": "x" * 1024 * 1024}
    problem(caller.post("/entities", body), 413, "too_large")


def test_a_whole_number_may_be_written_with_a_point(caller: Caller, entity: str) -> None:
    body = b'{"party_id": "%s", "share_class_id": "%s", "shares_held": 5.0}' % (
        caller.person(entity, "shareholder").encode(),
        caller.share_class(entity).encode(),
    )
    client = Client(headers={"Authorization": f"Bearer {caller.key}"})
    path = f"/api/v1/entities/{entity}/shareholdings"
    answer = client.post(path, body, content_type="application/json")
    assert answer.status_code == 201
    assert answer.json()["data"]["shares_held"] == 5


def test_every_complaint_points_at_its_place(caller: Caller) -> None:
    answer = caller.post("/entities", {"jurisdiction_product_id": 5, "client_reference": "ä"})
    error = problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/jurisdiction_product_id", "/client_reference"]
    assert error["instance"] == "/api/v1/entities"
    assert error["title"] == "Unprocessable Entity"
    assert error["type"].endswith("validation_failed")


def test_answers_are_not_stored_on_the_way(caller: Caller, entity: str) -> None:
    assert caller.get(f"/entities/{entity}")["Cache-Control"] == "no-store"


def test_the_demo_key_opens_only_while_the_demo_is_on(loaded: None) -> None:
    with override_settings(DEMO=True):
        ensure_demo_key()
        assert Caller(DEMO_KEY).get("/catalog").status_code == 200
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
