"""A client with short patience, and servers that misbehave below HTTP."""

from collections.abc import Callable, Iterator

import pytest

from formation_portal.gateway import FormationService
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.transports.network import NetworkAdapter, Timeouts
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service

from .raw_server import RawServer, Script

__all__ = ["at_other_service", "other_service"]

Start = Callable[[Script], RawServer]

# Long enough for a busy machine to answer over loopback, short enough to wait for.
PATIENCE = Timeouts(connect=2, read=0.5, whole=1)
LIMITS = Limits(
    timeouts=PATIENCE, upload_timeouts=PATIENCE, catalog_bytes=100_000, answer_bytes=10_000, list_bytes=100_000
)


def client_at(url: str, *, key: str = "", limits: Limits = LIMITS) -> FormationService:
    """A client for the service at the address."""
    return FormationService(base_url=url, read_key=lambda: key, adapter=NetworkAdapter(), limits=limits)


class Clock:
    """Time that passes when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def answering(start: Start, body: bytes | str, *, status: str = "201 Created", headers: str = "") -> RawServer:
    """Start a server that answers every call with this body."""
    sent = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(sent)}\r\n{headers}\r\n".encode()
    return start(lambda line: line.send(head + sent))


@pytest.fixture
def raw_server() -> Iterator[Start]:
    """Starts servers that answer by a script on the bare socket."""
    started: list[RawServer] = []

    def start(script: Script) -> RawServer:
        started.append(RawServer(script))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def client(other_service: OtherService) -> FormationService:
    """A client of the other make, with its usual patience."""
    return client_at(other_service.url, key=other_service.key, limits=Limits())
