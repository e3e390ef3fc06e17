"""Has callers shut out just when calls come that were not shut out often enough.

Which call a worker makes can't be seen before it connects. But what comes next can be read from the rows; so the whole
entrance is shut until one of those calls has failed, and whoever else comes meanwhile fails as well.
"""

import time
from collections.abc import Callable, Collection
from multiprocessing.connection import Connection

from django.db.models import Min
from django.utils import timezone

from formation_portal.relay.models import Attempt, Delivery
from formation_portal.relay.order import next_row
from formation_portal.relay.profile import profile

from . import tally
from .entrance import NEVER_ACCEPTED, REFUSED

KINDS = (REFUSED, NEVER_ACCEPTED)
# As many as there are workers to take them.
_AHEAD = 4
# What was coming may have found another way, or the relay may pause: then there is no need to wait for it.
_LONGEST_SHUT = 2.0


class Doorkeeper:
    """`orders` go to the proxy: a kind of KINDS, or None. `faults` counts what has happened so far."""

    def __init__(self, orders: Connection, *, each: int, faults: Callable[[], tally.Faults]) -> None:
        self._orders, self._each, self._faults = orders, each, faults
        self._awaited: set[str] = set()
        self._since, self._last_attempt = 0.0, 0
        self._lacking = tally.lacking(faults(), KINDS, each=each)

    def look(self) -> None:
        """Shut or open where it is time to; to be called often."""
        if self._awaited:
            if self._has_come() or time.monotonic() - self._since > _LONGEST_SHUT:
                self._open()
        elif any(self._lacking.values()):
            self._perhaps_shut()

    def _perhaps_shut(self) -> None:
        coming = set(endpoints_ahead())
        # The kind that lacks more comes first, so that both have their share.
        for kind, endpoints in sorted(self._lacking.items(), key=lambda one: -len(one[1])):
            if awaited := coming & set(endpoints):
                newest = Attempt.objects.first()
                self._awaited, self._since = awaited, time.monotonic()
                self._last_attempt = newest.pk if newest else 0
                self._orders.send(kind)
                return

    def _has_come(self) -> bool:
        failed = Attempt.objects.filter(pk__gt=self._last_attempt, outcome=tally.NOT_SENT)
        return any(tally.endpoint_of(kind) in self._awaited for kind in failed.values_list("delivery__kind", flat=True))

    def _open(self) -> None:
        self._awaited = set()
        self._orders.send(None)
        self._lacking = tally.lacking(self._faults(), KINDS, each=self._each)


def endpoints_ahead() -> Collection[str]:
    """Where the workers will call next, as far as the rows tell."""
    now, known = timezone.now(), profile()
    due = Delivery.objects.filter(next_at__lte=now).values("application_id").annotate(since=Min("next_at"))
    found = []
    for application in due.order_by("since")[:_AHEAD]:
        rows = list(Delivery.objects.filter(application_id=application["application_id"]))
        row = next_row(rows, now=now, profile=known, lets_go=True)
        found.append(tally.endpoint_of(row.kind) if row else "")
    return [one for one in found if one]
