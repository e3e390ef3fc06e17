from datetime import UTC, datetime

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from django.urls import URLPattern
from ninja import NinjaAPI, Router

from formation_portal.service import problems
from formation_portal.service.api import complete_document
from formation_portal.service.routing import Deprecation, route, scopes_of_operations
from formation_portal.service.schemas.base import One
from tests.service.caller import Caller

FAREWELL = Deprecation(
    deprecated=datetime(2026, 11, 24, tzinfo=UTC),
    sunset=datetime(2027, 11, 24, 12, tzinfo=UTC),
    link="https://service.example/changes",
)


@pytest.mark.django_db(databases=["service"])
def test_a_route_that_will_go_says_when(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scopes_of_operations, "old_way", [])
    router = Router()

    @route(router, "GET", "/old", scopes="entities:read", gives=One[str], deprecation=FAREWELL)
    def old_way(request: HttpRequest) -> dict[str, str]:
        """The old way."""
        return {"data": "still here"}

    api = NinjaAPI(urls_namespace="old", docs_url=None)
    api.add_exception_handler(Exception, problems.error_response)  # type: ignore[arg-type]
    api.add_router("", router)
    (view,) = [route.callback for route in api.urls[0] if isinstance(route, URLPattern) and route.name == "old_way"]
    assert view is not None
    answer = view(RequestFactory().get("/old", headers={"Authorization": f"Bearer {caller.key}"}))
    assert answer.status_code == 200
    assert answer["Deprecation"] == f"@{int(FAREWELL.deprecated.timestamp())}"
    assert answer["Sunset"] == "Wed, 24 Nov 2027 12:00:00 GMT"
    assert answer["Link"] == '<https://service.example/changes>; rel="deprecation"'
    refused = view(RequestFactory().get("/old"))
    assert (refused.status_code, refused["Sunset"]) == (401, answer["Sunset"])
    document = complete_document(api.get_openapi_schema(path_prefix=""), scopes=scopes_of_operations)
    assert document["paths"]["/old"]["get"]["deprecated"] is True


@pytest.mark.django_db(databases=["service"])
def test_a_route_that_stays_says_nothing_of_the_kind(caller: Caller) -> None:
    answer = caller.get("/catalog")
    assert "Deprecation" not in answer
    assert "Sunset" not in answer
