"""The service's URLs below `/api/`."""

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from formation_portal.service.api import api, docs
from formation_portal.service.pipeline import with_envelope


@with_envelope
def nothing_here(request: HttpRequest, rest: str = "") -> HttpResponseBase:
    raise Http404


routes = api.urls
for pattern in routes[0]:
    assert isinstance(pattern, URLPattern)
    pattern.callback = with_envelope(pattern.callback)

urlpatterns = [
    path("v1/", routes),
    path("v1/docs", with_envelope(docs), name="service-docs"),
    path("v1", nothing_here),
    path("v1/<path:rest>", nothing_here),
]
