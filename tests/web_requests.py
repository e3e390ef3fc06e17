"""Only the worker writes to the service: a call that changes anything fails when a web request makes it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.handlers.base import BaseHandler

from formation_portal.gateway.calls import Caller

_handling = threading.local()


@contextmanager
def web_request() -> Iterator[None]:
    """What the handler does while it answers."""
    _handling.depth = getattr(_handling, "depth", 0) + 1
    try:
        yield
    finally:
        _handling.depth -= 1


def forbid_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, in this test."""
    answer, call = BaseHandler.get_response, Caller.call

    def answering(self: BaseHandler, request: Any) -> Any:
        with web_request():
            return answer(self, request)

    def calling(self: Caller, asked: Any) -> Any:
        is_within = getattr(_handling, "depth", 0) > 0
        assert asked.method == "GET" or not is_within, f"A web request makes the call {asked.method} {asked.path}"
        return call(self, asked)

    monkeypatch.setattr(BaseHandler, "get_response", answering)
    monkeypatch.setattr(Caller, "call", calling)
