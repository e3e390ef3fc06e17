"""Events go by TLS to whoever proves the target's name: to the address that was checked, and to nobody else."""

import socket
import ssl
from pathlib import Path
from typing import Any

import pytest

from formation_portal.contract.lifecycle import EVENT_KINDS
from formation_portal.core.networks import parse_networks
from formation_portal.service.models import EventDelivery
from formation_portal.service.webhooks.sending import send_due
from tests.service.caller import Caller

from .authority import Authority, needs_openssl
from .conftest import Clock
from .receiver import Receiver

pytestmark = [needs_openssl, pytest.mark.django_db(databases=["service"])]

NAME = "hooks.example.com"
HERE = "127.0.0.1"


class TlsServer:
    """The receiver's door: shows a certificate, and keeps by which names it was asked for."""

    def __init__(self, receiver: Receiver) -> None:
        self.certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.asked: list[str | None] = []
        self.certificate.sni_callback = self._choose
        receiver.socket = self.certificate.wrap_socket(receiver.socket, server_side=True)

    def _choose(self, connection: Any, name: str | None, _: ssl.SSLContext) -> None:
        self.asked.append(name)
        connection.context = self.certificate


class Network:
    """Who is looked up and connected to. The name has the receiver's address, and another when it is asked again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looked_up: list[str] = []
        self.connected: list[str] = []
        self._look_up, self._connect = socket.getaddrinfo, socket.socket.connect
        monkeypatch.setattr(socket, "getaddrinfo", self.look_up)
        monkeypatch.setattr(socket.socket, "connect", lambda one, address: self.connect(one, address))

    def look_up(self, host: str, port: int, *rest: Any, **more: Any) -> Any:
        if host != NAME:
            return self._look_up(host, port, *rest, **more)
        self.looked_up.append(host)
        address = HERE if len(self.looked_up) == 1 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))]

    def connect(self, one: socket.socket, address: Any) -> None:
        self.connected.append(address[0])
        self._connect(one, address)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "known")


@pytest.fixture
def tls_server(authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> TlsServer:
    """Of a receiver on a machine that trusts the authority, as an operator would have it do."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    return TlsServer(receiver)


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Network:
    settings.WEBHOOK_TARGETS = parse_networks(f"{HERE}/32")
    return Network(monkeypatch)


@pytest.fixture
def delivery(caller: Caller, receiver: Receiver, tls_server: TlsServer, network: Network) -> EventDelivery:
    """What is to be told to the receiver, by its name."""
    caller.webhook(f"https://{NAME}:{receiver.server_port}/in", *EVENT_KINDS)
    caller.entity()
    return EventDelivery.objects.get()


def refused(kind: str, authority: Authority, folder: Path) -> ssl.SSLContext:
    if kind == "of another host":
        return authority.certify("DNS:other.example.com")
    if kind == "expired":
        return authority.certify(f"DNS:{NAME}", is_expired=True)
    return Authority(folder / "unknown").certify(f"DNS:{NAME}")


@pytest.mark.parametrize("kind", ["of another host", "expired", "of an unknown authority"])
def test_another_certificate_is_refused_and_the_event_tried_again(
    kind: str,
    delivery: EventDelivery,
    authority: Authority,
    tls_server: TlsServer,
    network: Network,
    receiver: Receiver,
    clock: Clock,
    tmp_path: Path,
) -> None:
    tls_server.certificate = refused(kind, authority, tmp_path)
    assert send_due() == 0
    assert receiver.received == [], "nothing is said before the certificate is known to be good"
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts.get().outcome) == ("waiting", "tls_failed")
    assert (network.connected, tls_server.asked) == ([HERE], [NAME])
    tls_server.certificate = authority.certify(f"DNS:{NAME}")
    network.looked_up.clear()
    clock.move(seconds=6)
    assert send_due() == 1
    assert receiver.ids == [delivery.event.id]
    assert receiver.received[0].headers["host"] == f"{NAME}:{receiver.server_port}"
    assert network.looked_up == [NAME], "once for each try"
    assert (set(network.connected), set(tls_server.asked)) == ({HERE}, {NAME})
