"""Events go to the public internet, and beyond it only where a setting lists it, whatever a name answers."""

import socket
from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.core.networks import parse_networks
from formation_portal.service.webhooks.posting import TargetRefused, checked_addresses, post

from .receiver import Receiver

PRIVATE = (
    "127.0.0.1",
    "10.0.0.8",
    "169.254.169.254",
    "100.64.0.1",
    "::1",
    "fd00::1",
    "::ffff:10.0.0.8",
    "64:ff9b::a00:8",
    "2002:a00:8::1",
    "2001:0:1::1",
)
PUBLIC = ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946")

Names = Callable[..., list[str]]


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Names:
    """What each look at the name answers, one after the other; gives back the names that were asked for."""

    def named(*answers: tuple[str, ...]) -> list[str]:
        asked: list[str] = []

        def look_up(host: str, port: int, **_: Any) -> Any:
            asked.append(host)
            found = answers[min(len(asked), len(answers)) - 1]
            return [(socket.AF_UNSPEC, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        return asked

    return named


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_with_one_address_inside_is_refused(named: Names, settings: Any, address: str) -> None:
    settings.WEBHOOK_TARGETS = ()
    for answer in ((address,), (*PUBLIC, address)):
        named(answer)
        with pytest.raises(TargetRefused):
            checked_addresses("https://hooks.example.com/in")


def test_public_addresses_are_taken_by_https_alone(named: Names) -> None:
    named(PUBLIC)
    assert [str(one) for one in checked_addresses("https://hooks.example.com/in")] == list(PUBLIC)
    with pytest.raises(TargetRefused):
        checked_addresses("http://hooks.example.com/in")


def test_what_a_setting_lists_is_taken_and_nothing_beside_it(named: Names, settings: Any) -> None:
    settings.WEBHOOK_TARGETS = parse_networks("10.0.0.0/24, fd00::/8")
    named(("10.0.0.8", "fd00::1"))
    assert len(checked_addresses("http://inside.example/in")) == 2
    named(("10.0.1.8",))
    with pytest.raises(TargetRefused):
        checked_addresses("https://inside.example/in")


def test_a_name_is_looked_up_once_and_the_checked_address_connected_to(
    named: Names, settings: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers with another address the second time is never asked a second time."""
    settings.WEBHOOK_TARGETS = parse_networks("127.0.0.1/32")
    asked = named(("127.0.0.1",), ("10.0.0.8",))
    connected: list[Any] = []
    connect = socket.socket.connect
    monkeypatch.setattr(
        socket.socket, "connect", lambda self, address: (connected.append(address[0]), connect(self, address))[1]
    )

    def by_number_only(host: str, port: int, *_: Any, **more: Any) -> Any:
        if host == "hooks.example.com":
            return first(host, port, **more)
        assert host == "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]

    first = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", by_number_only)
    outcome, _ = post(f"http://hooks.example.com:{receiver.server_port}/in", b"{}", {})
    assert outcome == "delivered"
    assert (asked, connected) == (["hooks.example.com"], ["127.0.0.1"])
    assert receiver.received[0].headers["host"] == f"hooks.example.com:{receiver.server_port}"


def test_a_refused_target_is_never_connected_to(
    named: Names, settings: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_TARGETS = ()
    named(("127.0.0.1",))
    assert post(f"http://hooks.example.com:{receiver.server_port}/in", b"{}", {})[0] == "target_refused"
    assert receiver.received == []


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(200, "delivered"), (299, "delivered"), (300, "refused"), (410, "refused"), (503, "refused")],
)
def test_only_an_answer_of_success_is_a_delivery(receiver: Receiver, status: int, outcome: str) -> None:
    receiver.status = status
    assert post(receiver.url, b"{}", {}) == (outcome, status)


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status, receiver.more = 307, {"Location": f"http://127.0.0.1:{receiver.server_port}/elsewhere"}
    outcome = post(receiver.url, b"{}", {})
    assert outcome == ("refused", 307)
    assert [one.path for one in receiver.received] == ["/in?key=hidden"]
