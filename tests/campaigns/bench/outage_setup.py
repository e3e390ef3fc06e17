"""The set-up of an outage: a scratch portal, a service of another make with a process of its own, and relay workers."""

import contextlib
import itertools
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connections

from formation_portal.applications.models import Application
from formation_portal.management.supervision import Child
from formation_portal.relay.models import Delivery, DeliveryState, ServiceProfile
from tests.campaigns.faults.applications import CATALOG
from tests.campaigns.faults.listening_socket import full_socket
from tests.campaigns.faults.processes import is_listened_at, relay
from tests.campaigns.faults.records import ServiceRecord
from tests.campaigns.faults.services import WithoutKeys
from tests.other_service import OtherService
from tests.other_service.failures import Failure
from tests.other_service.messages import Received
from tests.waiting import wait_until

# Seconds that a caller is asked to wait.
RETRY_AFTER = 1
# What nothing here may take.
_PATIENCE = 900.0
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Arrival:
    """One call, at the moment when the service had read it whole; `is_refused`: it was asked to come later."""

    at: float
    request_id: str
    is_refused: bool


class RecordingService(OtherService):
    """Records when each call arrives. `share_refused` of the calls are answered 429 with Retry-After, `most_refused` in
    all."""

    def __init__(self, folder: Path, *, port: int, share_refused: float, most_refused: int) -> None:
        super().__init__(journal=folder / "journal", port=port, catalog=CATALOG)
        self._share, self._left = share_refused, most_refused
        self._arrivals = folder / "arrivals"
        self._noting = threading.Lock()

    def serve(self) -> None:
        self.start()
        self.serve_forever()

    def trouble_for(self, request: Received) -> Failure | None:
        at = time.time()
        with self._noting:
            is_refused = self._left > 0 and random.random() < self._share
            self._left -= is_refused
            arrival = {"at": at, "request_id": request.headers.get("X-Request-Id", ""), "is_refused": is_refused}
            with self._arrivals.open("a") as file:
                file.write(json.dumps(arrival) + "\n")
        if is_refused:
            return Failure("", status=429, body={"error": "Not so fast"}, headers={"Retry-After": str(RETRY_AFTER)})
        return super().trouble_for(request)


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
        with contextlib.ExitStack() as running:
            for _ in range(count):
                running.enter_context(_running("worker", relay))
            yield

    @contextlib.contextmanager
    def service(self, *, share_refused: float = 0.0, most_refused: int = 0) -> Iterator[None]:
        """The service while the block lasts; of its answers a share is 429 with Retry-After."""
        service = RecordingService(
            self._folder, port=self._port, share_refused=share_refused, most_refused=most_refused
        )
        with _running("service", service.serve):
            wait_until(lambda: is_listened_at(self._port), what="the service listens")
            yield

    def unreachable(self, failure: str) -> contextlib.AbstractContextManager[object]:
        """Nobody answers while the block lasts: connections are refused, or never accepted.

        Workers are forked before: a socket that they hold as well would never be closed.
        """
        return full_socket(self._port) if failure == "never_accepted" else contextlib.nullcontext()

    @property
    def arrivals(self) -> list[Arrival]:
        path = self._folder / "arrivals"
        lines = path.read_text().splitlines() if path.exists() else []
        return sorted((Arrival(**json.loads(line)) for line in lines), key=lambda arrival: arrival.at)

    def kept(self) -> list[ServiceRecord]:
        return WithoutKeys(self._folder).kept()


def wait_for_deliveries(**some: object) -> None:
    left = Delivery.objects.filter(**some).exclude(state=DeliveryState.DONE)
    wait_until(lambda: not left.exists(), _PATIENCE, "everything is delivered")


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
