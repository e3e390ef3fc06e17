"""A request comes from whom the trusted proxies say; nobody else's word counts."""

from typing import Any

import pytest
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.core.networks import TrustedProxies, local_origin, parse_networks
from formation_portal.environment import read_environment
from tests.accounts.test_addresses import confirmed

PROXY, OUTER, CLIENT = "10.0.0.1", "10.0.0.2", "203.0.113.7"


@pytest.fixture
def behind(settings: Any) -> None:
    settings.TRUSTED_PROXIES = parse_networks("10.0.0.0/8, fd00::/8")


def seen(**meta: str) -> HttpRequest:
    """The request as everything behind the middleware sees it."""
    request = RequestFactory().get("/", **meta)
    TrustedProxies(lambda _: HttpResponse())(request)
    return request


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        # With what its client had said before.
        (PROXY, f"198.51.100.1, 10.9.9.9, {CLIENT}", CLIENT),
        (PROXY, "", PROXY),
        (PROXY, f"<script>, {OUTER}", OUTER),
        (PROXY, f"{CLIENT}:4711", CLIENT),
        ("fd00::1", "[2001:db8::7]:4711", "2001:db8::7"),
        # Through a socket for both versions.
        (f"::ffff:{PROXY}", f"::ffff:{CLIENT}", CLIENT),
        # By a stranger in the name of a proxy.
        (CLIENT, f"{PROXY}, {PROXY}", CLIENT),
        ("", CLIENT, ""),
    ],
)
def test_a_request_comes_from_the_last_who_is_no_trusted_proxy(peer: str, header: str, client: str) -> None:
    assert seen(REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=header).META["REMOTE_ADDR"] == client


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize(
    ("peer", "header", "is_secure"),
    [
        (PROXY, "https", True),
        (PROXY, "http", False),
        (PROXY, "https, http", False),
        (CLIENT, "https", False),
    ],
)
def test_only_a_trusted_proxy_says_that_it_was_https(peer: str, header: str, is_secure: bool) -> None:
    assert seen(REMOTE_ADDR=peer, HTTP_X_FORWARDED_PROTO=header).is_secure() is is_secure


def test_without_the_setting_nobody_is_believed_and_nobody_hears_it() -> None:
    headers = {"HTTP_X_FORWARDED_FOR": CLIENT, "HTTP_X_FORWARDED_PROTO": "https", "HTTP_FORWARDED": "for=1.2.3.4"}
    request = seen(REMOTE_ADDR="127.0.0.1", **headers)
    assert request.META["REMOTE_ADDR"] == "127.0.0.1"
    assert not request.is_secure()
    assert not headers.keys() & request.META.keys()


@given(header=st.text(alphabet="0123456789abcdef.:[], \t%/-", max_size=200))
def test_no_header_is_a_fault(header: str) -> None:
    with override_settings(TRUSTED_PROXIES=parse_networks("0.0.0.0/0, ::/0")):
        seen(REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=header, HTTP_X_FORWARDED_PROTO=header)


def tries(client: str, times: int, *, peer: str = PROXY, first: int = 0) -> None:
    """Wrong tries, each for another account."""
    browser = Client(REMOTE_ADDR=peer, headers={"x-forwarded-for": client})
    for number in range(first, first + times):
        browser.post("/accounts/login/", {"login": f"{number}@example.com", "password": "wrong"})


def gets_in(client: str, *, peer: str = PROXY) -> bool:
    browser = Client(REMOTE_ADDR=peer, headers={"x-forwarded-for": client})
    posted = {"login": "ada@example.com", "password": "a passphrase of the owner"}
    return browser.post("/accounts/login/", posted).status_code == 302


@pytest.mark.django_db(databases=["default", "service"])
@pytest.mark.usefixtures("behind")
def test_each_behind_one_proxy_is_counted_and_whoever_names_another_address_with_each_try_is_one() -> None:
    confirmed()
    tries("198.51.100.1", 40)
    assert not gets_in("198.51.100.1"), "whoever guesses is slowed down"
    assert gets_in(CLIENT)
    cache.clear()
    for number in range(20):
        tries(f"198.51.100.{number}", 1, peer=CLIENT, first=number)
    assert not gets_in("198.51.100.99", peer=CLIENT)


def test_a_network_that_is_none_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.0/8, the balancer")
    with pytest.raises(SystemExit) as stop:
        read_environment()
    assert "TRUSTED_PROXIES" in str(stop.value)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("0.0.0.0", "http://localhost:8000"),
        ("::1", "http://localhost:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
        ("2001:db8::7", "http://[2001:db8::7]:8000"),
    ],
)
def test_emails_lead_to_the_address_that_the_start_prints(host: str, expected: str) -> None:
    assert local_origin(host, 8000) == expected
