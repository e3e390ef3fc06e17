"""Every address declares whom it is for, and keeps to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from formation_portal.accounts.policies import Policy

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# Addresses whose views answer for themselves, each with the reason.
ELSEWHERE = {
    "/accounts/": "allauth decides by itself who may sign up, sign in and change an account",
    "/api/": "django-ninja's routes ask for an API key and its scopes, not for people",
}

SAMPLES = {"int": "1", "uuid": "00000000-0000-0000-0000-000000000000"}


@dataclass(frozen=True)
class Address:
    """One pattern of the resolver, filled with sample values."""

    path: str
    view: Callable[..., Any]


def addresses(resolver: Any = None, prefix: str = "/") -> Iterator[Address]:
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + _sample(entry)
        if isinstance(entry, URLResolver):
            yield from addresses(entry, path)
        elif isinstance(entry, URLPattern):
            yield Address(path, entry.callback)


def _sample(entry: Any) -> str:
    route = str(entry.pattern)
    for name, converter in entry.pattern.converters.items():
        kind = type(converter).__name__.removesuffix("Converter").lower().replace("string", "str")
        route = route.replace(f"<{kind}:{name}>", SAMPLES.get(kind, "sample"))
    return route


OWN = [one for one in addresses() if not one.path.startswith(tuple(ELSEWHERE))]


def guarded(*policies: Policy) -> list[Address]:
    return [one for one in OWN if getattr(one.view, "policy", None) in policies]


def test_every_address_declares_a_policy() -> None:
    assert [address.path for address in OWN if not hasattr(address.view, "policy")] == []


def test_each_policy_is_declared_where_it_belongs() -> None:
    below = {policy: {one.path.split("/")[1] for one in guarded(policy)} for policy in Policy}
    assert (below[Policy.AGENT], below[Policy.INVITED]) == ({"desk", "workbench"}, {"part"})
    assert [one.path for one in guarded(Policy.SIGNED)] == ["/webhooks/formation-service/"]
    assert "applications" in below[Policy.CUSTOMER]
    assert below[Policy.SIGNED_IN] == {"collaboration", "unsent", "your-data"}
    assert {"", "guide", "help", "letters", "privacy", "products", "terms"} <= below[Policy.PUBLIC]
    assert not below[Policy.PUBLIC] & {"applications", "desk"}
