"""What one mode of a campaign came to: its lines, and whether the promise was kept."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from .comparison import Findings
from .fault_counts import Faults


@dataclass
class Result:
    """The figures. `lacking`: what did not happen often enough, in sentences."""

    faults: Faults
    deaths: Counter[str]
    found: Findings
    unrecorded: list[str]
    seconds: float
    lacking: list[str] = field(default_factory=list)

    def lines(self, *, kills: bool = False) -> Iterator[str]:
        """A line for each figure: `name number`."""
        yield f"kills {self.deaths.total()}" if kills else f"faults {self.faults.total()}"
        yield f"lost {self.found.lost}"
        yield f"duplicated {self.found.duplicated}"
        yield f"held {self.found.held}"
        yield f"stuck {self.found.stuck}"
        yield f"seconds {self.seconds:.0f}"
        yield f"unrecorded {len(self.unrecorded)}"

    def broken(self, *, may_hold: bool) -> list[str]:
        """What of the promise is broken, in sentences; nothing where it is kept."""
        held = [f"held: {self.found.held}, where nothing may be"] if self.found.held and not may_hold else []
        return [*self.found.sentences, *self.unrecorded, *held, *self.lacking]
