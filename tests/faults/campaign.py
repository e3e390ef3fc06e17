"""The campaign of faults: every documented POST meets every kind as often as asked, and then all comes to rest."""

import time
from collections import Counter

from formation_portal.service.faults import ENDPOINTS, FaultPlan

from . import ledger, proxy, tally
from .entrance import NEVER_ACCEPTED, REFUSED
from .environment import Ports
from .makes import Make
from .processes import Crew
from .proxy import Order
from .result import Result
from .stage import LOOK_SECONDS, Stage

# Applications to begin with, and more where the plan is not through, for each time that a kind should be met.
_FIRST, _MORE = 12, 4
_FIRST_CALL = ENDPOINTS[0]


class Campaign(Stage):
    """One mode of it. `each` is how often each endpoint meets each kind, at least."""

    def __init__(self, make: Make, ports: Ports, *, seed: int, each: int) -> None:
        super().__init__(make, ports, seed=seed)
        self.each = make.each = each
        make.seed = seed

    def play(self, people: Crew, *, until: float) -> None:
        """Until the plan is through; with more applications where those so far were too few for it."""
        self.make_applications(people, self.each * _FIRST)
        plan = FaultPlan(seed=self.seed, ledger=self.make.folder / "wire-plan", each=self.each, kinds=proxy.KINDS)
        self.order(self._order(Counter()))
        self.start(people, plan=plan)
        while time.monotonic() < until:
            self._until_rested(people, until=until)
            if not self._lacking(self.faults()):
                break
            self.make_applications(people, self.each * _MORE)

    def _until_rested(self, people: Crew, *, until: float) -> None:
        rested = 0
        while rested < 2 and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
            people.look_after()
            self.order(self._order(self.faults()))
            rested = rested + 1 if ledger.is_at_rest() else 0

    def _order(self, met: tally.Faults) -> Order:
        """Until every entity's first call was shut out often enough, nobody gets in: then no other call is made."""
        lacking = tally.lacking(met, (REFUSED, NEVER_ACCEPTED), each=self.each)
        shut = next((kind for kind, some in lacking.items() if _FIRST_CALL in some), None)
        return Order(shut, lacking)

    def _lacking(self, met: tally.Faults) -> list[str]:
        found = tally.lacking(met, tally.KINDS, each=self.each)
        return [f"{kind} was met too seldom by {', '.join(some)}" for kind, some in found.items() if some]

    def result(self, people: Crew, seconds: float) -> Result:
        result = super().result(people, seconds)
        result.lacking = self._lacking(result.faults)
        return result
