"""kill -9 of web, worker and service at random moments, while customers go on saving and submitting."""

import random
import time
from pathlib import Path

from .base_campaign import CUSTOMERS, BaseCampaign
from .customers import Customer, broken_promises
from .environment import Ports
from .processes import Processes
from .result import Result
from .services import ServiceUnderTest
from .web_server import serve_site

KILLED = ("web", "worker", "service")
# Seconds between two kills, at most.
_LONGEST = 0.5
_LOOK_SECONDS = 0.02


class Kills(BaseCampaign):
    """One mode of it. `times` is how often each kind of process is killed."""

    def __init__(self, make: ServiceUnderTest, ports: Ports, *, seed: int, times: int) -> None:
        super().__init__(make, ports, seed=seed)
        self._times = times

    def play(self, people: Processes, *, until: float) -> None:
        """Kill while customers live, let them finish, and wait for rest."""
        self.start(people)
        people.add("web", lambda: serve_site(self.ports.web))
        for number in range(CUSTOMERS):
            people.add("customer", lambda first=number: self._customer().live(first, CUSTOMERS), stays=False)
        self._kill(people)
        self._over.touch()
        people.finish("customer")
        self.until_at_rest(people, until=until)

    def _kill(self, people: Processes) -> None:
        chance = random.Random(self.seed)
        victims = [*KILLED * self._times]
        chance.shuffle(victims)
        for name in victims:
            moment = time.monotonic() + chance.uniform(0, _LONGEST)
            while time.monotonic() < moment:
                time.sleep(_LOOK_SECONDS)
                people.look_after()
            chance.choice(people.of(name)).kill()
            people.look_after()

    def _customer(self) -> Customer:
        return Customer(port=self.ports.web, promised=self._promised, is_over=self._over.exists)

    @property
    def _over(self) -> Path:
        return self.make.folder / "over"

    @property
    def _promised(self) -> Path:
        return self.make.folder / "promised"

    def result(self, people: Processes, seconds: float) -> Result:
        result = super().result(people, seconds)
        broken = broken_promises(self._promised)
        result.found.lost += len(broken)
        result.found.sentences += broken
        result.lacking = [
            f"A {name} was killed {people.deaths[name]} times only"
            for name in KILLED
            if people.deaths[name] < self._times
        ]
        return result
