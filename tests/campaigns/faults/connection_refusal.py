"""Has callers shut out just when calls come that were not shut out often enough.

Which call a worker makes can't be seen before it connects. But what comes next can be read from the rows; so the whole
entrance is shut until one of those calls has failed, and whoever else comes meanwhile fails as well.
"""

import time
from collections.abc import Callable, Collection
from multiprocessing.connection import Connection

from django.db.models import Min
from django.utils import timezone

from formation_portal.relay.models import Attempt, Delivery, ServiceProfile
from formation_portal.relay.order import next_delivery
from formation_portal.relay.service_profile import current_profile, profile_from, service_address

from . import fault_counts
from .fault_counts import ENDPOINT_OF

# As many as there are workers to take them.
_AHEAD = 4
# Longer than the longest way to fail. What was coming may have been called just before.
_LONGEST_SHUT = 0.6
_LOOK_SECONDS = 0.01


class ConnectionRefuser:
    """`orders` go to the proxy: an entrance's kind, or None. `faults` counts what has happened so far."""

    def __init__(self, orders: Connection, *, each: int, faults: Callable[[], fault_counts.Faults]) -> None:
        self._orders, self._each, self._faults = orders, each, faults
        self._lacking = fault_counts.shut_out_lacking(faults(), each=each)

    def look(self) -> None:
        """Shut where it is time to, and open again; to be called often."""
        if not any(self._lacking.values()) or _is_paused():
            return
        coming = endpoints_ahead()
        # The kind that lacks more comes first, so that both have their share.
        for kind, endpoints in sorted(self._lacking.items(), key=lambda one: -len(one[1])):
            awaited = [one for one in coming if one in endpoints]
            # Else mostly others would be shut out.
            if awaited and 2 * len(awaited) >= len(coming):
                self._shut(kind, awaited)
                return

    def _shut(self, kind: str, awaited: Collection[str]) -> None:
        newest = Attempt.objects.first()
        failed = Attempt.objects.filter(pk__gt=newest.pk if newest else 0, outcome=fault_counts.NOT_SENT)
        until = time.monotonic() + _LONGEST_SHUT
        self._orders.send(kind)
        while time.monotonic() < until and not _is_paused():
            if any(ENDPOINT_OF.get(one) in awaited for one in failed.values_list("delivery__kind", flat=True)):
                break
            time.sleep(_LOOK_SECONDS)
        self._orders.send(None)
        self._lacking = fault_counts.shut_out_lacking(self._faults(), each=self._each)


def _is_paused() -> bool:
    """Whether the relay makes no calls, or only one to try: that one should come through."""
    stored = ServiceProfile.objects.get(base_url=service_address())
    return stored.open_until is not None or profile_from(stored).is_paused(timezone.now())


def endpoints_ahead() -> list[str]:
    """Where the workers will call next, as far as the rows tell; empty for what is no documented POST."""
    now, known = timezone.now(), current_profile()
    due = Delivery.objects.filter(next_at__lte=now).values("application_id").annotate(since=Min("next_at"))
    found = []
    for application in due.order_by("since")[:_AHEAD]:
        rows = list(Delivery.objects.filter(application_id=application["application_id"]))
        row = next_delivery(rows, now=now, profile=known, may_send=True)
        found.append(ENDPOINT_OF.get(row.kind, "") if row else "")
    return found
