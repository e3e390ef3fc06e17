"""A plan that aims: the first tries of things at one endpoint meet one kind, and nothing else meets any."""

import json
from pathlib import Path


class Aim:
    """Stands in for a FaultPlan, for the service or for the proxy; remembers in a file whom it has hit."""

    def __init__(self, *, endpoint: str, kind: str, times: int, ledger: Path) -> None:
        self._endpoint, self._kind, self._times, self._ledger = endpoint, kind, times, ledger
        ledger.touch()

    def draw(self, endpoint: str, key: str) -> str | None:
        """The kind, for a key that comes for the first time, so many times."""
        hit = self._hit()
        if endpoint != self._endpoint or len(hit) >= self._times or any(one["key"] == key for one in hit):
            return None
        line = json.dumps({"endpoint": endpoint, "kind": self._kind, "key": key})
        with self._ledger.open("a") as ledger:
            ledger.write(line + "\n")
        return self._kind

    def kills_before(self, endpoint: str) -> bool:
        """By turns."""
        return len(self._hit()) % 2 == 1

    def _hit(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self._ledger.read_text().splitlines()]
