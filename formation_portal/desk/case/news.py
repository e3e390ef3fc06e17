"""Who has a case open, and what has happened since an open page of it was drawn: one line, and the page stays as it is.

Presence is noted when the page is drawn and when it asks for news, and ends when it has not asked for long. Agents see
it of each other, so that two don't begin the same work. It binds nobody, and customers never learn of it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

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
from formation_portal.reviews.models import Review
from formation_portal.reviews.transactions import ReviewVersion, changes_since

from ..models import Case, Opening
from ..queue_state import micros_of, moment_at

_WRITTEN_EVERY = timedelta(minutes=1)
# Longer than a page takes to ask again, and as long as a page without script counts.
_PRESENT_FOR = timedelta(minutes=5)
# What they have seen of it is compared with for so long.
_KEPT_FOR = timedelta(days=90)
_OTHERS_AT_MOST = 10
# Of more changes the newest say enough.
_LOOKED_AT = 50
# A query or a note is read on the page.
_LONGEST = 80
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
    """Note that the agent has the case open, and tell who else has; `version` is the case's that a page shows from now
    on, None where a page only asks. One query, and one that writes once a minute, or for another version."""
    now, shown = timezone.now(), {} if version is None else {"version": version}
    openings = Opening.objects.filter(application=application_id).select_related("agent").order_by("opened_at", "pk")
    found = tuple(openings.filter(seen_at__gt=now - _PRESENT_FOR))
    own = next((one for one in found if one.agent_id == agent.pk), None)
    if own is None:
        # Two tabs may open it at once, and a row of an earlier time may be there still.
        Opening.objects.bulk_create(
            [
                Opening(
                    application_id=application_id, agent_id=agent.pk, opened_at=now, seen_at=now, version=version or 0
                )
            ],
            update_conflicts=True,
            unique_fields=["application", "agent"],
            update_fields=["opened_at", "seen_at", *shown],
        )
    elif now - own.seen_at >= _WRITTEN_EVERY or own.version != shown.get("version", own.version):
        Opening.objects.filter(pk=own.pk).update(seen_at=now, **shown)
    return tuple(one for one in found if one is not own)


@hourly_task
def delete_old_presence() -> None:
    """Delete what says nothing any more."""
    Opening.objects.filter(seen_at__lte=timezone.now() - _KEPT_FOR).delete()


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """The version of a case that an open page shows.

    In an address: revision, review, claimant and claim, then the agents who have it open, with dots between.
    """

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


@dataclass(frozen=True)
class LiveCase:
    """A case for an agent who has it open, as desk/case/_live.html draws it: its page shows the version `drawn`, and
    `version` is that of now. `openings` are of the others who have it open."""

    application: Application
    reader: User
    drawn: CaseVersion
    version: CaseVersion
    openings: tuple[Opening, ...]
    at: datetime

    @property
    def url(self) -> str:
        """Where the page asks for the next line."""
        address = reverse("desk:case_news", args=[self.application.reference])
        return f"{address}?drawn={self.drawn}&said={self.version}"

    @property
    def others(self) -> str:
        """The one who opened it last of those who have it open: whoever opened it first is known already."""
        if not self.openings:
            return ""
        newest, more = self.openings[-1], len(self.openings) - 1
        who = newest.agent.called + (f" and {more} other{'s' if more > 1 else ''}" if more else "")
        return f"{who} opened this on {_day_and_time(newest.opened_at)}."

    @cached_property
    def news(self) -> str:
        """What matters most of what others have done since the page was drawn: a transition, then what agents made of
        it, a claim, any other change. Up to six queries where something was done, else none."""
        done = self._changes()
        moved = next((one for one in done if one.moved_to), None)
        if moved is not None:
            return _change_words(moved)
        return self._review_words() or self._claim_words() or (_change_words(done[0]) if done else "")

    @property
    def words(self) -> str:
        """Everything that it says."""
        return " ".join(filter(None, (self.news, self.others)))

    def _changes(self) -> list[Change]:
        """The newest first; not the reader's own, which were done on this page, or on another of theirs."""
        if self.version.revision == self.drawn.revision:
            return []
        found = self.application.changes.filter(revision__gt=self.drawn.revision).select_related("who").order_by("-pk")
        return [one for one in found[:_LOOKED_AT] if one.who_id != self.reader.pk]

    def _review_words(self) -> str:
        """ "Dev Ramanathan accepted 2 facts on 24 November at 14:04.", or the newest of several and how many more."""
        if self.version.review == self.drawn.review:
            return ""
        seen = ReviewVersion(self.application.submissions, self.drawn.review)
        changes = changes_since(self.application, seen, by=self.reader)
        if not changes:
            return ""
        newest, at = changes[0], _day_and_time(changes[0].at)
        who = _named(newest.by) if newest.by else "The portal"
        if len(changes) > 1 and all(one.what.startswith(_ACCEPTED) and one.by == newest.by for one in changes):
            return f"{who} {_ACCEPTED}{len(changes)} facts on {at}."
        more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
        return f"{who} {Truncator(newest.what).chars(_LONGEST)} on {at}{more}."

    def _claim_words(self) -> str:
        if (self.version.claimed_by, self.version.claimed_at) == (self.drawn.claimed_by, self.drawn.claimed_at):
            return ""
        case: Case | None = getattr(self.application, "case", None)
        if case is None or case.claimed_by is None or case.claimed_at is None:
            return "" if self.drawn.claimed_by == self.reader.pk else "The claim was released."
        is_own, by, at = case.claimed_by == self.reader, case.assigned_by, _day_and_time(case.claimed_at)
        if self.reader in (by, None if by else case.claimed_by):
            return ""
        if by is None:
            return f"{case.claimed_by.called} claimed this on {at}."
        return f"{by.called} assigned this to {'you' if is_own else case.claimed_by.called} on {at}."


def live_case(application: Application, reader: User, *, drawn: CaseVersion | None = None) -> LiveCase:
    """How the case stands for somebody who looks at it now, on a page that is drawn now or showed the version `drawn`.
    One query, and one that writes once a minute; what else it takes is read with the application (desk/lookups.py)."""
    case: Case | None = getattr(application, "case", None)
    version = None if drawn else case.version if case else 0
    openings = note_presence(application.pk, agent=reader, version=version)[:_OTHERS_AT_MOST]
    review: Review | None = getattr(application, "review", None)
    now = CaseVersion(
        revision=application.revision,
        review=review.version if review else 0,
        claimed_by=(case.claimed_by_id or 0) if case else 0,
        claimed_at=case.claimed_at if case else None,
        others=tuple(one.agent_id for one in openings),
    )
    return LiveCase(application, reader, drawn or now, now, openings, timezone.now())


def _change_words(change: Change) -> str:
    at, who = _day_and_time(change.at), change.who
    if not change.moved_to:
        return f"{_named(who)} changed something on {at}." if who else f"Something was changed on {at}."
    # Only the service moves an application without an account.
    return f"{_named(who) if who else 'The formation service'} {_MOVES[State(change.moved_to)]} on {at}."


def _named(who: User) -> str:
    return who.called if who.is_agent else "The customer"


def _day_and_time(at: datetime) -> str:
    """24 November at 14:04: past midnight a time alone would mean two."""
    return date_format(localtime(at), r"j F \a\t H:i")
