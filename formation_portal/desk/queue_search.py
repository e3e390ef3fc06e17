"""Finds the cases that a state of the queue shows, by indexes alone: what a page costs doesn't grow with the cases.

Where few cases have something of what is asked, those few are looked at. Where many have each of it, the queue is
looked through in its order until a page is full, and so far at most; the page says how far, and leads on from there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from .claims import claimed_by, unclaimed
from .conditions import Condition, conditions, counts
from .models import Case
from .queue_state import Place, QueueState, View
from .search_words import beginnings

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# Up to so many cases are sorted, and so many are looked through for one page.
_RARE = 2_000
_LOOKED_THROUGH = 2_500

# By which moment a view is in order.
_MOMENTS = {
    View.MINE: "open_since",
    View.UNCLAIMED: "waiting_since",
    View.ANSWERED: "answered_since",
    View.OVERDUE: "waiting_since",
    View.CONFIRM: "confirm_since",
    View.ALL: "open_since",
}
# The columns that an index holds in the order of a moment.
_IN_ORDER = {"open_since": ("product", "place"), "submitted_at": ("product", "place", "state")}


@dataclass(frozen=True, slots=True)
class Found:
    """The cases of a state of the queue, in its order, whatever the page.

    `looks_through` are those among which they are looked for one by one; None where an index finds them.
    """

    chosen: QueueState
    cases: QuerySet[Case]
    looks_through: QuerySet[Case] | None


@dataclass(frozen=True, slots=True)
class QueueSlice:
    """One page of them, and the places from which the pages before and behind go on; None where there is none.

    `looked_through` says among how many it looked, where it stopped before the page was full.
    """

    cases: list[Case]
    before: Place | None = None
    behind: Place | None = None
    looked_through: int = 0


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


def found_cases(chosen: QueueState, *, agent_id: int) -> Found:
    """Find them. One query, where anything is asked: how many cases have each of it."""
    walked = _within(chosen)
    if chosen.text and not beginnings(chosen.text):
        return Found(chosen, _ordered(walked.none(), chosen), None)
    asked = _rarest_first(conditions(chosen, agent_id=agent_id), agent_id=agent_id)
    if asked and asked[0].rows is not None and asked[0].count < _RARE:
        few = walked.filter(pk__in=asked[0].rows[:_RARE])
        return Found(chosen, _ordered(_tested(few, asked[1:]), chosen), None)
    return _looked_for(chosen, walked, asked)


def _rarest_first(asked: Sequence[Condition], *, agent_id: int) -> list[Condition]:
    known, others = [one for one in asked if one.rows is not None], [one for one in asked if one.rows is None]
    sizes = counts([one.rows[:_RARE] for one in known if one.rows is not None], agent_id=agent_id)
    sized = (replace(one, count=size) for one, size in zip(known, sizes, strict=True))
    return [*sorted(sized, key=lambda one: one.count), *others]


def _tested(cases: QuerySet[Case], asked: Iterable[Condition]) -> QuerySet[Case]:
    for one in asked:
        cases = cases.filter(one.test)
    return cases


def _within(chosen: QueueState) -> QuerySet[Case]:
    """The cases of the view as far as its moment tells."""
    if chosen.looks_at_closed:
        return Case.objects.all()
    found = Case.objects.filter(**{f"{_MOMENTS[chosen.view]}__gt": _BEGINNING})
    return found.filter(waiting_since__lte=overdue_from()) if chosen.view is View.OVERDUE else found


def _looked_for(chosen: QueueState, walked: QuerySet[Case], asked: list[Condition]) -> Found:
    names = _IN_ORDER.get(_moment(chosen), ())
    indexed = next((one for name in names for one in asked if one.column == name), None)
    if indexed is not None:
        walked, asked = walked.filter(indexed.test), [one for one in asked if one is not indexed]
    return Found(chosen, _ordered(_tested(walked, asked), chosen), walked if asked else None)


def page_of(found: Found, *, length: int) -> QueueSlice:
    """The page that its state of the queue names. One query, and another where cases are looked through."""
    chosen = found.chosen
    start, backwards = chosen.before or chosen.after, chosen.before is not None
    descends = chosen.newest_first != backwards
    cases, end = found.cases, None
    if start:
        cases = cases.filter(_beyond(_moment(chosen), start, descends=descends))
    if found.looks_through is not None:
        end = _end_of_look(found, start, descends=descends)
    if end:
        cases = cases.filter(_up_to(_moment(chosen), end, descends=descends))
    shown = list(
        _in_direction(cases, chosen, descends).select_related("application__owner", "claimed_by")[: length + 1]
    )
    is_more, page = len(shown) > length, shown[:length]
    onward = place_of(page[-1]) if is_more else end
    stopped = _LOOKED_THROUGH if end and not is_more else 0
    if backwards:
        return QueueSlice(page[::-1], onward, place_of(page[0]) if page else None, stopped)
    return QueueSlice(page, place_of(page[0]) if page and chosen.after else None, onward, stopped)


def _end_of_look(found: Found, start: Place | None, *, descends: bool) -> Place | None:
    """How far it is looked: the last of so many cases, by the index alone; None where there are no more than those."""
    assert found.looks_through is not None
    moment, cases = _moment(found.chosen), found.looks_through
    if start:
        cases = cases.filter(_beyond(moment, start, descends=descends))
    rows = _in_direction(cases, found.chosen, descends).values_list(moment, "pk")
    last = list(rows[_LOOKED_THROUGH - 1 : _LOOKED_THROUGH + 1])
    return Place(*last[0]) if len(last) > 1 else None


def place_of(case: Case) -> Place:
    """Where the case stands in every order."""
    return Place(case.submitted_at, case.pk)


def _moment(chosen: QueueState) -> str:
    return "submitted_at" if chosen.looks_at_closed else _MOMENTS[chosen.view]


def _ordered(cases: QuerySet[Case], chosen: QueueState) -> QuerySet[Case]:
    return _in_direction(cases, chosen, descends=chosen.newest_first)


def _in_direction(cases: QuerySet[Case], chosen: QueueState, descends: bool) -> QuerySet[Case]:
    sign = "-" if descends else ""
    return cases.order_by(f"{sign}{_moment(chosen)}", f"{sign}pk")


def _beyond(moment: str, place: Place, *, descends: bool) -> Q:
    """Behind a place; the first part is what an index can find."""
    side = "lt" if descends else "gt"
    there = Q(**{f"{moment}__{side}e": place.at})
    return there & (Q(**{f"{moment}__{side}": place.at}) | Q(**{f"pk__{side}": place.pk}))


def _up_to(moment: str, place: Place, *, descends: bool) -> Q:
    """At a place or before it."""
    side = "gt" if descends else "lt"
    there = Q(**{f"{moment}__{side}e": place.at})
    return there & (Q(**{f"{moment}__{side}": place.at}) | Q(**{f"pk__{side}e": place.pk}))
