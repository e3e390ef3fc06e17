"""The pages for what went wrong before or around a view. Each says what became of the answers."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: the request itself makes no sense."""
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: signed in, but not for this."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: nothing here, or nothing that is yours."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: our fault. Drawn without the request's context, which may be what failed."""
    return render(request, "500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    """403: the form's token doesn't fit the session; what was typed is shown again, to be sent once more.

    Only what came from a page of ours: to offer a stranger's form again would do what the token prevents.
    """
    posted = request.POST if _came_from_us(request) else None
    return render(request, "403_csrf.html", {"posted": posted}, status=403)


def _came_from_us(request: HttpRequest) -> bool:
    own = f"{request.scheme}://{request.get_host()}"
    return (
        request.headers.get("Origin") == own and request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )
