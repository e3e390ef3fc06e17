"""Who has a case open, and the version of the case that an open page shows.

Presence is noted when the page is drawn and when it asks for news, and ends when it has not asked for long. Agents see
it of each other, so that two don't begin the same work. It binds nobody, and customers never learn of it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.core.background import hourly_task
from formation_portal.core.integers import parse_integers
from formation_portal.reviews.models import Review

from ..models import Case, Opening
from ..queue_state import micros_of, moment_at

_WRITTEN_EVERY = timedelta(minutes=1)
# Longer than a page takes to ask again, and as long as a page without script counts.
_PRESENT_FOR = timedelta(minutes=5)


def note_presence(application_id: int, *, agent: AbstractBaseUser) -> tuple[Opening, ...]:
    """Note that the agent has the case open, and tell who else has. One query, and one that writes once a minute."""
    now = timezone.now()
    lately = Opening.objects.filter(application=application_id, seen_at__gt=now - _PRESENT_FOR).select_related("agent")
    found = tuple(lately.order_by("opened_at", "pk"))
    own = next((one for one in found if one.agent_id == agent.pk), None)
    if own is None:
        # Two tabs may open it at once, and a row of an earlier time may be there still.
        Opening.objects.bulk_create(
            [Opening(application_id=application_id, agent_id=agent.pk, opened_at=now, seen_at=now)],
            update_conflicts=True,
            unique_fields=["application", "agent"],
            update_fields=["opened_at", "seen_at"],
        )
    elif now - own.seen_at >= _WRITTEN_EVERY:
        Opening.objects.filter(pk=own.pk).update(seen_at=now)
    return tuple(one for one in found if one is not own)


@hourly_task
def delete_ended_presence() -> None:
    """Delete what says nothing any more."""
    Opening.objects.filter(seen_at__lte=timezone.now() - _PRESENT_FOR).delete()


_OTHERS_AT_MOST = 10


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """In an address: revision, review, claimant and claim, then the agents who have it open, with dots between."""

    revision: int
    review: int
    claimed_by: int = 0
    claimed_at: datetime | None = None
    others: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "CaseVersion | None":
        """The version that an address names, or None where it names none."""
        numbers = parse_integers(text.split(".")[: 4 + _OTHERS_AT_MOST])
        if len(numbers) < 4:
            return None
        revision, review, agent, micros, *others = numbers
        return cls(revision, review, agent, moment_at(micros) if micros else None, tuple(others))

    def __str__(self) -> str:
        micros = micros_of(self.claimed_at) if self.claimed_at else 0
        return ".".join(map(str, (self.revision, self.review, self.claimed_by, micros, *self.others)))


@dataclass(frozen=True, slots=True)
class LiveCase:
    """A case as it stands for an agent who has it open."""

    application: Application
    version: CaseVersion
    others: tuple[Opening, ...]

    @property
    def case(self) -> Case | None:
        """The queue's row; read with the application it costs nothing."""
        return getattr(self.application, "case", None)


def live_case(application: Application, *, reader: AbstractBaseUser) -> LiveCase:
    """How the case stands, for somebody who looks at it now. One query, and one that writes once a minute; what else it
    takes is read with the application (desk/lookups.py)."""
    others = note_presence(application.pk, agent=reader)[:_OTHERS_AT_MOST]
    case: Case | None = getattr(application, "case", None)
    review: Review | None = getattr(application, "review", None)
    version = CaseVersion(
        revision=application.revision,
        review=review.version if review else 0,
        claimed_by=(case.claimed_by_id or 0) if case else 0,
        claimed_at=case.claimed_at if case else None,
        others=tuple(one.agent_id for one in others),
    )
    return LiveCase(application, version, others)
