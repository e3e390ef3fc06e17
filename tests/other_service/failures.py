"""What can be made to go wrong at the other make, request by request. Nothing here counts seconds."""

import re
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Failure:
    """Meets the requests whose "METHOD path" the pattern finds, `times` times (None: until healed)."""

    pattern: str
    times: int | None = None
    status: int | None = None  # answers this
    body: Any = None  # with this: a text goes as it is, anything else as JSON
    headers: dict[str, str] = field(default_factory=dict)
    is_done: bool = False  # what was asked is done first, and only then the answer goes wrong
    is_cut: bool = False  # the line is cut instead of an answer
    gate: threading.Event | None = None  # the answer waits for it

    def meets(self, request: str) -> bool:
        """Whether it is this request's turn."""
        if self.times == 0 or not re.search(self.pattern, request):
            return False
        if self.times is not None:
            self.times -= 1
        return True


class Failures:
    """The troubles that are set; the first that meets a request has it."""

    def __init__(self) -> None:
        self._set: list[Failure] = []
        self._lock = threading.Lock()

    def add(self, trouble: Failure) -> None:
        """One more."""
        with self._lock:
            self._set.append(trouble)

    def for_request(self, request: str) -> Failure | None:
        """The trouble that this request meets."""
        with self._lock:
            return next((trouble for trouble in self._set if trouble.meets(request)), None)

    def heal(self) -> None:
        """All is well again, and whoever waits goes on."""
        with self._lock:
            for trouble in self._set:
                if trouble.gate:
                    trouble.gate.set()
            self._set.clear()
