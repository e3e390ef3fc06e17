"""What each fault of a plan does to a request at the other make's door."""

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from .messages import Received, Reply

POSTS = ("entities", "csp-data", "parties", "share-classes", "shareholdings", "documents")

Do = Callable[[Received], Reply]


class Plan(Protocol):
    """Who says which request meets which fault."""

    def draw(self, endpoint: str, key: str) -> str | None:
        """The fault for the endpoint's next request, or None."""

    def kills_before(self, endpoint: str) -> bool:
        """Whether the newest kill there strikes before the request is done."""


@dataclass
class BrokenReply:
    """An answer that goes out exactly so."""

    status: int
    text: str
    headers: dict[str, str] = field(default_factory=dict)


def with_fault(plan: Plan | None, request: Received, do: Do) -> Reply | BrokenReply:
    """What the request is answered, with the plan's fault if it has one."""
    endpoint = request.path.rpartition("/")[2]
    if plan is None or request.method != "POST" or endpoint not in POSTS:
        return do(request)
    kind = plan.draw(endpoint, request.headers.get("Idempotency-Key", ""))
    if kind == "killed":
        _die(request, do, is_before=plan.kills_before(endpoint))
    return _SPOIL[kind](request, do)


def _error_before(request: Received, do: Do) -> BrokenReply:
    return BrokenReply(500, json.dumps({"error": "Something broke"}))


def _error_after(request: Received, do: Do) -> BrokenReply:
    do(request)
    return BrokenReply(500, json.dumps({"error": "Something broke"}))


def _too_many(request: Received, do: Do) -> BrokenReply:
    return BrokenReply(429, json.dumps({"error": "Not so fast"}), {"Retry-After": "1"})


def _broken_json(request: Received, do: Do) -> BrokenReply:
    text = json.dumps({"data": do(request).body})
    return BrokenReply(201, text[: len(text) // 2])


def _die(request: Received, do: Do, *, is_before: bool) -> None:
    if not is_before:
        do(request)
    os.kill(os.getpid(), signal.SIGKILL)


_SPOIL: dict[str | None, Callable[[Received, Do], Reply | BrokenReply]] = {
    None: lambda request, do: do(request),
    "error_before": _error_before,
    "error_after": _error_after,
    "too_many": _too_many,
    "broken_json": _broken_json,
}
