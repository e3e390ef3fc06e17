"""Rows that wait to be sent, such as e-mails and events. A worker claims a row for some time, its lease, to send it."""

from datetime import timedelta
from typing import Any, ClassVar, Self

from django.db import connections, models, transaction
from django.db.models import F, QuerySet
from django.utils import timezone


class OutboxRow(models.Model):
    """A row that is due at `next_at`. NULL means that the row needs no further attempt."""

    # The time in which no other worker claims the row. Longer than any attempt takes.
    LEASE: ClassVar[timedelta]
    # No attempt begins in this last part of its lease, as may happen after the process was suspended.
    LEASE_MARGIN: ClassVar[timedelta]

    next_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True

    def claim(self, **changes: Any) -> bool:
        """Claim the row for an attempt until its lease ends. Return False if another worker has claimed it."""
        lease_end = timezone.now() + self.LEASE
        # Another worker would have changed both columns.
        unclaimed = type(self)._default_manager.filter(pk=self.pk, tries=self.tries, next_at=self.next_at)
        if not unclaimed.update(tries=F("tries") + 1, next_at=lease_end, **changes):
            return False
        self.tries += 1
        self.next_at = lease_end
        return True

    @classmethod
    def claim_first(cls, due: QuerySet[Self], **changes: Any) -> Self | None:
        """Claim and return the first row that no other worker is claiming, or None if there is none."""
        if connections[due.db].features.has_select_for_update_skip_locked:
            with transaction.atomic(using=due.db):
                row = due.select_for_update(skip_locked=True, of=("self",)).first()
                return row if row is not None and row.claim(**changes) else None
        while (row := due.first()) is not None:
            # If the claim fails, `first` finds another row, since the other worker's claim has moved this row's time.
            if row.claim(**changes):
                return row
        return None

    @property
    def has_time_left(self) -> bool:
        """Tell whether an attempt that begins now can end within the lease."""
        return self.next_at is not None and timezone.now() < self.next_at - self.LEASE_MARGIN
