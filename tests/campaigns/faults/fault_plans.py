"""Plans of faults beside the service's own, for the service or for the proxy."""

import json
from collections import Counter
from pathlib import Path

from tests.other_service.fault_injection import Plan
from tests.service.fault_plan import ENDPOINTS


class After:
    """A plan that begins at each endpoint only after so many calls: faults on faults would only stop the relay."""

    def __init__(self, plan: Plan, *, calls: int) -> None:
        self._plan, self._calls = plan, calls
        self._seen: Counter[str] = Counter()

    def draw(self, endpoint: str, key: str) -> str | None:
        """What the plan draws, once it has begun."""
        self._seen[endpoint] += 1
        return self._plan.draw(endpoint, key) if self._seen[endpoint] > self._calls else None

    def kills_before(self, endpoint: str) -> bool:
        """As the plan says."""
        return self._plan.kills_before(endpoint)


class Documented:
    """A plan for the documented calls alone, where the service has no others."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def draw(self, endpoint: str, key: str) -> str | None:
        """What the plan draws."""
        return self._plan.draw(endpoint, key) if endpoint in ENDPOINTS else None

    def kills_before(self, endpoint: str) -> bool:
        """As the plan says."""
        return self._plan.kills_before(endpoint)


class Aim:
    """The first tries of things at one endpoint meet one kind, and nothing else meets any. Whom it hit is in a file."""

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

    @property
    def hits(self) -> int:
        """How many tries it has met."""
        return len(self._hit())

    def _hit(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self._ledger.read_text().splitlines()]
