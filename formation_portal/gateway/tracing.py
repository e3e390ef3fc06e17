"""The X-Request-Id of the calls to come, where the caller has written one down before it calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_given: ContextVar[str] = ContextVar("request_id", default="")


@contextmanager
def request_id(value: str) -> Iterator[None]:
    """Calls inside the block carry this id, so that a process that dies has left it behind."""
    token = _given.set(value)
    try:
        yield
    finally:
        _given.reset(token)


def given() -> str:
    """The id that calls carry now; empty where each gets one of its own."""
    return _given.get()
