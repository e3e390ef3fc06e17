"""Whether the relay obeys a service that answers random calls with Retry-After."""

from collections.abc import Iterator

from tests.campaigns.faults import applications

from .recording_service import RETRY_AFTER
from .saving_while_down import Measure
from .setup import Arrival, OutageSetup, is_all_delivered, wait_until

_PATIENCE = 900.0


def retry_after(*, small: bool) -> Iterator[Measure]:
    """By one worker nothing may arrive in that time. Of two, the other may be about to call when the answer comes."""
    asked, early = _asked_and_early(5 if small else 50, workers=1)
    yield "retry_after_asked", len(asked), "times"
    yield "retry_after_obeyed", len(asked) - len({one.at for one, _ in early}), "times"
    asked, early = _asked_and_early(1 if small else 20, workers=2)
    yield "retry_after_asked_of_two_workers", len(asked), "times"
    yield "retry_after_already_on_their_way", len(early), "calls"
    yield "retry_after_latest_of_them", max(((late.at - one.at) * 1000 for one, late in early), default=0), "ms"


def _asked_and_early(most: int, *, workers: int) -> tuple[list[Arrival], list[tuple[Arrival, Arrival]]]:
    """The calls that were asked to wait, and each of them with each that came before the time was over."""
    setup = OutageSetup(can_edit=False, calls_per_second=100)
    applications.make(range(2 if most < 10 else 10))
    with setup.workers(workers), setup.service(share_refused=0.4, most_refused=most):
        wait_until(is_all_delivered, seconds=_PATIENCE)
    arrivals = setup.arrivals
    asked = [arrival for arrival in arrivals if arrival.is_refused]
    early = [(one, other) for one in asked for other in arrivals if one.at < other.at < one.at + RETRY_AFTER]
    return asked, early
