"""Events go by TLS to whoever proves the target's name: to the address that was checked, and to nobody else."""

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
from .conftest import Clock, Names
from .receiver import Receiver

pytestmark = [needs_openssl, pytest.mark.django_db(databases=["service"])]

NAME = "hooks.example.com"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "known")


@pytest.mark.parametrize("kind", ["of another host", "expired", "of an unknown authority"])
def test_another_certificate_is_refused_and_the_event_tried_again_at_the_address_that_was_checked(
    kind: str,
    caller: Caller,
    authority: Authority,
    named: Names,
    receiver: Receiver,
    clock: Clock,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    settings.WEBHOOK_TARGETS = parse_networks("127.0.0.1/32")
    host = "other.example.com" if kind == "of another host" else NAME
    issuer = Authority(tmp_path / "unknown") if kind == "of an unknown authority" else authority
    shown = [issuer.certify(f"DNS:{host}", is_expired=kind == "expired")]
    server_names = []

    def choose(connection: Any, name: str | None, _: ssl.SSLContext) -> None:
        server_names.append(name)
        connection.context = shown[-1]

    door = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    door.sni_callback = choose
    receiver.socket = door.wrap_socket(receiver.socket, server_side=True)
    caller.webhook(f"https://{NAME}:{receiver.server_port}/in", *EVENT_KINDS)
    caller.entity()
    delivery = EventDelivery.objects.get()

    named(("127.0.0.1",), ("127.0.0.2",))
    assert send_due() == 0
    assert receiver.received == [], "nothing is said before the certificate is known to be good"
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts.get().outcome) == ("waiting", "tls_failed")
    shown.append(authority.certify(f"DNS:{NAME}"))
    names = named(("127.0.0.1",), ("127.0.0.2",))
    clock.move(seconds=6)
    assert send_due() == 1
    assert receiver.ids == [delivery.event.id]
    assert receiver.received[0].headers["host"] == f"{NAME}:{receiver.server_port}"
    assert (names, server_names) == ([NAME], [NAME, NAME])
