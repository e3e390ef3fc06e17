"""Every address declares whom it is for. What each policy means: tests/access/table.md."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLResolver, get_resolver

from formation_portal.accounts.policies import Policy

# allauth decides by itself who may change an account, and the service's routes ask for an API key and its scopes.
ELSEWHERE = ("/accounts/", "/api/")


def addresses(resolver: Any = None, prefix: str = "/") -> Iterator[tuple[str, Any]]:
    """Yield the route and the view of every address."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry, route)
        else:
            yield route, entry.callback


OWN = {route: view for route, view in addresses() if not route.startswith(ELSEWHERE)}


def test_every_address_declares_a_policy() -> None:
    assert [route for route, view in OWN.items() if not hasattr(view, "policy")] == []


def test_each_policy_is_declared_where_it_belongs() -> None:
    routes = {policy: {route for route, view in OWN.items() if view.policy is policy} for policy in Policy}
    below = {policy: {route.split("/")[1] for route in routes[policy]} for policy in Policy}
    assert (below[Policy.AGENT], below[Policy.INVITED]) == ({"desk", "workbench"}, {"part"})
    assert routes[Policy.SIGNED] == {"/webhooks/formation-service/"}
    assert "applications" in below[Policy.CUSTOMER]
    assert below[Policy.SIGNED_IN] == {"collaboration", "unsent", "your-data"}
    assert {"", "guide", "help", "letters", "privacy", "products", "terms"} <= below[Policy.PUBLIC]
    assert not below[Policy.PUBLIC] & {"applications", "desk"}
