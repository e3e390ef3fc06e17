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
        if self.times == 0 or not re.search(self.pattern, request):
            return False
        if self.times is not None:
            self.times -= 1
        return True
