"""Rows that wait to be sent, as e-mails and events do: claimed for one try by one worker at a time.

A claim is a lease. It ends with what became of the try, or with its time.
The relay's deliveries have leases with rules of their own (`relay/calls/claiming.py`): what may have arrived there is
never simply sent again.
"""

from datetime import timedelta
from typing import Any, ClassVar, Self

from django.db import connections, models, transaction
from django.db.models import F, QuerySet
from django.utils import timezone


class OutboxRow(models.Model):
    """`next_at` says when somebody should look at it; empty, nothing is left to do."""

    # Longer than any try takes; nobody else takes the row meanwhile.
    LEASE: ClassVar[timedelta]
    # A try isn't begun when its lease is nearly over, as after the process was asleep.
    LEASE_MARGIN: ClassVar[timedelta]

    next_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True

    def claim(self, **changes: Any) -> bool:
        """Count a try, and keep the row from others until its lease ends; False where somebody else has it by now."""
        until = timezone.now() + self.LEASE
        # Whoever took it in between has counted a try.
        as_read = type(self)._default_manager.filter(pk=self.pk, tries=self.tries, next_at=self.next_at)
        if not as_read.update(tries=F("tries") + 1, next_at=until, **changes):
            return False
        self.tries, self.next_at = self.tries + 1, until
        return True

    @classmethod
    def claim_first(cls, due: QuerySet[Self], **changes: Any) -> Self | None:
        """The first of the rows that nobody else is about to take, claimed; None where there is none."""
        if connections[due.db].features.has_select_for_update_skip_locked:
            with transaction.atomic(using=due.db):
                row = due.select_for_update(skip_locked=True, of=("self",)).first()
                return row if row is not None and row.claim(**changes) else None
        while (row := due.first()) is not None:
            # Whoever took it in between has moved its time.
            if row.claim(**changes):
                return row
        return None

    @property
    def has_time_left(self) -> bool:
        """Whether there is time enough for a try before somebody else takes it."""
        return self.next_at is not None and timezone.now() < self.next_at - self.LEASE_MARGIN
