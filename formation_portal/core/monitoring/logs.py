"""Add context to the lines of the log, and format the lines (LOG_FORMAT)."""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest

_context: ContextVar[Mapping[str, Any]] = ContextVar("log_context", default=MappingProxyType({}))


@contextmanager
def log_context(**values: Any) -> Iterator[dict[str, Any]]:
    """Add values to each line logged in the block, which may change the values. Callables are called for each line."""
    context = {**_context.get(), **values}
    token = _context.set(context)
    try:
        yield context
    finally:
        _context.reset(token)


def current_request_id() -> str:
    return str(_context.get().get("request", ""))


def account_id(request: HttpRequest) -> int | None:
    """Return the id of the signed-in account; None if there is none, or if nothing has loaded it yet."""
    return getattr(getattr(request, "_cached_user", None), "pk", None)


class PlainFormatter(logging.Formatter):
    # Times are in UTC, whatever the operator's zone.
    converter = staticmethod(time.gmtime)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        context = _context.get()
        # Django logs a request's errors when the context of the middleware has already ended.
        if "request" not in context and isinstance(request := getattr(record, "request", None), HttpRequest):
            context = {"request": getattr(request, "request_id", None), "account": account_id(request)}
        for name, value in context.items():
            if callable(value):
                value = value()
            if value is not None:
                line[name] = value
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class WithoutTraceback(logging.Filter):
    """Remove the traceback from lines about clients' invalid requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = None
        return True


class WithoutRequest(logging.Filter):
    """Replace Waitress's message about an unreadable request, since it quotes the request and its sender."""

    def filter(self, record: logging.LogRecord) -> bool:
        if "uncaptured python exception" in record.getMessage():
            record.msg = "A connection was closed: its request could not be parsed"
            record.args = ()
        return True
