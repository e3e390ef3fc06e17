"""Memory for the interpreter's frames, taken once a request instead of at every call that crosses a boundary.

CPython (3.11 and later) keeps the frames of Python functions in chunks of 16 kB, one after another, and gives a chunk
back as soon as its last frame returns. A page whose templates go to and fro across the end of a chunk takes and gives
back memory thousands of times, and costs up to 2.4 times as much; which page does so depends on how deep in the call
stack it happens to be drawn. A chunk is as large as its first frame needs, and a power of two: so a frame that asks for
much makes room for all frames above it.
"""

from collections.abc import Callable
from types import FunctionType

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

# In slots of 8 bytes: half a chunk of 512 kB and a little more. The other half holds some 1,500 frames, more than the
# recursion limit. Nothing of it is written, so no memory is used but what those frames touch.
_SLOTS = 33_000


def _call(get_response: GetResponse, request: HttpRequest) -> HttpResponse:
    return get_response(request)


_call_with_room = FunctionType(_call.__code__.replace(co_stacksize=_SLOTS), globals(), "_call_with_room")


class FrameMemory:
    """Answers each request above a frame that has room for all that follow. It stands first of all."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: HttpResponse = _call_with_room(self.get_response, request)
        return response
