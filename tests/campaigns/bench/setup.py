"""The set-up of an outage: a scratch portal, a service of another make with a process of its own, and relay workers."""

import contextlib
import itertools
import json
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connections

from formation_portal.applications.models import Application
from formation_portal.management.supervision import Child
from formation_portal.relay.models import Delivery, DeliveryState, ServiceProfile
from tests.campaigns.faults.processes import relay
from tests.campaigns.faults.service_records import ServiceRecord
from tests.campaigns.faults.services import WithoutKeys

from .recording_service import RecordingService
from .unreachable import FAILURES

POLL_SECONDS = 0.02
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Arrival:
    """One call, at the moment when the service had read it whole; `is_refused`: it was asked to come later."""

    at: float
    method: str
    path: str
    request_id: str
    is_refused: bool


class OutageSetup:
    """Nothing is there yet: no application, and nothing known of the service, which has a folder of its own."""

    def __init__(self, *, can_edit: bool, calls_per_second: int = 10) -> None:
        Application.objects.all().delete()
        ServiceProfile.objects.all().delete()
        settings.FORMATION_SERVICE_EDITS = can_edit
        settings.RELAY_CALLS_PER_SECOND = calls_per_second
        self._port = int(settings.FORMATION_SERVICE_URL.rpartition(":")[2])
        self._folder = Path(settings.DATA_DIR) / f"service-{next(_numbers)}"
        self._folder.mkdir()

    @contextlib.contextmanager
    def workers(self, count: int) -> Iterator[None]:
        """So many relay workers while the block lasts."""
        with contextlib.ExitStack() as running:
            for _ in range(count):
                running.enter_context(_running("worker", relay))
            yield

    @contextlib.contextmanager
    def service(self, *, share_refused: float = 0.0, most_refused: int = 0) -> Iterator[None]:
        """The service while the block lasts; of its answers a share is 429 with Retry-After."""
        serve = RecordingService(
            self._folder, port=self._port, share_refused=share_refused, most_refused=most_refused
        ).serve
        with _running("service", serve):
            wait_until(lambda: _is_listened_at(self._port))
            yield

    def unreachable(self, failure: str) -> contextlib.AbstractContextManager[None]:
        """Nobody answers while the block lasts, in one of the ways of unreachable.py.

        Workers are forked before: a socket that they hold as well would never be closed.
        """
        return FAILURES[failure](self._port)

    @property
    def arrivals(self) -> list[Arrival]:
        """Every call so far, in the order in which they came."""
        path = self._folder / "arrivals"
        lines = path.read_text().splitlines() if path.exists() else []
        return sorted((Arrival(**json.loads(line)) for line in lines), key=lambda arrival: arrival.at)

    def kept(self) -> list[ServiceRecord]:
        """Everything that the service has accepted."""
        return WithoutKeys(self._folder).kept()


def wait_until(condition: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Wait until it holds. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"Not within {seconds:.0f} seconds")
        time.sleep(POLL_SECONDS)


def is_all_delivered() -> bool:
    """Whether nothing waits any more."""
    return not Delivery.objects.exclude(state=DeliveryState.DONE).exists()


@contextlib.contextmanager
def _running(name: str, work: Callable[[], None]) -> Iterator[None]:
    # A connection that two processes hold is nobody's.
    connections.close_all()
    child = Child(name, work)
    child.start()
    try:
        yield
    finally:
        child.stop()


def _is_listened_at(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
