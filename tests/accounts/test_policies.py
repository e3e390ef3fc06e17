"""Every address declares whom it is for, and keeps to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from formation_portal.accounts.policies import Policy, policy_of

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

    def __str__(self) -> str:
        return self.path


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
    return [one for one in OWN if policy_of(one.view) in policies]


@pytest.mark.parametrize("address", OWN, ids=str)
def test_every_address_declares_a_policy(address: Address) -> None:
    assert policy_of(address.view) is not None, f"{address.view} declares no policy"


def test_the_walk_sees_the_whole_house() -> None:
    paths = {one.path for one in OWN}
    assert {"/", "/applications/", "/desk/", "/applications/sample/sections/sample/"} <= paths


def test_each_policy_is_declared_where_it_belongs() -> None:
    below = {policy: {one.path.split("/")[1] for one in guarded(policy)} for policy in Policy}
    assert (below[Policy.AGENT], below[Policy.INVITED]) == ({"desk", "workbench"}, {"part"})
    assert [one.path for one in guarded(Policy.SIGNED)] == ["/webhooks/formation-service/"]
    assert "applications" in below[Policy.CUSTOMER]
    assert below[Policy.SIGNED_IN] == {"collaboration", "unsent", "your-data"}
    assert {"", "guide", "help", "letters", "privacy", "products", "terms"} <= below[Policy.PUBLIC]
    assert not below[Policy.PUBLIC] & {"applications", "desk"}


@pytest.mark.parametrize("page", ["email", "password/change", "password/set", "2fa", "sessions", "reauthenticate"])
def test_an_anonymous_visitor_signs_in_before_changing_an_account(page: str, as_nobody: Client) -> None:
    answer = as_nobody.get(f"/accounts/{page}/")
    assert answer.status_code == 302
    assert answer["Location"].replace("%2F", "/").startswith(f"/accounts/login/?next=/accounts/{page}/")


@pytest.mark.parametrize("address", guarded(Policy.SIGNED_IN, Policy.CUSTOMER, Policy.AGENT), ids=str)
def test_nobody_signs_in_first(address: Address, as_nobody: Client) -> None:
    for ask in (as_nobody.get, as_nobody.post):
        response = ask(address.path)
        # A view that takes only one method says so to everybody.
        assert response.status_code in (302, 405)
        assert response.status_code == 405 or response["Location"].startswith("/accounts/login/?next=%2F")


@pytest.mark.parametrize("address", guarded(Policy.AGENT), ids=str)
def test_the_desk_is_shut_to_customers(address: Address, as_owner: Client) -> None:
    assert as_owner.get(address.path).status_code == 403


@pytest.mark.parametrize("address", guarded(Policy.SIGNED), ids=str)
def test_what_a_machine_signs_is_taken_from_no_browser(
    address: Address, as_nobody: Client, as_owner: Client, as_agent: Client
) -> None:
    for browser in (as_nobody, as_owner, as_agent):
        assert browser.post(address.path, "{}", content_type="application/json").status_code == 401
        assert browser.get(address.path).status_code == 405


RECORDS = [one for one in guarded(Policy.CUSTOMER) if "sample" in one.path]


@pytest.mark.parametrize("address", RECORDS, ids=str)
def test_a_record_that_is_not_there_is_not_found(address: Address, as_owner: Client) -> None:
    assert as_owner.get(address.path).status_code in (404, 405)


@pytest.mark.parametrize("address", guarded(Policy.INVITED), ids=str)
def test_a_part_is_shut_to_whoever_has_not_opened_its_link(
    address: Address, as_nobody: Client, as_owner: Client, as_agent: Client
) -> None:
    for browser in (as_nobody, as_owner, as_agent):
        for ask in (browser.get, browser.post):
            response = ask(address.path)
            assert response.status_code in (404, 405)
            assert response.status_code == 405 or b"This can\xe2\x80\x99t be opened" in response.content
