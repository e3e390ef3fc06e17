"""The memory of frames: a request's calls take it once, counted in page faults."""

import resource
from types import FunctionType

from django.http import HttpRequest, HttpResponse

from formation_portal.core.middleware import FrameMemory

_CALLS, _DEPTHS = 200, 500


def _leaf() -> None:
    pass


# Its frame is larger than those below it, so that at some depth it begins a chunk.
_large_leaf = FunctionType(_leaf.__code__.replace(co_stacksize=100), globals())


def _faults_at(depth: int) -> int:
    """Pages of memory that many calls take which are made so many frames further up."""
    if depth:
        return _faults_at(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(_CALLS):
        _large_leaf()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_no_call_takes_memory_for_its_frame() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        """Answer with the most faults at any depth."""
        return HttpResponse(str(max(map(_faults_at, range(_DEPTHS)))))

    assert int(FrameMemory(answer)(HttpRequest()).content) < _CALLS / 2
