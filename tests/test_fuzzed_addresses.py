"""Every address with hostile words in each of its parts and parameters, for everybody: never a 500.

The parameters are those that a view asks for when it is called, so that no list of them has to be kept.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from formation_portal.applications.draft import Draft
from tests.journeys.conftest import full_catalog

__all__ = ["full_catalog"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

HOSTILE = (
    "",
    "\x00",
    "9e999",
    "-1",
    "0",
    "9" * 30,
    "9" * 5000,
    "²",
    "١٢٣",
    "NaN",
    "USD-9e999",
    "USD-1e-9999",
    "-5",
    "🜁\u202e\ud7ff",
    "x" * 3000,
    "../../etc/passwd",
    "%00%ff",
    "//evil.example/\\",
    "http://[",
    "'\"><script>",
    "2026-99-99T99:99:99",
    "9999-12-31T23:59:59.999999+14:00",
    "0001-01-01T00:00:00-14:00",
    "1~2~3",
    "[]{}",
)
METHODS = ("get", "post")
EVERYBODY = ("nobody", "customer", "agent")
AGENTS = ("desk/", "workbench/")
CUSTOMERS = (
    *("applications/", "accounts/2fa/", "accounts/email/", "accounts/password/change/", "accounts/sessions/"),
    *("accounts/reauthenticate/", "unsent/", "session/", "part/", "collaboration/"),
)
# What no view may be asked without: signing out would end the others' session.
LEAVES = ("account_logout",)


class Address:
    """A pattern of the resolver with the names of its parts."""

    def __init__(self, route: str, name: str, parts: dict[str, str]) -> None:
        self.route, self.name, self.parts = route, name, parts

    def path(self, **values: str) -> str:
        """With these values; parts that can't hold one are left as they are by the resolver: 404."""
        path = self.route
        for part, kind in self.parts.items():
            path = path.replace(f"<{kind}:{part}>" if kind else f"<{part}>", quote(values[part], safe=""))
        return f"/{path}"


def addresses(resolver: URLResolver, before: str = "", parts: dict[str, str] | None = None) -> Iterator[Address]:
    for entry in resolver.url_patterns:
        pattern: Any = entry.pattern
        kinds = {name: _kind(converter) for name, converter in getattr(pattern, "converters", {}).items()}
        route, all_parts = before + str(pattern), (parts or {}) | kinds
        if isinstance(entry, URLResolver):
            yield from addresses(entry, route, all_parts)
        elif isinstance(entry, URLPattern) and entry.name not in LEAVES and "(?P" not in route:
            yield Address(route, entry.name or route, all_parts)


def _kind(converter: Any) -> str:
    return str(type(converter).__name__).removesuffix("Converter").lower().replace("string", "str")


ADDRESSES = list(addresses(get_resolver()))


@contextmanager
def names_asked_for(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    asked: set[str] = set()
    with monkeypatch.context() as patch:
        for method in ("get", "getlist", "__getitem__", "__contains__"):
            original = getattr(QueryDict, method)

            def spy(self: QueryDict, key: str, *args: Any, _original: Any = original, **more: Any) -> Any:
                asked.add(str(key))
                return _original(self, key, *args, **more)

            patch.setattr(QueryDict, method, spy, raising=False)
        yield asked


@pytest.fixture
def real(submitted: Draft) -> dict[str, str]:
    """For each part of an address something that is there."""
    party = submitted.parties[0]
    return {
        "reference": submitted.application.reference,
        "token": party.token,
        "party": party.token,
        "share_class": "x",
        "key": "the-company",
        "number": "1",
        "page": "1",
        "name": "404",
        "kind": "invitation",
        "code": "VG",
    }


@pytest.fixture
def everybody(as_nobody: Client, as_owner: Client, as_agent: Client) -> dict[str, Client]:
    browsers = dict(zip(EVERYBODY, (as_nobody, as_owner, as_agent), strict=True))
    for browser in browsers.values():
        browser.raise_request_exception = False
    return browsers


def faults(
    browser: Client, address: Address, real: dict[str, str], words: Iterable[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    plain = {part: real.get(part, "sample") for part in address.parts}

    def try_(path: str) -> Iterator[str]:
        for method in METHODS:
            answer = getattr(browser, method)(path)
            if answer.streaming:
                # A file is closed once it was sent.
                b"".join(answer)
            if answer.status_code == 500:
                yield f"{method} {path[:200]}"

    with names_asked_for(monkeypatch) as names:
        yield from try_(address.path(**plain))
    for word in words:
        for part in address.parts:
            yield from try_(address.path(**plain | {part: word}))
        # All at once: a view that stumbles over one of them does so beside others.
        if names:
            yield from try_(f"{address.path(**plain)}?{urlencode(dict.fromkeys(sorted(names), word))}")


def asked_by(who: str, all_of_them: Iterable[Address] = ADDRESSES) -> list[Address]:
    """In short: the addresses that are meant for somebody, and a fifth of the others', where most are turned away
    before anything is read."""
    chosen = []
    for number, one in enumerate(all_of_them):
        is_agents, is_customers = one.route.startswith(AGENTS), one.route.startswith(CUSTOMERS)
        meant_for = "agent" if is_agents else "customer" if is_customers else "nobody"
        if who == meant_for or number % 5 == EVERYBODY.index(who):
            chosen.append(one)
    return chosen


def some(number: int, who: str) -> tuple[str, ...]:
    """One of the hostile words: another for each address, and another for each of those who ask."""
    return (HOSTILE[(number + 7 * EVERYBODY.index(who)) % len(HOSTILE)],)


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("is_thorough", [False, pytest.param(True, marks=pytest.mark.long)])
def test_no_address_is_answered_by_a_500(
    who: str,
    is_thorough: bool,
    everybody: dict[str, Client],
    real: dict[str, str],
    full_catalog: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = ADDRESSES if is_thorough else asked_by(who)
    found = [
        fault
        for number, one in enumerate(chosen)
        for fault in faults(everybody[who], one, real, HOSTILE if is_thorough else some(number, who), monkeypatch)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["account_login", "account_signup", "account_reset_password", "account_inactive"])
def test_a_way_back_that_is_no_address_leads_nowhere(as_nobody: Client, name: str) -> None:
    answer = as_nobody.get(reverse(name), {"next": "http://["})
    assert answer.status_code == 200
    assert b'href="http://[' not in answer.content


def test_no_filter_of_the_catalog_is_a_500_and_a_price_that_is_none_filters_nothing(
    as_nobody: Client, full_catalog: Any
) -> None:
    names = ("region", "country", "type", "price", "compare", "page")
    for word in HOSTILE:
        assert as_nobody.get("/", dict.fromkeys(names, word)).status_code == 200, word
    for price in ("USD-9e999", "USD-" + "9" * 40, "\x00-1"):
        answer = as_nobody.get("/", {"price": price})
        assert answer.status_code == 200
        assert b"9e999" not in answer.content
