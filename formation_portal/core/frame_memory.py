"""Allocate memory for the interpreter's frames once per request, instead of at every call that starts a new chunk.

CPython (3.11 and later) stores the frames of Python functions in chunks of 16 kB, and frees a chunk as soon as its last
frame returns. A page whose templates often call across the end of a chunk allocates and frees memory thousands of
times, and takes up to 2.4 times as long, depending on the depth of the call stack where it is rendered. A chunk is as
large as its first frame needs, rounded up to a power of two: a large frame makes room for all frames above it.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

# In slots of 8 bytes: a little more than half a chunk of 512 kB. The other half holds some 1,500 frames, more than the
# recursion limit. The slots are never written, so they use no memory.
_SLOTS = 33_000


class FrameMemory(MiddlewareMixin):
    """Answer each request inside a large frame, which makes room for all frames above it. Stands before all others."""

    get_response: Callable[[HttpRequest], HttpResponseBase]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    __call__.__code__ = __call__.__code__.replace(co_stacksize=_SLOTS)
