"""The campaign of faults: every documented POST meets every kind as often as asked, and then all comes to rest.

What customers and agents do with applications, up to a second round and the incorporation, is told in the same trouble.
"""

import time

from tests.service import fault_plan as service_faults
from tests.service.fault_plan import FaultPlan

from . import fault_counts, proxy
from .applications import make_reviewed, make_shells
from .base_campaign import BaseCampaign
from .connection_refusal import ConnectionRefuser
from .environment import Ports
from .fault_plans import After, Documented
from .processes import Processes
from .result import Result
from .services import ServiceUnderTest

# For each time that a kind should be met: shells, which come first, so that most of what happens to entities happens to
# these; and whole applications, where the plan is not through.
_SHELLS, _MORE = 16, 2


class Campaign(BaseCampaign):
    """One mode of it. `each` is how often each endpoint meets each kind, at least."""

    def __init__(self, make: ServiceUnderTest, ports: Ports, *, seed: int, each: int) -> None:
        super().__init__(make, ports, seed=seed)
        self.each = make.each = each
        make.seed = seed

    def play(self, people: Processes, *, until: float) -> None:
        """Until the plan is through; with more applications where those so far were too few for it."""
        self.make_applications(people, self.each * _SHELLS, make_shells)
        self.make_applications(people, self.each * self.make.applications, make_reviewed)
        plan = FaultPlan(seed=self.seed, ledger=self.make.folder / "wire-plan", each=self.each, kinds=proxy.KINDS)
        doorkeeper = ConnectionRefuser(self.orders, each=self.each, faults=self.faults)
        # The service's own plan is through by then: as many calls without a fault as with one.
        after = After(plan, calls=2 * self.each * len(service_faults.KINDS))
        self.start(people, plan=after if self.make.capabilities.honours_keys else Documented(after))
        while time.monotonic() < until:
            self.until_at_rest(people, until=until, meanwhile=doorkeeper.look)
            if not self._lacking(self.faults()):
                break
            self.make_applications(people, self.each * _MORE, make_reviewed)

    def _lacking(self, met: fault_counts.Faults) -> list[str]:
        found = fault_counts.all_lacking(met, each=self.each)
        return [f"{kind} was met too seldom by {', '.join(some)}" for kind, some in found.items() if some]

    def result(self, people: Processes, seconds: float) -> Result:
        result = super().result(people, seconds)
        result.lacking = self._lacking(result.faults)
        return result
