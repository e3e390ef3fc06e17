"""Listens to an event of `formation_portal/workflow.py`."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal import workflow


def subscribe(monkeypatch: pytest.MonkeyPatch, event: str, subscriber: Callable[..., Any]) -> None:
    """Call `subscriber` with the arguments of each event, once `workflow` has handled it."""
    others = getattr(workflow, event)

    def call(*args: Any, **named: Any) -> Any:
        answer = others(*args, **named)
        own = subscriber(*args, **named)
        return (*answer, *own) if isinstance(answer, tuple) else answer

    monkeypatch.setattr(workflow, event, call)
