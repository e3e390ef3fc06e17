"""The embedded service behind weather: every call is written down, and a test may spoil any of them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import requests
import urllib3
from requests.adapters import BaseAdapter
from urllib3.exceptions import ConnectTimeoutError

from formation_portal.gateway.in_process import BASE_URL, InProcessAdapter


@dataclass(frozen=True)
class Made:
    """One call that left the portal."""

    method: str
    path: str
    key: str
    body: Any

    @property
    def deed(self) -> str:
        """Method and path without ids: POST entities/parties."""
        return f"{self.method} {'/'.join(part for part in self.path.split('/')[3:] if '_' not in part)}"


Spoiler = Callable[["Weather", requests.PreparedRequest, Any], requests.Response]


@dataclass
class Weather(BaseAdapter):
    """A transport adapter. `spoil` says what happens to calls whose deed begins with these words, and how often."""

    made: list[Made] = field(default_factory=list)
    spoilers: list[tuple[str, Spoiler, int]] = field(default_factory=list)
    # The service forgets what it was told under a key: a repeat is something new to it.
    forgets_keys: bool = False

    def __post_init__(self) -> None:
        self._within = InProcessAdapter()

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        made = Made(
            str(request.method),
            str(request.url).removeprefix(BASE_URL),
            request.headers.get("Idempotency-Key", ""),
            _read(request),
        )
        self.made.append(made)
        if self.forgets_keys:
            request.headers.pop("Idempotency-Key", None)
        for place, (deed, spoiler, times) in enumerate(self.spoilers):
            if made.deed.startswith(deed) and times:
                self.spoilers[place] = (deed, spoiler, times - 1)
                return spoiler(self, request, kwargs)
        return self._within.send(request, *args, **kwargs)

    def close(self) -> None:
        """Nothing is held open."""

    def spoil(self, deed: str, spoiler: Spoiler, *, times: int = 1_000) -> None:
        self.spoilers.append((deed, spoiler, times))

    def clear(self) -> None:
        self.spoilers.clear()
        self.made.clear()

    @property
    def deeds(self) -> list[str]:
        return [made.deed for made in self.made]

    def bodies(self, deed: str) -> list[Any]:
        return [made.body for made in self.made if made.deed == deed]


def unreachable(weather: Weather, request: requests.PreparedRequest, more: Any) -> requests.Response:
    """The connection is never made."""
    reason = ConnectTimeoutError(None, "no connection")
    pool: Any = None
    raise requests.ConnectTimeout(urllib3.exceptions.MaxRetryError(pool, str(request.url), reason), request=request)


def lost_before(weather: Weather, request: requests.PreparedRequest, more: Any) -> requests.Response:
    """The request is lost on its way; the portal can't tell it from `lost_after`."""
    raise requests.ReadTimeout("no answer", request=request)


def lost_after(weather: Weather, request: requests.PreparedRequest, more: Any) -> requests.Response:
    """The service does it, and the answer is lost."""
    weather._within.send(request)
    raise requests.ReadTimeout("no answer", request=request)


def answers(status: int, body: Any = None, **headers: str) -> Spoiler:
    """The service answers this instead."""

    def spoiler(weather: Weather, request: requests.PreparedRequest, more: Any) -> requests.Response:
        content = b"" if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = requests.Response()
        response.status_code = status
        response.headers.update({"Content-Type": "application/json", **named})
        response.raw = urllib3.HTTPResponse(BytesIO(content), headers=named, status=status, preload_content=False)
        response.request = request
        response.url = str(request.url)
        return response

    return spoiler


def refuses(field_name: str, message: str = "Not like this", *, code: str = "validation_failed") -> Spoiler:
    """A 422 in the supplement's shape that names one field."""
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
