"""A transport that passes a request to the portal's own WSGI application, in the same process and thread."""

import io
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import urllib3
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http.request import HttpHeaders
from django.http.response import HttpResponseBase
from django.urls import get_script_prefix, set_script_prefix
from django.utils import translation
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

# The adapter is mounted on this URL, whose host is never looked up.
BASE_URL = "http://embedded.invalid"


class _OwnRequest(WSGIRequest):
    def get_host(self) -> str:
        # Not checked against ALLOWED_HOSTS, since the request is the portal's own.
        return str(urlsplit(BASE_URL).netloc)


class _Handler(WSGIHandler):
    """A handler without request signals, which would close the caller's database connections."""

    request_class = _OwnRequest

    def answer(self, environ: dict[str, Any]) -> tuple[HttpResponseBase, bytes]:
        request = self.request_class(environ)
        response = self.get_response(request)
        try:
            return response, b"".join(response)
        finally:
            # Like response.close(), without the signal.
            for close in vars(response)["_resource_closers"]:
                close()


class InProcessAdapter(HTTPAdapter):
    """A transport adapter for `requests`, without time limits, since there is no network."""

    def __init__(self) -> None:
        super().__init__()
        self._handler: _Handler | None = None

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        # Created at the first call: the middleware needs all apps to be ready.
        self._handler = self._handler or _Handler()
        prefix = get_script_prefix()
        # The service answers in its own language, as over the network.
        with translation.override(settings.LANGUAGE_CODE):
            set_script_prefix("/")
            try:
                answer, body = self._handler.answer(_environ(request))
            finally:
                set_script_prefix(prefix)
        headers = dict(answer.items())
        raw = urllib3.HTTPResponse(
            io.BytesIO(body), headers, answer.status_code, reason=answer.reason_phrase, preload_content=False
        )
        return self.build_response(request, raw)


def _environ(request: PreparedRequest) -> dict[str, Any]:
    url = urlsplit(request.url or "")
    body = request.body or b""
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        body = b"".join(body)
    headers: dict[str, Any] = HttpHeaders.to_wsgi_names(request.headers)
    return headers | {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(url.path).decode("latin-1"),
        "QUERY_STRING": url.query,
        "SERVER_NAME": url.hostname,
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.url_scheme": url.scheme,
        "wsgi.input": io.BytesIO(body),
        "HTTP_HOST": url.netloc,
    }
