"""Whatever a request says, it is answered, and never by a 500: no first line, no header, no body."""

import io
import logging
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from formation_portal.core.monitoring.logs import WithoutTraceback

pytestmark = pytest.mark.django_db(databases=["default", "service"])

HEADERS = (
    "Host",
    "Cookie",
    "Accept",
    "Accept-Language",
    "Accept-Encoding",
    "Authorization",
    "Content-Type",
    "Content-Length",
    "Content-Encoding",
    "Forwarded",
    "HX-Current-URL",
    "HX-Request",
    "HX-Target",
    "HX-Trigger",
    "Idempotency-Key",
    "If-Match",
    "If-Modified-Since",
    "If-None-Match",
    "If-Unmodified-Since",
    "Origin",
    "Range",
    "Referer",
    "Sec-Fetch-Site",
    "User-Agent",
    "Webhook-Id",
    "Webhook-Signature",
    "Webhook-Timestamp",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Request-Id",
)
# What a web server hands on: a byte a character, and no end of a line.
VALUES = st.one_of(
    st.text(st.characters(codec="latin-1", exclude_characters="\r\n"), max_size=60),
    st.sampled_from(
        (
            "sessionid=x; csrftoken=y; language=xx; part=z; messages=a",
            "http://[",
            "https://testserver:99999999",
            "[::1",
            "testserver:port",
            "*",
            "de;q=9e999, \x00",
            "multipart/form-data; boundary=" + "x" * 300,
            "multipart/form-data; boundary=\xff",
            "text/plain; charset=nothing",
            "Bearer \xff\x00",
            "-1",
            "9" * 4301,
            "bytes=9-1,-,x",
            "Sat, 99 Foo 2026 99:99:99 GMT",
            "http://testserver\x00/",
            "false",
        )
    ),
)
PATHS = (
    "/",
    "/accounts/login/",
    "/applications/",
    "/applications/x/documents/",
    "/desk/",
    "/language/",
    "/part/x/",
    "/static/x.css",
    "/webhooks/formation-service/",
    "/api/v1/catalog",
    "/api/v1/entities",
)
QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def browser(as_nobody: Client) -> Client:
    as_nobody.raise_request_exception = False
    return as_nobody


def environ_name(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def answered(browser: Client, method: str, path: str, **environ: Any) -> int:
    given_body = environ.pop("body", b"a=1")
    return int(browser.generic(method, path, given_body, **environ).status_code)


@pytest.mark.parametrize("method", ["GET", "BREW"])
def test_an_unknown_host_is_400_with_a_page(browser: Client, method: str) -> None:
    for path in PATHS:
        answer = browser.generic(method, path, HTTP_HOST="evil.example")
        assert answer.status_code == 400, path
        assert b"<h1>" in answer.content
        assert not answer.cookies


def test_an_unknown_host_is_a_line_in_the_log_without_a_traceback(browser: Client) -> None:
    handler = logging.StreamHandler(log := io.StringIO())
    handler.addFilter(WithoutTraceback())
    logging.getLogger().addHandler(handler)
    try:
        browser.get("/", headers={"host": "evil.example"})
    finally:
        logging.getLogger().removeHandler(handler)
    assert "evil.example" in log.getvalue()
    assert "Traceback" not in log.getvalue()


@QUIET
@given(
    method=st.sampled_from(("GET", "POST", "HEAD", "OPTIONS", "PUT", "BREW")),
    path=st.sampled_from(PATHS),
    data=st.data(),
)
def test_whatever_headers_say_is_no_500(browser: Client, method: str, path: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(HEADERS), min_size=1, max_size=3, unique=True))
    environ = {environ_name(name): data.draw(VALUES) for name in names}
    # A catalog that was never loaded is 503 here, and rightly.
    assert answered(browser, method, path, **environ) in {*range(200, 500), 503}


def test_a_length_that_python_refuses_to_read_is_no_500(browser: Client) -> None:
    for path in PATHS:
        assert answered(browser, "POST", path, CONTENT_LENGTH="9" * 4301) in range(400, 500), path


@QUIET
@example(path="/%00")
@example(path="//evil.example/%2e%2e/")
@example(path="/applications/%ff%fe/?%ff=%00&=&&a[]=")
@given(path=st.text(st.characters(codec="latin-1", exclude_characters="\r\n#"), max_size=60).map("/{}".format))
def test_whatever_an_address_says_is_no_500(browser: Client, path: str) -> None:
    assert answered(browser, "GET", path) in {*range(200, 500), 503}


@QUIET
@given(
    body=st.binary(max_size=300),
    kind=st.sampled_from(
        ("multipart/form-data; boundary=b", "application/x-www-form-urlencoded", "application/json", "")
    ),
)
@example(
    body=b'--b\r\nContent-Disposition: form-data; name="\xff\x00"; filename="\x00/../"\r\n\r\n\xff\r\n--b--',
    kind="multipart/form-data; boundary=b",
)
@example(
    body=b"--b\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: form-data; name=x\r\n\r\n!\r\n--b--",
    kind="multipart/form-data; boundary=b",
)
def test_whatever_a_body_holds_is_no_500(browser: Client, body: bytes, kind: str) -> None:
    for path in ("/language/", "/accounts/login/", "/webhooks/formation-service/", "/api/v1/entities"):
        assert answered(browser, "POST", path, body=body, CONTENT_TYPE=kind) in range(200, 500)
