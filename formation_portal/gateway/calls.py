"""Make a call to the service, from request to bytes: session, headers, request id, limits, log line, and error."""

import json
import logging
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any, NoReturn

import requests
from requests.adapters import BaseAdapter
from urllib3.exceptions import HTTPError

from formation_portal.core.integers import parse_integer
from formation_portal.core.monitoring import tracing
from formation_portal.core.monitoring.logs import current_request_id
from formation_portal.core.monitoring.metrics import count_call

from .error_bodies import read_error_body
from .errors import GatewayError, UnusableAnswer, error_class_for, error_class_of
from .transports.network import Timeouts

log = logging.getLogger(__name__)

_CHUNK = 65_536
_MAX_RETRY_AFTER = 900.0
_TIMEOUTS = Timeouts(connect=3, read=15, whole=30)
_UPLOAD_TIMEOUTS = Timeouts(connect=3, read=60, whole=60)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a call, in seconds and in bytes of the answer."""

    timeouts: Timeouts = _TIMEOUTS
    upload_timeouts: Timeouts = _UPLOAD_TIMEOUTS
    catalog_bytes: int = 16 * 2**20
    answer_bytes: int = 2**20
    # For all pages of a list together.
    list_bytes: int = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call to the service. `is_supplementary` marks a call that a service may lack (**S**)."""

    method: str
    path: str
    is_supplementary: bool = False
    body: Mapping[str, Any] | None = None
    form: Mapping[str, str] | None = None
    files: Mapping[str, Any] | None = None
    params: Mapping[str, str | int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    timeouts: Timeouts
    limit: int


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """Follow no redirect. (Even with `allow_redirects=False`, requests would read the body, without limit.)"""


class Caller:
    """A session that makes calls without proxies of the environment, netrc files, cookies and redirects."""

    def __init__(self, *, base_url: str, read_key: Callable[[], str], adapter: BaseAdapter) -> None:
        self.base_url = base_url.rstrip("/")
        self._read_key = read_key
        self._session = _Session()
        self._session.trust_env = False
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.adapters.clear()
        self._session.mount(f"{self.base_url}/", adapter)
        # No compression: the limit is for received bytes, and a small answer must not unpack into a huge one.
        self._session.headers.update({"Accept": "application/json", "Accept-Encoding": "identity"})
        self._session.headers["User-Agent"] = "formation-portal"

    def call(self, call: Call) -> Answer:
        """Send a call and read its answer. Raises GatewayError unless the status is 2xx, or a requested 304."""
        started = time.monotonic()
        outcome = "ok"
        with tracing.span(f"{call.method} {_route(call.path)}", kind="CLIENT") as span:
            try:
                answer = self._call(call)
            except GatewayError as error:
                outcome = type(error).__name__
                raise
            finally:
                count_call(call.method, outcome, time.monotonic() - started)
            span.set({"http.response.status_code": answer.status, "request.id": answer.request_id})
        return answer

    def _call(self, call: Call) -> Answer:
        # The request id of the page, or of the relay's attempt, which has stored the id.
        request_id = current_request_id() or uuid.uuid4().hex
        request = self._prepare(call, request_id)
        started = time.monotonic()
        try:
            # Our adapters accept all three numbers of the time-outs.
            response = self._session.send(request, timeout=call.timeouts, stream=True)  # type: ignore[arg-type]
            with response:
                status = response.status_code
                is_error = not 200 <= status < 300
                body = _read(response, limit=call.limit, cut=is_error)
        except (requests.RequestException, HTTPError, OSError, ValueError, UnusableAnswer) as error:
            _log(call, type(error).__name__, started, request_id)
            # The new error has no text of the original exception, which may contain a URL.
            raise error_class_of(error)(request_id=request_id) from error
        _log(call, status, started, request_id)
        answer = Answer(status, response.headers, body, request_id)
        if is_error and not (status == 304 and call.headers.get("If-None-Match")):
            _raise(call, answer)
        return answer

    def _prepare(self, call: Call, request_id: str) -> requests.PreparedRequest:
        headers = {**call.headers, "Idempotency-Key": call.key, "X-Request-Id": request_id, **tracing.trace_headers()}
        if api_key := self._read_key():
            headers["Authorization"] = f"Bearer {api_key}"
        data: Any = call.form
        if call.body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(call.body, allow_nan=False, separators=(",", ":")).encode()
        url = self.base_url + call.path
        # Another service may refuse unknown headers and parameters, so empty ones are left out.
        headers = {name: value for name, value in headers.items() if value}
        params = {name: value for name, value in call.params.items() if value}
        request = requests.Request(call.method, url, data=data, files=call.files, params=params, headers=headers)
        return self._session.prepare_request(request)


def _route(path: str) -> str:
    """Return a path without the version of the interface and without ids: /entities/{id}/parties."""
    steps = re.sub(r"^/api/v\d+", "", path).strip("/").split("/")
    return "/" + "/".join("{id}" if place % 2 else step for place, step in enumerate(steps))


def _read(response: requests.Response, *, limit: int, cut: bool) -> bytes:
    """Read at most `limit` bytes of a body. A longer body is shortened if `cut`, otherwise raises UnusableAnswer."""
    body = bytearray()
    for chunk in response.raw.stream(_CHUNK, decode_content=True):
        body += chunk
        if len(body) > limit:
            if not cut:
                raise UnusableAnswer(f"The answer has more than {limit} bytes")
            del body[limit:]
            break
    return bytes(body)


def _raise(call: Call, answer: Answer) -> NoReturn:
    error_body = read_error_body(answer.body, content_type=answer.headers.get("Content-Type", ""))
    retry_after = None
    header = answer.headers.get("Retry-After")
    if header is not None:
        # A date, or a value that cannot be read, counts as 0 seconds.
        retry_after = min(float(parse_integer(header.strip()) or 0), _MAX_RETRY_AFTER)
    error_class = error_class_for(
        answer.status,
        is_supplementary=call.is_supplementary,
        code=error_body.code,
        has_retry_after=header is not None,
    )
    raise error_class(
        status=answer.status, error_body=error_body, request_id=answer.request_id, retry_after=retry_after
    )


def _log(call: Call, outcome: int | str, started: float, request_id: str) -> None:
    """Log a call without its body, key and query string, which may hold names."""
    milliseconds = round((time.monotonic() - started) * 1000)
    log.info("%s %s: %s in %d ms, request %s", call.method, call.path, outcome, milliseconds, request_id)
