"""A share of the documented POSTs goes wrong, for as long as one likes; none goes wrong twice."""

import random
import threading
from collections import deque
from pathlib import Path

# Enough for every call that may still be repeated.
_REMEMBERED = 1000


class Share:
    """Draws like a FaultPlan, by chance. Each fault is a line in the log."""

    def __init__(self, share: float, *, kinds: tuple[str, ...], ledger: Path) -> None:
        self._share, self._kinds, self._ledger = share, kinds, ledger
        self._spoilt: deque[str] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def draw(self, endpoint: str, key: str) -> str | None:
        """The fault for the endpoint's next call, or None."""
        with self._lock:
            if key in self._spoilt or random.random() >= self._share:
                return None
            self._spoilt.append(key)
            kind = random.choice(self._kinds)
            with self._ledger.open("a") as ledger:
                ledger.write(f"{kind} {endpoint}\n")
            return kind

    def kills_before(self, endpoint: str) -> bool:
        """Nobody is killed: a process that starts anew has forgotten what it leaked."""
        return False
