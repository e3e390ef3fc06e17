"""How large a request's body may be. Told by its address alone, before anybody is asked who they are.

The web server asks while a body arrives; the middleware asks again, so that it holds under any other server, too.
"""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse

from formation_portal.faults import bad_request
from formation_portal.service.pipeline import BODY_LIMITS
from formation_portal.whole_numbers import body_length

_SERVICE = "/api/"
# Addresses that machines post to: they look at the length themselves, and answer in JSON.
_OF_MACHINES = (_SERVICE, "/webhooks/")
# Addresses below which forms take files, and how many of the largest go into one.
_WITH_FILES = ("/applications/", "/part/")
_FILES_AT_ONCE = 6


def body_limit(path: str) -> int:
    """The most bytes that a request to the path may bring."""
    if path.startswith(_SERVICE):
        return max(BODY_LIMITS.values())
    fields = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return fields + _FILES_AT_ONCE * int(settings.UPLOAD_LIMIT) if path.startswith(_WITH_FILES) else fields


class BodyLimits:
    """Answers 413 to what is too large, without reading it. The addresses of machines look at the length themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_too_large = body_length(request.META) > body_limit(request.path_info)
        if is_too_large and not request.path_info.startswith(_OF_MACHINES):
            return bad_request(request, RequestDataTooBig())
        return self.get_response(request)
