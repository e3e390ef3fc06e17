"""Tell who else has a case open, and what has changed since the open page was drawn.

Presence locks no case: it only keeps two agents from starting the same work. Customers never see it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.timezone import localtime

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.core.background import hourly_task
from formation_portal.core.integers import parse_integers
from formation_portal.reviews.transactions import ReviewVersion, changes_since

from ..models import Case, Opening
from ..queue_state import micros_of, moment_at
from ..wording import if_any, together

_SAVE_INTERVAL = timedelta(minutes=1)
# Longer than a page waits between its polls. A page without script counts this long.
_PRESENCE = timedelta(minutes=5)
# How long an agent's opening of a case is remembered.
_RETENTION = timedelta(days=90)
_MAX_OTHERS = 10
_MAX_CHANGES = 50
# Longer queries and notes are cut off.
_MAX_LENGTH = 80
_ACCEPTED = "accepted "
_MOVES = {
    State.SUBMITTED_FOR_REVIEW: "submitted this again",
    State.IN_REVIEW: "began the review",
    State.RETURNED_FOR_CHANGES: "returned this",
    State.SUBMITTED_TO_CSP: "approved this",
    State.REJECTED: "declined this",
    State.INCORPORATED: "recorded the incorporation",
    State.WITHDRAWN: "withdrew this",
}


def note_presence(application_id: int, *, agent: AbstractBaseUser, version: int | None = None) -> tuple[Opening, ...]:
    """Note that the agent has the case open, and return the openings of others.

    `version` is the case's version that a new page shows; None where a page polls. At most two SQL queries.
    """
    now = timezone.now()
    changes: dict[str, Any] = {"seen_at": now}
    if version is not None:
        changes["version"] = version
    openings = Opening.objects.filter(application=application_id).select_related("agent").order_by("opened_at", "pk")
    own = None
    others = []
    for opening in openings.filter(seen_at__gt=now - _PRESENCE):
        if opening.agent_id == agent.pk:
            own = opening
        else:
            others.append(opening)
    if own is None:
        opening = Opening(application_id=application_id, agent_id=agent.pk, opened_at=now, **changes)
        # Two tabs may open the case at once, and an older row may exist.
        Opening.objects.bulk_create(
            [opening],
            update_conflicts=True,
            unique_fields=["application", "agent"],
            update_fields=["opened_at", *changes],
        )
    elif now - own.seen_at >= _SAVE_INTERVAL or version not in (None, own.version):
        Opening.objects.filter(pk=own.pk).update(**changes)
    return tuple(others)


@hourly_task
def delete_old_presence() -> None:
    Opening.objects.filter(seen_at__lte=timezone.now() - _RETENTION).delete()


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """The version of a case that an open page shows. In a URL: revision, review, claimant and claim, then the agents
    who have the case open, joined by dots.
    """

    revision: int
    review: int
    claimed_by: int = 0
    claimed_at: datetime | None = None
    others: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "CaseVersion | None":
        """Parse the version in a URL. None for any other text."""
        numbers = parse_integers(text.split(".")[: 4 + _MAX_OTHERS])
        if len(numbers) < 4:
            return None
        revision, review, agent, micros, *others = numbers
        return cls(revision, review, agent, moment_at(micros) if micros else None, tuple(others))

    def __str__(self) -> str:
        micros = micros_of(self.claimed_at) if self.claimed_at else 0
        return ".".join(map(str, (self.revision, self.review, self.claimed_by, micros, *self.others)))


@dataclass(frozen=True)
class LiveCase:
    """A case that an agent has open. The page shows the version `drawn`; `version` is current."""

    application: Application
    reader: User
    drawn: CaseVersion
    version: CaseVersion
    openings: tuple[Opening, ...]
    at: datetime

    @property
    def url(self) -> str:
        address = reverse("desk:case_news", args=[self.application.reference])
        return f"{address}?drawn={self.drawn}&said={self.version}"

    @cached_property
    def others(self) -> str:
        """Return a sentence on the others who have the case open, naming the last to open it; "" for none."""
        if not self.openings:
            return ""
        newest = self.openings[-1]
        more = if_any(len(self.openings) - 1, "other")
        return f"{together(newest.agent.called, more)} opened this on {_day_and_time(newest.opened_at)}."

    @cached_property
    def news(self) -> str:
        """Return a sentence on the main change by others since the page was drawn, or "". At most six SQL queries."""
        changes = self._changes()
        for change in changes:
            if change.moved_to:
                return _change_words(change)
        return self._review_words() or self._claim_words() or (_change_words(changes[0]) if changes else "")

    def _changes(self) -> list[Change]:
        if self.version.revision == self.drawn.revision:
            return []
        newer = self.application.changes.filter(revision__gt=self.drawn.revision).select_related("who").order_by("-pk")
        return [change for change in newer[:_MAX_CHANGES] if change.who_id != self.reader.pk]

    def _review_words(self) -> str:
        """Word the changes of the review: "Dev Ramanathan accepted 2 facts on 24 November at 14:04." """
        if self.version.review == self.drawn.review:
            return ""
        seen = ReviewVersion(self.application.submissions, self.drawn.review)
        changes = changes_since(self.application, seen, by=self.reader)
        if not changes:
            return ""
        newest = changes[0]
        at = _day_and_time(newest.at)
        who = _named(newest.by, "The portal")
        if len(changes) > 1 and all(row.what.startswith(_ACCEPTED) and row.by == newest.by for row in changes):
            return f"{who} {_ACCEPTED}{len(changes)} facts on {at}."
        text = f"{who} {Truncator(newest.what).chars(_MAX_LENGTH)} on {at}"
        if len(changes) > 1:
            text += f", and {len(changes) - 1} more"
        return f"{text}."

    def _claim_words(self) -> str:
        if (self.version.claimed_by, self.version.claimed_at) == (self.drawn.claimed_by, self.drawn.claimed_at):
            return ""
        case: Case = self.application.case
        if case.claimed_by is None or case.claimed_at is None:
            return "" if self.drawn.claimed_by == self.reader.pk else "The claim was released."
        at = _day_and_time(case.claimed_at)
        if self.reader == (case.assigned_by or case.claimed_by):
            return ""
        if case.assigned_by is None:
            return f"{case.claimed_by.called} claimed this on {at}."
        whom = "you" if case.claimed_by == self.reader else case.claimed_by.called
        return f"{case.assigned_by.called} assigned this to {whom} on {at}."


def live_case(application: Application, reader: User, *, drawn: CaseVersion | None = None) -> LiveCase:
    """Read the state of a case for a page that is drawn now, or that showed the version `drawn`. Two SQL queries."""
    case: Case = application.case
    shown_version = None
    if drawn is None:
        shown_version = case.version
    openings = note_presence(application.pk, agent=reader, version=shown_version)[:_MAX_OTHERS]
    now = CaseVersion(
        revision=application.revision,
        review=ReviewVersion.of_loaded(application).version,
        claimed_by=case.claimed_by_id or 0,
        claimed_at=case.claimed_at,
        others=tuple(opening.agent_id for opening in openings),
    )
    return LiveCase(application, reader, drawn or now, now, openings, timezone.now())


def _change_words(change: Change) -> str:
    at = _day_and_time(change.at)
    if change.moved_to:
        # A move without an account is by the service.
        return f"{_named(change.who, 'The formation service')} {_MOVES[State(change.moved_to)]} on {at}."
    if change.who is None:
        return f"Something was changed on {at}."
    return f"{_named(change.who)} changed something on {at}."


def _named(who: User | None, default: str = "") -> str:
    if who is None:
        return default
    if who.is_agent:
        return who.called
    return "The customer"


def _day_and_time(at: datetime) -> str:
    """Return "24 November at 14:04": a time without a day would be ambiguous."""
    return date_format(localtime(at), r"j F \a\t H:i")
