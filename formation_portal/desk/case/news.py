"""What an open page of a case says of what has happened since it was drawn: one line, and the page stays as it is."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.timezone import localtime

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.changes_since import ReviewVersion, changes_since

from .presence import CaseVersion, LiveCase, live_case

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


@dataclass(frozen=True, slots=True)
class CaseLine:
    """The line, as desk/case/_live.html draws it, and where the page asks for the next one."""

    drawn_at: datetime
    url: str
    # What has happened since the page was drawn, and who else has it open.
    news: str = ""
    others: str = ""

    @property
    def words(self) -> str:
        """Everything that it says."""
        return " ".join(filter(None, (self.news, self.others)))


def case_line(application: Application, reader: User) -> CaseLine:
    """The line of a page that is drawn now: nothing is new, but somebody else may have the case open."""
    now = live_case(application, reader=reader)
    return CaseLine(timezone.now(), _url(now, drawn=now.version), others=_others(now))


def case_news(application: Application, reader: User, *, drawn: CaseVersion, said: CaseVersion) -> CaseLine | None:
    """The line for a page that showed the version `drawn` and whose line said `said`; None while it is right.

    As many queries as `live_case`, and up to five more where something was done.
    """
    now = live_case(application, reader=reader)
    if now.version == said:
        return None
    return CaseLine(timezone.now(), _url(now, drawn=drawn), _news(now, drawn, reader), _others(now))


def day_and_time(at: datetime) -> str:
    """24 November at 14:04: past midnight a time alone would mean two."""
    return date_format(localtime(at), r"j F \a\t H:i")


def _url(now: LiveCase, *, drawn: CaseVersion) -> str:
    return f"{reverse('desk:case_news', args=[now.application.reference])}?drawn={drawn}&said={now.version}"


def _others(now: LiveCase) -> str:
    """The one who opened it last of those who have it open: whoever opened it first is known already."""
    if not now.others:
        return ""
    newest = now.others[-1]
    more = len(now.others) - 1
    who = newest.agent.called + (f" and {more} other{'s' if more > 1 else ''}" if more else "")
    return f"{who} opened this on {day_and_time(newest.opened_at)}."


def _news(now: LiveCase, drawn: CaseVersion, reader: User) -> str:
    """What matters most of what others have done: a deed, then what agents made of it, a claim, any other change."""
    done = _changes_since(now, drawn, reader)
    moved = next((one for one in done if one.moved_to), None)
    if moved is not None:
        return _change_words(moved)
    said = _review_words(now, drawn, reader) or _claim_words(now, drawn, reader)
    return said or (_change_words(done[0]) if done else "")


def _changes_since(now: LiveCase, drawn: CaseVersion, reader: User) -> list[Change]:
    """The newest first; not the reader's own, which were done on this page, or on another of theirs."""
    if now.version.revision == drawn.revision:
        return []
    found = now.application.changes.filter(revision__gt=drawn.revision).select_related("who").order_by("-pk")
    return [one for one in found[:_LOOKED_AT] if one.who_id != reader.pk]


def _change_words(change: Change) -> str:
    at, who = day_and_time(change.at), change.who
    if not change.moved_to:
        return f"{_named(who)} changed something on {at}." if who else f"Something was changed on {at}."
    # Only the service moves an application without an account.
    return f"{_named(who) if who else 'The formation service'} {_MOVES[State(change.moved_to)]} on {at}."


def _named(who: User) -> str:
    return who.called if who.is_agent else "The customer"


def _review_words(now: LiveCase, drawn: CaseVersion, reader: User) -> str:
    """ "Dev Ramanathan accepted 2 facts on 24 November at 14:04.", or the newest of several and how many more."""
    if now.version.review == drawn.review:
        return ""
    changes = changes_since(now.application, ReviewVersion(now.application.submissions, drawn.review), by=reader)
    if not changes:
        return ""
    who, at = _named(changes[0].by) if changes[0].by else "The portal", day_and_time(changes[0].at)
    if len(changes) > 1 and all(one.what.startswith(_ACCEPTED) and one.by == changes[0].by for one in changes):
        return f"{who} {_ACCEPTED}{len(changes)} facts on {at}."
    more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{who} {Truncator(changes[0].what).chars(_LONGEST)} on {at}{more}."


def _claim_words(now: LiveCase, drawn: CaseVersion, reader: User) -> str:
    case = now.case
    if (now.version.claimed_by, now.version.claimed_at) == (drawn.claimed_by, drawn.claimed_at):
        return ""
    if case is None or case.claimed_by is None or case.claimed_at is None:
        return "" if drawn.claimed_by == reader.pk else "The claim was released."
    return (
        f"{case.claimed_by.called} claimed this on {day_and_time(case.claimed_at)}."
        if case.claimed_by != reader
        else ""
    )
