"""The proxy does what its kinds say, as the gateway sees it: what surely wasn't done, and what may have been."""

import os
import socket
import threading
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path

import pytest

from formation_portal.gateway import FormationService
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.errors import NotSent, Unclear
from formation_portal.gateway.transports.network import NetworkAdapter, Timeouts
from tests.campaigns.environment import free_port
from tests.other_service import OtherService
from tests.other_service.fixtures import other_service
from tests.other_service.schemas import id_of
from tests.waiting import wait_until

from . import proxy
from .listening_socket import NEVER_ACCEPTED, REFUSED

__all__ = ["other_service"]

BODY = {"jurisdiction_product_id": id_of("people-only")}
# Long enough for an answer that nobody spoils, on a machine that has much else to do.
TIMES = Timeouts(connect=1.0, read=3.0, whole=4.0)


class First:
    """The first entity meets this kind, and nothing else meets any."""

    def __init__(self, kind: str) -> None:
        self._kinds = [kind]

    def draw(self, endpoint: str, key: str) -> str | None:
        return self._kinds.pop() if endpoint == "entities" and self._kinds else None

    def kills_before(self, endpoint: str) -> bool:
        return False


class Proxied:
    """The other make behind a proxy in a thread of its own, which spoils the first entity."""

    def __init__(self, other: OtherService, folder: Path, kind: str) -> None:
        self.other, self.port, self.record = other, free_port(), folder
        plan = First(kind) if kind else None
        upstream = int(other.url.rpartition(":")[2])
        stand = proxy.Proxy(port=self.port, service_port=upstream, plan=plan, record=folder, parent=os.getpid())
        self.orders_read, self.orders = Pipe(duplex=False)
        self._thread = threading.Thread(target=stand.run, args=(self.orders_read,))
        self.service = FormationService(
            base_url=f"http://127.0.0.1:{self.port}",
            read_key=lambda: other.key,
            adapter=NetworkAdapter(),
            limits=Limits(timeouts=TIMES),
        )

    def __enter__(self) -> "Proxied":
        self._thread.start()
        self.until(None)
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self.orders_read.close()

    def end(self) -> None:
        self.orders.close()
        self._thread.join()

    def until(self, way: type[OSError] | None) -> None:
        """Wait until whoever connects fails in this way, or doesn't fail."""
        wait_until(lambda: self._fate_of_a_caller() is way, what=f"callers meet {way}")

    def _fate_of_a_caller(self) -> type[OSError] | None:
        with socket.socket() as caller:
            caller.settimeout(0.1)
            try:
                caller.connect(("127.0.0.1", self.port))
            except OSError as error:
                return type(error)
        return None


@pytest.fixture
def proxied(other_service: OtherService, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Proxied]:
    with Proxied(other_service, tmp_path, getattr(request, "param", "")) as made:
        yield made


@pytest.mark.parametrize("proxied", [proxy.ANSWER_LOST, proxy.CUT_BODY, proxy.SLOW_DRIP], indirect=True)
def test_what_is_spoilt_after_it_was_passed_on_may_have_been_done(proxied: Proxied) -> None:
    with pytest.raises(Unclear):
        proxied.service.create_entity(BODY, key="first")
    assert proxied.service.create_entity(BODY, key="second")["id"]
    proxied.end()
    assert len(proxied.other.entities) == 2


@pytest.mark.parametrize(("kind", "way"), [(REFUSED, ConnectionRefusedError), (NEVER_ACCEPTED, TimeoutError)])
def test_who_is_shut_out_has_sent_nothing(proxied: Proxied, kind: str, way: type[OSError]) -> None:
    proxied.orders.send(kind)
    proxied.until(way)
    with pytest.raises(NotSent):
        proxied.service.create_entity(BODY, key="first")
    proxied.orders.send(None)
    proxied.until(None)
    assert proxied.service.create_entity(BODY, key="first")["id"]
    assert len(proxied.other.entities) == 1


def test_what_is_not_spoilt_comes_by_unchanged(proxied: Proxied) -> None:
    made = proxied.service.create_entity(BODY, key="first")
    assert made["id"] in proxied.other.entities
    assert "first" in (proxied.record / "seen").read_text()
