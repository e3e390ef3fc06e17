"""What every call carries and what it takes: headers, limits, and nothing from the environment."""

import gzip
import json
import logging
from datetime import UTC, datetime

import pytest

from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import Busy, NotFound, Refused, Unclear

from .conftest import Start, answering, client_at
from .raw_server import Line

RECORD = '{"data": {"id": "ent_1"}}'


def test_a_call_carries_key_idempotency_key_and_request_id_and_the_log_has_no_body_key_or_query(
    raw_server: Start, caplog: pytest.LogCaptureFixture
) -> None:
    server = answering(raw_server, RECORD)
    with caplog.at_level(logging.INFO, logger="formation_portal.gateway"):
        client_at(server.url, key="sk_live_secret").create_entity({"name": "Secret Ltd"}, key="idem-1")
        # A client of its own: the server ends each connection, and the first one may not have noticed yet.
        with pytest.raises(Unclear):
            client_at(server.url, key="sk_live_secret").entities(client_reference="Secret Ltd")
    request, _ = server.requests
    head, _, body = request.decode().partition("\r\n\r\n")
    lines = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
    assert lines["Authorization"] == "Bearer sk_live_secret"
    assert lines["Idempotency-Key"] == "idem-1"
    assert lines["Accept-Encoding"] == "identity"
    assert lines["Content-Type"] == "application/json"
    assert body == '{"name":"Secret Ltd"}'
    assert lines["X-Request-Id"] in caplog.text
    assert "GET /api/v1/entities: 201" in caplog.text
    assert "secret" not in caplog.text.lower()


def test_a_redirect_is_refused_and_its_body_not_read_to_its_end(raw_server: Start) -> None:
    elsewhere = answering(raw_server, RECORD)
    endless = f"HTTP/1.1 307 Found\r\nLocation: {elsewhere.url}/\r\nContent-Length: 1000000000\r\n\r\n"

    def pour(line: Line) -> None:
        line.send(endless)
        for _ in range(10_000):
            line.send(b"x" * 100_000)

    with pytest.raises(Unclear):
        client_at(raw_server(pour).url, key="secret").create_entity({}, key="k")
    assert elsewhere.requests == []


def test_too_large_an_answer_is_unclear_and_a_catalog_may_be_larger(raw_server: Start) -> None:
    server = answering(raw_server, '{"data": {"id": "ent_1", "more": "' + "x" * 10_000 + '"}}')
    with pytest.raises(Unclear):
        client_at(server.url).create_entity({}, key="k")
    items = '["' + "x" * 90_000 + '"]'
    assert client_at(answering(raw_server, items, status="200 OK").url).catalog().items is not None
    too_large = '["' + "x" * 100_000 + '"]'
    with pytest.raises(Unclear):
        client_at(answering(raw_server, too_large, status="200 OK").url).catalog()


def test_all_pages_of_a_list_together_have_an_end(raw_server: Start) -> None:
    page = json.dumps({"data": [{"party_id": "x" * 5_000}], "meta": {"total_pages": 900}})
    server = answering(raw_server, page, status="200 OK", headers="Connection: close\r\n")
    with pytest.raises(Unclear):
        client_at(server.url).records("ent_1", Collection.PARTIES)
    assert len(server.requests) == 20


def test_a_packed_answer_is_read_and_one_that_unpacks_into_a_huge_one_cut_off(raw_server: Start) -> None:
    packed = "Content-Encoding: gzip\r\n"
    server = answering(raw_server, gzip.compress(RECORD.encode()), headers=packed)
    assert client_at(server.url).create_entity({}, key="k")["id"] == "ent_1"
    bomb = gzip.compress(b'{"data": {"id": "' + b" " * 50_000_000 + b'"}}')
    with pytest.raises(Unclear):
        client_at(answering(raw_server, bomb, headers=packed).url).create_entity({}, key="k")


@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("99999", 900), ("Wed, 21 Oct 2026 07:28:00 GMT", 0)])
def test_a_busy_service_says_when_to_come_back(raw_server: Start, header: str, seconds: float) -> None:
    server = answering(raw_server, "", status="503 Unavailable", headers=f"Retry-After: {header}\r\n")
    with pytest.raises(Busy) as caught:
        client_at(server.url).create_entity({}, key="k")
    assert caught.value.retry_after == seconds


def test_an_error_keeps_status_code_and_request_id_and_a_huge_one_is_read_in_part(raw_server: Start) -> None:
    server = answering(raw_server, '{"code": "not_found", "detail": "Gone"}', status="404 Not Found")
    with pytest.raises(NotFound) as caught:
        client_at(server.url).records("ent_1", Collection.PARTIES)
    error = caught.value
    assert (error.status, error.code, error.message) == (404, "not_found", "Gone")
    assert f"X-Request-Id: {error.request_id}".encode() in server.requests[0]
    huge = answering(raw_server, "No. " * 1_000_000, status="422 No", headers="Content-Type: text/plain\r\n")
    with pytest.raises(Refused, match=r"422: No\. No\."):
        client_at(huge.url).create_entity({}, key="k")


def test_proxies_netrc_and_cookies_have_no_say(
    raw_server: Start, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    proxy = answering(raw_server, RECORD)
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    monkeypatch.setenv("no_proxy", "")
    server = answering(raw_server, RECORD, headers="Set-Cookie: track=me\r\n")
    client = client_at(server.url)
    client.create_entity({}, key="k")
    client.create_entity({}, key="k")
    assert proxy.requests == []
    assert len(server.requests) == 2
    assert not any(word in request for request in server.requests for word in (b"Cookie", b"Authorization"))


def test_an_id_stays_one_step_of_the_path_and_a_number_that_json_does_not_have_is_never_sent(
    raw_server: Start,
) -> None:
    server = answering(raw_server, "[]", status="200 OK")
    with pytest.raises(ValueError, match="JSON"):
        client_at(server.url).create_entity({"amount": float("nan")}, key="k")
    client_at(server.url).records("../../x?y#z", Collection.PARTIES)
    [request] = server.requests
    assert request.startswith(b"GET /api/v1/entities/..%2F..%2Fx%3Fy%23z/parties HTTP/1.1")


NOON = "Date: Sat, 21 Nov 2026 12:00:07 GMT\r\n"


def test_the_time_of_the_service_is_read_in_utc_and_never_from_a_cache(raw_server: Start) -> None:
    def sent_at(headers: str) -> datetime | None:
        return client_at(answering(raw_server, "[]", status="200 OK", headers=headers).url).catalog().sent_at

    assert sent_at(NOON) == datetime(2026, 11, 21, 12, 0, 7, tzinfo=UTC)
    assert sent_at("Date: yesterday\r\n") is None
    assert sent_at("Date: Sat, 99 Nov 2026 25:61:00 GMT\r\n") is None
    assert sent_at(f"{NOON}Age: 600\r\n") is None
