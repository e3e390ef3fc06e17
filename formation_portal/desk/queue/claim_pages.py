"""A claim as agents read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.messages import INFO, SUCCESS, WARNING
from django.utils.formats import date_format
from django.utils.timezone import localtime

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application

from ..models import WORD_LIMIT, Case
from ..wording import numbered
from .claims import Claims, is_claimed


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """Who works on a case, and since when; from whom it was taken over, and why."""

    agent_id: int
    name: str
    at: datetime
    is_mine: bool
    taken_from: str
    word: str

    @property
    def since(self) -> str:
        """The day and the time, short enough for a narrow column."""
        return date_format(localtime(self.at), "j M, H:i")


@dataclass(frozen=True, slots=True)
class ClaimPanel:
    """What a case's page shows of its claim; without a claim, anybody may claim it."""

    reference: str
    claim: ClaimLine | None
    can_be_claimed: bool

    word_limit = WORD_LIMIT


def claim_line(case: Case, reader: User) -> ClaimLine | None:
    """The claim, or None where nobody works on the case."""
    if not is_claimed(case) or case.claimed_by is None or case.claimed_at is None:
        return None
    return ClaimLine(
        agent_id=case.claimed_by.pk,
        name=case.claimed_by.called,
        at=case.claimed_at,
        is_mine=case.claimed_by.pk == reader.pk,
        taken_from=case.taken_from.called if case.word and case.taken_from else "",
        word=case.word,
    )


def claim_panel(application: Application, reader: User) -> ClaimPanel | None:
    """The claim for the page of a case; no query where the case was read with its application."""
    case: Case | None = getattr(application, "case", None)
    return ClaimPanel(application.reference, claim_line(case, reader), case.open_since is not None) if case else None


def day_and_time(at: datetime) -> str:
    """24 November at 14:04: past midnight a time alone would mean two."""
    return date_format(localtime(at), r"j F \a\t H:i")


def claimed_messages(found: Claims) -> Iterator[tuple[int, str]]:
    """What came of claiming several, each as a level of Django's messages and a sentence."""
    if found.won:
        yield SUCCESS, f"You have claimed {numbered(len(found.won), 'case')}."
    for case in found.lost:
        name = case.claimed_by.called if case.claimed_by else "A colleague"
        yield WARNING, f"{name} has already claimed {case.title or 'an unnamed case'}."
    if not found.won and not found.lost:
        yield INFO, "Select at least one case."


def released_message(count: int) -> str:
    """What came of releasing."""
    return f"You have released {numbered(count, 'case')}." if count else "None of these were yours."
