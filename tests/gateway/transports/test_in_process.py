"""The embedded service answers in the same process as it does over the network, and leaves the caller undisturbed."""

import io
from typing import Any

import pytest
import requests
from django.db import connections
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.test.utils import override_settings
from django.urls import get_script_prefix, include, path, set_script_prefix
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import Unclear
from formation_portal.gateway.transports.in_process import BASE_URL, InProcessAdapter

files: list[io.BytesIO] = []


@csrf_exempt
def echo(request: Any, rest: str) -> HttpResponse:
    """Answer with everything of a request that a view can see."""
    ignored = {"Host", "Content-Type", "Content-Length", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    return JsonResponse(
        {
            "method": request.method,
            "path": request.path,
            "query": dict(request.GET.lists()),
            "headers": {name: request.headers[name] for name in sorted(set(request.headers) - ignored)},
            # The development server puts it in for none.
            "type": str(request.content_type).removeprefix("text/plain"),
            "form": dict(request.POST.lists()),
            "files": {
                name: [file.name, file.content_type, file.size, file.read().hex()]
                for name, file in request.FILES.dict().items()
            },
            "body": "" if request.FILES or request.POST else request.body.decode(),
            "language": translation.get_language(),
            "prefix": get_script_prefix(),
        },
        headers={"X-Odd": "Grüße", "Retry-After": "7"},
    )


def streamed(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(iter([b"one ", b"two"]))


def sent_file(request: HttpRequest) -> FileResponse:
    files.append(io.BytesIO(b"\x00\xff file"))
    return FileResponse(files[-1], filename="a.bin")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the view breaks")


def turned(request: HttpRequest) -> HttpResponse:
    translation.activate("de")
    return HttpResponse(status=204)


urlpatterns = [
    path("api/v1/streamed", streamed),
    path("api/v1/file", sent_file),
    path("api/v1/broken", broken),
    path("api/v1/turned", turned),
    path("api/v1/<path:rest>", echo),
    # The page for faults leads to the portal's pages.
    path("", include("formation_portal.urls")),
]

handler500 = "formation_portal.core.error_handling.server_error"

here = override_settings(ROOT_URLCONF=__name__)


def session(base_url: str, adapter: Any) -> requests.Session:
    made = requests.Session()
    made.trust_env = False
    made.mount(base_url, adapter)
    return made


REQUESTS: list[dict[str, Any]] = [
    {"method": "GET", "url": "/api/v1/a%2Fb/%C3%A9?q=%26x&q=2&r="},
    {"method": "POST", "url": "/api/v1/x", "json": {"name": "Grüße 世界", "n": 1.5}},
    {"method": "POST", "url": "/api/v1/x", "data": {"a": "1", "b": ["2", "3"]}},
    {
        "method": "POST",
        "url": "/api/v1/x",
        "data": {"document_key": "Passport, both sides"},
        "files": {"file": ('Ä "q" 世.pdf', bytes(range(256)) * 50, "application/pdf")},
    },
    {"method": "PATCH", "url": "/api/v1/x", "data": b"\r\n--raw--\r\n"},
    {"method": "DELETE", "url": "/api/v1/x", "headers": {"X-Request-Id": "request-1", "Idempotency-Key": "k"}},
    {"method": "GET", "url": "/api/v1/streamed"},
    {"method": "GET", "url": "/api/v1/file"},
    {"method": "GET", "url": "/api/v1/nowhere/at/all", "headers": {"If-None-Match": '"x"'}},
]


@here
@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_the_same_bytes_come_back_as_over_the_network(live_server: Any) -> None:
    near, far = session(BASE_URL, InProcessAdapter()), session(live_server.url, requests.adapters.HTTPAdapter())
    for wanted in REQUESTS:
        rest = {name: value for name, value in wanted.items() if name not in ("method", "url")}
        prepared = requests.Request(wanted["method"], BASE_URL + wanted["url"], **rest).prepare()
        one = near.send(prepared)
        prepared.url = live_server.url + wanted["url"]
        other = far.send(prepared)
        assert (one.status_code, one.reason, one.content) == (other.status_code, other.reason, other.content), wanted
        own = {"Date", "Server", "Connection", "Transfer-Encoding"}
        if "X-Request-Id" not in rest.get("headers", {}):
            own.add("X-Request-Id")
        for name in own:
            one.headers.pop(name, None)
            other.headers.pop(name, None)
        assert one.headers == other.headers, wanted


@here
@override_settings(ALLOWED_HOSTS=["portal.example"])
@pytest.mark.django_db(databases=["default", "service"])
def test_language_and_script_prefix_are_the_callers_again() -> None:
    near = session(BASE_URL, InProcessAdapter())
    set_script_prefix("/portal/")
    try:
        with translation.override("fr"):
            seen = near.get(f"{BASE_URL}/api/v1/x").json()
            assert (seen["language"], seen["prefix"]) == ("en", "/")
            near.get(f"{BASE_URL}/api/v1/turned")
            assert translation.get_language() == "fr"
            assert get_script_prefix() == "/portal/"
    finally:
        set_script_prefix("/")


@here
@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_the_callers_database_connections_stay_open_and_what_an_answer_holds_open_is_closed() -> None:
    for connection in connections.all():
        connection.ensure_connection()
        # As a connection whose time is over looks to the end of a request.
        connection.close_at = 0.0
    before = [connection.connection for connection in connections.all()]
    near = session(BASE_URL, InProcessAdapter())
    near.get(f"{BASE_URL}/api/v1/x")
    assert [connection.connection for connection in connections.all()] == before
    assert near.get(f"{BASE_URL}/api/v1/file").content == b"\x00\xff file"
    assert files[-1].closed


@here
def test_a_view_that_breaks_is_an_unclear_answer() -> None:
    client = FormationService(base_url=BASE_URL, read_key=lambda: "", adapter=InProcessAdapter())
    with pytest.raises(Unclear) as caught:
        client._records.list_all("/broken")
    assert caught.value.status == 500
