"""The embedded service behind a transport that records every call, and fails where a test says so."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import requests
import urllib3
from requests.adapters import BaseAdapter
from urllib3.exceptions import ConnectTimeoutError

from formation_portal.gateway.transports.in_process import BASE_URL, InProcessAdapter


@dataclass(frozen=True)
class RecordedCall:
    """One call that left the portal."""

    method: str
    path: str
    key: str
    body: Any

    @property
    def endpoint(self) -> str:
        """Method and path without ids: POST entities/parties."""
        return f"{self.method} {'/'.join(part for part in self.path.split('/')[3:] if '_' not in part)}"


Failure = Callable[["FlakyTransport", requests.PreparedRequest, Any], requests.Response]


@dataclass
class FlakyTransport(BaseAdapter):
    """A transport adapter. `fail_on` says what happens to calls whose endpoint begins with a pattern, and how often."""

    calls: list[RecordedCall] = field(default_factory=list)
    failures: list[tuple[str, Failure, int]] = field(default_factory=list)
    # The service forgets what it was told under a key: a repeat is something new to it.
    forgets_keys: bool = False

    def __post_init__(self) -> None:
        self._within = InProcessAdapter()

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        made = RecordedCall(
            str(request.method),
            str(request.url).removeprefix(BASE_URL),
            request.headers.get("Idempotency-Key", ""),
            _read(request),
        )
        self.calls.append(made)
        if self.forgets_keys:
            request.headers.pop("Idempotency-Key", None)
        for index, (endpoint, failure, times) in enumerate(self.failures):
            if times and re.match(endpoint, made.endpoint):
                self.failures[index] = (endpoint, failure, times - 1)
                return failure(self, request, kwargs)
        return self._within.send(request, *args, **kwargs)

    def close(self) -> None:
        """Nothing is held open."""

    def fail_on(self, endpoint: str, failure: Failure, *, times: int = 1_000) -> None:
        self.failures.append((endpoint, failure, times))

    def clear(self) -> None:
        self.failures.clear()
        self.calls.clear()

    @property
    def endpoints(self) -> list[str]:
        return [made.endpoint for made in self.calls]

    def bodies(self, endpoint: str) -> list[Any]:
        return [made.body for made in self.calls if made.endpoint == endpoint]


def unreachable(transport: FlakyTransport, request: requests.PreparedRequest, more: Any) -> requests.Response:
    """The connection is never made."""
    reason = ConnectTimeoutError(None, "no connection")
    pool: Any = None
    raise requests.ConnectTimeout(urllib3.exceptions.MaxRetryError(pool, str(request.url), reason), request=request)


def lost_before(transport: FlakyTransport, request: requests.PreparedRequest, more: Any) -> requests.Response:
    """The request is lost on its way; the portal can't tell it from `lost_after`."""
    raise requests.ReadTimeout("no answer", request=request)


def lost_after(transport: FlakyTransport, request: requests.PreparedRequest, more: Any) -> requests.Response:
    """The service does it, and the answer is lost."""
    transport._within.send(request)
    raise requests.ReadTimeout("no answer", request=request)


def answers(status: int, body: Any = None, **headers: str) -> Failure:
    """The service answers this instead."""

    def failure(transport: FlakyTransport, request: requests.PreparedRequest, more: Any) -> requests.Response:
        text = body if isinstance(body, str) else json.dumps(body)
        content = b"" if body is None else text.encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = requests.Response()
        response.status_code = status
        response.headers.update({"Content-Type": "application/json", **named})
        response.raw = urllib3.HTTPResponse(BytesIO(content), headers=named, status=status, preload_content=False)
        response.request = request
        response.url = str(request.url)
        return response

    return failure


def refuses(field_name: str, message: str = "Not like this", *, code: str = "validation_failed") -> Failure:
    """A 422 in the shape of INTERFACE.md that names one field."""
    error = {"pointer": f"/{field_name}", "field": field_name, "code": "invalid", "detail": message}
    return answers(422, {"code": code, "detail": message, "errors": [error]})


def _read(request: requests.PreparedRequest) -> Any:
    body = request.body
    if not body:
        return None
    content = body.encode() if isinstance(body, str) else body
    if "json" in request.headers.get("Content-Type", ""):
        return json.loads(content)
    return content
