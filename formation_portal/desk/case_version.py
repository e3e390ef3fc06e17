"""The version of a case that a page shows: what has been done to it, who has claimed it, and who else has it open."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.applications.models import Application
from formation_portal.core.integers import parse_integers
from formation_portal.reviews.models import Review

from .models import Case, Opening
from .openings import note_open
from .queue_state import micros_of, moment_at

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
class CaseNow:
    """A case as it stands for an agent who has it open."""

    application: Application
    version: CaseVersion
    others: tuple[Opening, ...]

    @property
    def case(self) -> Case | None:
        """The queue's row; read with the application it costs nothing."""
        return getattr(self.application, "case", None)


def case_now(application: Application, *, reader: AbstractBaseUser) -> CaseNow:
    """How the case stands, for somebody who looks at it now. One query, and one that writes once a minute; what else it
    takes is read with the application (finding.py)."""
    others = note_open(application.pk, agent=reader)[:_OTHERS_AT_MOST]
    case: Case | None = getattr(application, "case", None)
    review: Review | None = getattr(application, "review", None)
    version = CaseVersion(
        revision=application.revision,
        review=review.version if review else 0,
        claimed_by=(case.claimed_by_id or 0) if case else 0,
        claimed_at=case.claimed_at if case else None,
        others=tuple(one.agent_id for one in others),
    )
    return CaseNow(application, version, others)
