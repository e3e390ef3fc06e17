"""Pages packed with Brotli, in less time than gzip takes, which is for whoever takes nothing else."""

import re
import secrets
from collections.abc import Callable

import brotli
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from .pages.first_visit import is_first_visit

# A browser with nothing of ours yet waits for every byte, so it gets the best that is quick: 7 takes far longer than 6
# and saves nothing. Else the processor counts: 3 takes a third of the time of 5 for one byte in six more, and only a
# long page is worth 4.
_QUALITY_OF_FIRST_VISIT, _QUALITY, _QUALITY_OF_LONG = 6, 3, 4
_LONG = 100_000
# Less than this is not worth it, as for gzip.
_SHORTEST = 200
_MOST_PADDING = 100
_TAKES_BROTLI = re.compile(r"\bbr\b")


class Brotli:
    """Packs whole answers for browsers that take Brotli; it stands within `GZipMiddleware`, which leaves those alone.

    A header of random length hides how well a page was packed, since that tells of its secrets to whoever may put words
    into it and count bytes (BREACH). Django's gzip does the same.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or len(response.content) < _SHORTEST:
            return response
        if response.has_header("Content-Encoding") or not _TAKES_BROTLI.search(
            request.headers.get("Accept-Encoding", "")
        ):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        response.content = brotli.compress(response.content, quality=_quality(request, response))
        response.headers["Content-Encoding"] = "br"
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["X-Padding"] = "0" * (1 + secrets.randbelow(_MOST_PADDING))
        # The same page in other bytes.
        if (etag := response.get("ETag", "")).startswith('"'):
            response.headers["ETag"] = f"W/{etag}"
        return response


def _quality(request: HttpRequest, response: HttpResponse) -> int:
    if is_first_visit(request):
        return _QUALITY_OF_FIRST_VISIT
    return _QUALITY if len(response.content) < _LONG else _QUALITY_OF_LONG
