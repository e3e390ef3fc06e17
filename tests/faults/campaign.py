"""The campaign of faults: every documented POST meets every kind as often as asked, and then all comes to rest.

What customers and agents do with applications, up to a second round and the incorporation, is told in the same trouble.
"""

import time

from formation_portal.service import faults as service_faults
from formation_portal.service.faults import FaultPlan

from . import proxy, tally
from .applications import make_reviewed, make_shells
from .environment import Ports
from .makes import Make
from .plans import After, Documented
from .processes import Crew
from .result import Result
from .shutting import Doorkeeper
from .stage import Stage

# For each time that a kind should be met: shells, which come first, so that most of what happens to entities happens to
# these; and whole applications, where the plan is not through.
_SHELLS, _MORE = 16, 2


class Campaign(Stage):
    """One mode of it. `each` is how often each endpoint meets each kind, at least."""

    def __init__(self, make: Make, ports: Ports, *, seed: int, each: int) -> None:
        super().__init__(make, ports, seed=seed)
        self.each = make.each = each
        make.seed = seed

    def play(self, people: Crew, *, until: float) -> None:
        """Until the plan is through; with more applications where those so far were too few for it."""
        self.make_applications(people, self.each * _SHELLS, make_shells)
        self.make_applications(people, self.each * self.make.applications, make_reviewed)
        plan = FaultPlan(seed=self.seed, ledger=self.make.folder / "wire-plan", each=self.each, kinds=proxy.KINDS)
        doorkeeper = Doorkeeper(self.orders, each=self.each, faults=self.faults)
        # The service's own plan is through by then: as many calls without a fault as with one.
        after = After(plan, calls=2 * self.each * len(service_faults.KINDS))
        self.start(people, plan=after if self.make.capabilities.honours_keys else Documented(after))
        while time.monotonic() < until:
            self.until_at_rest(people, until=until, meanwhile=doorkeeper.look)
            if not self._lacking(self.faults()):
                break
            self.make_applications(people, self.each * _MORE, make_reviewed)

    def _lacking(self, met: tally.Faults) -> list[str]:
        found = tally.all_lacking(met, each=self.each)
        return [f"{kind} was met too seldom by {', '.join(some)}" for kind, some in found.items() if some]

    def result(self, people: Crew, seconds: float) -> Result:
        result = super().result(people, seconds)
        result.lacking = self._lacking(result.faults)
        return result
