"""Lines of the log: what they know besides their words, and how they are written (LOG_FORMAT).

A line as JSON says which request it belongs to, whose account it is, and which delivery the relay is at: numbers and
ids only. The request's id goes along with calls to the formation service (gateway/calls.py), whose log then has it too.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest

_known: ContextVar[Mapping[str, Any]] = ContextVar("log_context", default=MappingProxyType({}))


@contextmanager
def log_context(**known: Any) -> Iterator[dict[str, Any]]:
    """Lines inside the block know this, beside what those around it know. What can be called is, for each line.

    The block may add to what it is given, or correct it.
    """
    here = {**_known.get(), **known}
    token = _known.set(here)
    try:
        yield here
    finally:
        _known.reset(token)


def current_request_id() -> str:
    """The id of the request that is being answered, or of the call that is being made; else empty."""
    return str(_known.get().get("request", ""))


def account_id(request: HttpRequest) -> int | None:
    """The number of whoever is signed in, as far as the answer needed to know it: no line costs a query."""
    return getattr(getattr(request, "_cached_user", None), "pk", None)


class JsonFormatter(logging.Formatter):
    """One object a line: time, level, logger, message, and what is known of request, account and delivery."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        known = _known.get()
        # Of an answer's status Django speaks when all middleware has ended.
        if "request" not in known and isinstance(request := getattr(record, "request", None), HttpRequest):
            known = {"request": getattr(request, "request_id", None), "account": account_id(request)}
        for name, value in known.items():
            if (said := value() if callable(value) else value) is not None:
                line[name] = said
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class WithoutTraceback(logging.Filter):
    """For handlers: what a client did wrong is told without a traceback, which would be of no use."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = None
        return True


class WithoutRequest(logging.Filter):
    """Replace Waitress's message about a request that it cannot parse: it quotes the request and its sender."""

    def filter(self, record: logging.LogRecord) -> bool:
        if "uncaptured python exception" in record.getMessage():
            record.msg, record.args = "A connection was closed: its request could not be parsed", ()
        return True
