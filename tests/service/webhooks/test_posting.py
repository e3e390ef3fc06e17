"""Events go to the public internet, and beyond it only where a setting lists it, whatever a name answers."""

from typing import Any

import pytest

from formation_portal.core.networks import parse_networks
from formation_portal.service.webhooks import posting
from formation_portal.service.webhooks.posting import TargetRefused, checked_addresses, post
from tests.gateway.conftest import Start
from tests.gateway.raw_server import Line, Script

from .conftest import Names
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


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_with_one_address_inside_is_refused(named: Names, settings: Any, address: str) -> None:
    settings.WEBHOOK_TARGETS = ()
    for answer in ((address,), (*PUBLIC, address)):
        named(answer)
        with pytest.raises(TargetRefused):
            checked_addresses("https://hooks.example.com/in")


def test_public_addresses_are_taken_by_https_alone(named: Names) -> None:
    named(PUBLIC)
    assert [str(address) for address in checked_addresses("https://hooks.example.com/in")] == list(PUBLIC)
    with pytest.raises(TargetRefused):
        checked_addresses("http://hooks.example.com/in")


def test_what_a_setting_lists_is_taken_and_nothing_beside_it(named: Names, settings: Any) -> None:
    settings.WEBHOOK_TARGETS = parse_networks("10.0.0.0/24, fd00::/8")
    named(("10.0.0.8", "fd00::1"))
    assert len(checked_addresses("http://inside.example.com/in")) == 2
    named(("10.0.1.8",))
    with pytest.raises(TargetRefused):
        checked_addresses("https://inside.example.com/in")


def test_a_name_is_looked_up_once_and_the_checked_address_connected_to(
    named: Names, settings: Any, receiver: Receiver
) -> None:
    settings.WEBHOOK_TARGETS = parse_networks("127.0.0.1/32")
    names = named(("127.0.0.1",), ("10.0.0.8",))
    outcome, _ = post(f"http://hooks.example.com:{receiver.server_port}/in", b"{}", {})
    assert (outcome, names) == ("delivered", ["hooks.example.com"])
    assert receiver.received[0].headers["host"] == f"hooks.example.com:{receiver.server_port}"


def test_a_refused_target_is_never_connected_to(named: Names, settings: Any, receiver: Receiver) -> None:
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
    assert post(receiver.url, b"{}", {}) == ("refused", 307)
    assert [request.path for request in receiver.received] == ["/in?key=hidden"]


@pytest.mark.parametrize("reply", [b"", b"220 mail.example\r\n", b"\xff" * 9_000, b"HTTP/1.1 2000 OK\r\n"])
def test_an_answer_that_is_none_is_not_taken_for_one(raw_server: Start, reply: bytes) -> None:
    assert post(raw_server(lambda line: line.send(reply)).url, b"{}", {}) == ("no_answer", None)


@pytest.mark.parametrize("script", [Line.wait_for_end, lambda line: line.drip("HTTP/1.1 200 OK\r\n")])
def test_waiting_for_an_answer_or_for_its_next_byte_ends_at_the_deadline(
    raw_server: Start, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    monkeypatch.setattr(posting, "POST_SECONDS", 0.5)
    assert post(raw_server(script).url, b"{}", {}) == ("timed_out", None)


def test_a_target_without_tls_is_not_told_in_the_clear(receiver: Receiver) -> None:
    outcome, _ = post(receiver.url.replace("http:", "https:"), b"{}", {})
    assert outcome == "tls_failed"
    assert receiver.received == []
