"""`/livez` and `/readyz`: whether this process lives, and whether the portal can answer people.

They stand before everything else, so that a probe needs no host name that we know, costs no session, and is not logged.
"""

from collections.abc import Callable

from django.db import Error, connections
from django.http import HttpRequest, HttpResponse

LIVE, READY = "/livez", "/readyz"


class Health:
    """Answers both addresses in a word; 503 from `/readyz` names the databases that do not answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == LIVE:
            return _said("ok")
        if request.path_info == READY:
            away = [alias for alias in connections if not _answers(alias)]
            return _said(f"not ready: {', '.join(away)}", 503) if away else _said("ok")
        return self.get_response(request)


def _answers(alias: str) -> bool:
    try:
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        connections[alias].close()
        return False
    return True


def _said(text: str, status: int = 200) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status, headers=headers)
