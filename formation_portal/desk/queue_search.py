"""Finds the cases that a state of the queue shows, by indexes alone: what a page costs doesn't grow with the cases."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from .claims import claimed_by, unclaimed
from .models import Case, CaseWord
from .queue_state import NOBODY, Place, QueueState, View
from .search_words import beginnings

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# Up to so many cases with a word are sorted; of a word that more have, the queue is read in its order instead, and the
# first ones come soon.
_RARE = 2_000
# How many of the words are looked at to find a rare one, and how many count at all.
_WORDS_TRIED = 2
_WORDS = 6
# Behind everything that begins with a word: UTF-8 has no such byte.
_AFTER_ALL = b"\xff"

# By which moment a view is in order.
_MOMENTS = {
    View.MINE: "open_since",
    View.UNCLAIMED: "waiting_since",
    View.ANSWERED: "answered_since",
    View.OVERDUE: "waiting_since",
    View.CONFIRM: "confirm_since",
    View.ALL: "open_since",
}


def in_view(view: View, *, agent_id: int) -> QuerySet[Case]:
    """The cases of a view, in no order."""
    found = Case.objects.filter(**{f"{_MOMENTS[view]}__gt": _BEGINNING})
    if view is View.MINE:
        return found.filter(claimed_by(agent_id))
    if view is View.UNCLAIMED:
        return found.filter(unclaimed())
    return found.filter(waiting_since__lte=overdue_from()) if view is View.OVERDUE else found


def overdue_from() -> datetime:
    """What was submitted then, or before, is overdue."""
    return timezone.now() - timedelta(days=settings.OVERDUE_DAYS)


def found_cases(chosen: QueueState, *, agent_id: int) -> QuerySet[Case]:
    """The cases of a state of the queue, in its order, whatever the page."""
    found = Case.objects.all() if chosen.looks_at_closed else in_view(chosen.view, agent_id=agent_id)
    if chosen.state:
        found = found.filter(state=chosen.state)
    if chosen.holder:
        found = found.filter(unclaimed() if chosen.holder == NOBODY else claimed_by(int(chosen.holder)))
    return _with_words(found, chosen.text).order_by(*_order(chosen, backwards=chosen.newest_first))


def page_of(cases: QuerySet[Case], chosen: QueueState, *, length: int) -> tuple[list[Case], bool, bool]:
    """One page, and whether there is another before and behind it."""
    backwards = chosen.before is not None
    place = chosen.before or chosen.after
    if place:
        descends = chosen.newest_first != backwards
        cases = cases.filter(_beyond(_moment(chosen), place, descends=descends))
    if backwards:
        cases = cases.order_by(*_order(chosen, backwards=not chosen.newest_first))
    found = list(cases.select_related("application__owner", "claimed_by")[: length + 1])
    is_more, page = len(found) > length, found[:length]
    if backwards:
        return page[::-1], is_more, True
    return page, chosen.after is not None, is_more


def place_of(case: Case) -> Place:
    """Where the case stands in every order."""
    return Place(case.submitted_at, case.pk)


def _moment(chosen: QueueState) -> str:
    return "submitted_at" if chosen.looks_at_closed else _MOMENTS[chosen.view]


def _order(chosen: QueueState, *, backwards: bool) -> tuple[str, str]:
    sign = "-" if backwards else ""
    return f"{sign}{_moment(chosen)}", f"{sign}application"


def _beyond(moment: str, place: Place, *, descends: bool) -> Q:
    """Behind a place; the first part is what an index can find."""
    side = "lt" if descends else "gt"
    there = Q(**{f"{moment}__{side}e": place.at})
    return there & (Q(**{f"{moment}__{side}": place.at}) | Q(**{f"application__{side}": place.pk}))


def _with_words(cases: QuerySet[Case], typed: str) -> QuerySet[Case]:
    if not typed:
        return cases
    wanted = beginnings(typed)[:_WORDS]
    if not wanted:
        return cases.none()
    rare = _rarest(wanted[:_WORDS_TRIED])
    for word in wanted:
        if word == rare:
            cases = cases.filter(pk__in=CaseWord.objects.filter(_begins(word)).values("case"))
        else:
            cases = cases.filter(Exists(CaseWord.objects.filter(_begins(word), case=OuterRef("pk"))))
    return cases


def _rarest(words: tuple[bytes, ...]) -> bytes | None:
    """The word that the fewest cases have, of those that few have."""
    counts = {word: CaseWord.objects.filter(_begins(word)).values("case")[:_RARE].count() for word in words}
    word = min(counts, key=lambda one: counts[one])
    return word if counts[word] < _RARE else None


def _begins(word: bytes) -> Q:
    return Q(word__gte=word, word__lt=word + _AFTER_ALL)
