"""Pages of the house for answers that come as a bare status: a wrong method, something gone, too large, too often; and
for addresses that can name nothing."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

PLAIN = (405, 410, 413, 429)
# The service answers in JSON, and in its own words.
_MACHINES = "/api/"


class ErrorPages:
    """Fills an empty answer with the page of its status, and keeps its headers; not where a page asks by itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info and not request.path_info.startswith(_MACHINES):
            # Nothing is called so, and PostgreSQL takes it for a fault of ours to ask.
            raise Http404
        response = self.get_response(request)
        is_bare = response.status_code in PLAIN and not response.streaming and not response.content
        if not is_bare or request.path_info.startswith(_MACHINES) or "HX-Request" in request.headers:
            return response
        page = render(request, f"{response.status_code}.html", status=response.status_code)
        for name, value in response.items():
            if name not in ("Content-Type", "Content-Length"):
                page[name] = value
        return page
