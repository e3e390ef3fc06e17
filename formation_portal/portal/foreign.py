"""Answers that are no pages of ours: nothing in them may act as one, and no cache keeps them."""

from typing import TypeVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase

Answer = TypeVar("Answer", bound=HttpResponseBase)

_ALONE = "default-src 'none'; sandbox"


def sealed(response: Answer) -> Answer:
    """The answer with a policy under which its content can do nothing, of exactly the type that it says."""
    response.headers["Content-Security-Policy"] = _ALONE
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def to_be_saved(response: Answer, *, name: str) -> Answer:
    """The answer as a file of this name for its reader alone. The name is ours: names of people stay inside."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return sealed(response)


def picture(jpeg: bytes, *, name: str) -> HttpResponseBase:
    """A picture that we have drawn of a document, to be shown within a page; the name is ours."""
    answer = HttpResponse(jpeg, content_type="image/jpeg")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}.jpg"'
    return sealed(answer)
