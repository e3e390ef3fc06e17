"""What has arrived since a page of the queue was drawn. The page asks by itself, and shows a count; rows stay put."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from formation_portal.core.integers import parse_integers

from ..models import Case
from ..queue_state import QueueState, micros_of, moment_at
from .search import find_cases

# A case that was submitted before a page was drawn may be seen only afterwards: its transaction ended later.
_LATE = timedelta(seconds=5)
# A page that has been open for days needs no exact count.
_COUNTED = 100
_NAMED_AT_MOST = 25


@dataclass(frozen=True, slots=True)
class QueueVersion:
    """The version of the queue that a page shows: when it was drawn, the count that it says, what had just come then.

    In an address: the moment in microseconds, the count, and the numbers of the cases, with dots between.
    """

    drawn: datetime
    said: int = 0
    just_come: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "QueueVersion | None":
        """The version that an address names, or None where it names none."""
        numbers = parse_integers(text.split(".")[: 2 + _NAMED_AT_MOST])
        if len(numbers) < 2:
            return None
        micros, said, *just_come = numbers
        drawn = moment_at(micros)
        return cls(drawn, said, tuple(just_come)) if drawn else None

    def __str__(self) -> str:
        return ".".join(map(str, (micros_of(self.drawn), self.said, *self.just_come)))


@dataclass(frozen=True, slots=True)
class NewCases:
    """How many cases have come since the page was drawn."""

    token: QueueVersion
    count: int

    @property
    def is_new(self) -> bool:
        """Whether the page says otherwise by now."""
        return self.count != self.token.said

    @property
    def words(self) -> str:
        """The count as the page says it; nothing where what had come is gone again."""
        if not self.count:
            return ""
        many = f"{_COUNTED - 1}+" if self.count == _COUNTED else str(self.count)
        return f"{many} new case{'' if self.count == 1 else 's'}"

    @property
    def following(self) -> QueueVersion:
        """The same version, with the count that is said now."""
        return QueueVersion(self.token.drawn, self.count, self.token.just_come)


def current_version(shown: Iterable[Case]) -> QueueVersion:
    """The version of a page that is drawn now and shows these cases. No query."""
    now = timezone.now()
    return QueueVersion(now, just_come=tuple(case.pk for case in shown if case.submitted_at > now - _LATE))


def new_cases(chosen: QueueState, token: QueueVersion, *, agent_id: int) -> NewCases:
    """What has come since into the view, as it is filtered, whatever the page. One query, and that of a search."""
    came = find_cases(chosen, agent_id=agent_id).every.filter(submitted_at__gt=token.drawn - _LATE)
    return NewCases(token, came.exclude(pk__in=token.just_come)[:_COUNTED].count())
