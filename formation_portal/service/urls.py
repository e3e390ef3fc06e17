"""The service's addresses, below `/api/`. Whatever is asked for below /api/v1, the answer is the service's own."""

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from formation_portal.service.api import api
from formation_portal.service.docs import docs
from formation_portal.service.door import envelope


def nothing_here(request: HttpRequest, rest: str = "") -> HttpResponseBase:
    """404 for every address that is no route."""
    raise Http404


routes = api.urls
for pattern in routes[0]:
    assert isinstance(pattern, URLPattern)
    pattern.callback = envelope(pattern.callback)

urlpatterns = [
    path("v1/", routes),
    path("v1/docs", envelope(docs), name="service-docs"),
    path("v1", envelope(nothing_here)),
    path("v1/<path:rest>", envelope(nothing_here)),
]
