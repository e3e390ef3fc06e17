"""Answers that hold what somebody else has made: nothing in them may act as a page of ours, and no cache keeps them."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase

_ALONE = "default-src 'none'; sandbox"


def sealed(response: HttpResponseBase) -> HttpResponseBase:
    """The answer with a policy under which its content can do nothing, of exactly the type that it says."""
    response.headers["Content-Security-Policy"] = _ALONE
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def picture(jpeg: bytes, *, name: str) -> HttpResponseBase:
    """A picture that we have drawn of a document, to be shown within a page; the name is ours."""
    answer = HttpResponse(jpeg, content_type="image/jpeg")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}.jpg"'
    return sealed(answer)
