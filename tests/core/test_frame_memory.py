"""The memory of frames: a request's calls take it once, counted in page faults."""

import resource
from collections.abc import Callable
from types import FunctionType

import pytest
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


def _worst(call: Callable[[Callable[[HttpRequest], HttpResponse], HttpRequest], HttpResponse]) -> int:
    """The most faults at any depth, as an answer that is its own number."""

    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(str(max(map(_faults_at, range(_DEPTHS)))))

    return int(call(answer, HttpRequest()).content)


def test_no_call_takes_memory_for_its_frame() -> None:
    assert _worst(lambda answer, request: FrameMemory(answer)(request)) < _CALLS / 2


def test_what_recurses_is_refused_as_ever() -> None:
    def recurse(request: HttpRequest) -> HttpResponse:
        return recurse(request)

    with pytest.raises(RecursionError):
        FrameMemory(recurse)(HttpRequest())
