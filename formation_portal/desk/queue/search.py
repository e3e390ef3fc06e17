"""Finds the cases that a state of the queue shows, by indexes alone: what a page costs doesn't grow with the cases.

Where few cases have something of what is asked, those few are looked at. Where many have each of it, the queue is
looked through in its order until a page is full, and so far at most; the page says how far, and leads on from there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.db.models import Q, QuerySet
from django.utils import timezone

from formation_portal.ui.pagination import KeysetPage, keyset_page

from ..models import Case
from ..queue_state import QueuePosition, QueueState, View
from .claims import claimed_by, not_proposed_by, unclaimed
from .conditions import Condition, conditions, counts, search_prefixes

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# Up to so many cases are sorted, and so many are looked through for one page.
_MAX_SORTED = 2_000
_MAX_SCANNED = 2_000

# By which moment a view is in order.
_MOMENTS = {
    View.WAITING: "waiting_since",
    View.MINE: "open_since",
    View.UNCLAIMED: "waiting_since",
    View.ANSWERED: "answered_since",
    View.OVERDUE: "overdue_at",
    View.CONFIRM: "confirm_since",
    View.ALL: "open_since",
    View.CLOSED: "closed_since",
}
# The columns that an index holds in the order of a moment.
_IN_ORDER = {
    "open_since": ("product", "place"),
    "waiting_since": ("product", "place"),
    "submitted_at": ("product", "place", "state"),
}


@dataclass(frozen=True, slots=True)
class CaseSearch:
    """The cases of a state of the queue, but for the view's moments.

    `looks_through` are those among which they are looked for one by one; None where an index finds them.
    """

    chosen: QueueState
    cases: QuerySet[Case]
    looks_through: QuerySet[Case] | None

    @property
    def every(self) -> QuerySet[Case]:
        """All of them in the order of the queue, whatever the page."""
        return _in_order(_between(self.cases, self.chosen), self.chosen, descends=self.chosen.newest_first)


@dataclass(frozen=True, slots=True)
class QueueSlice:
    """One page of them. `looked_through` says among how many it looked, where it stopped before the page was full."""

    page: KeysetPage[Case, QueuePosition]
    looked_through: int


def in_view(view: View, *, agent_id: int) -> QuerySet[Case]:
    """The cases of a view, in no order."""
    found = Case.objects.filter(**{f"{_MOMENTS[view]}__gt": _BEGINNING})
    if view is View.MINE:
        return found.filter(claimed_by(agent_id))
    if view is View.UNCLAIMED:
        return found.filter(unclaimed())
    if view is View.CONFIRM:
        return found.filter(not_proposed_by(agent_id))
    return found.filter(overdue_at__lte=timezone.now()) if view is View.OVERDUE else found


def find_cases(chosen: QueueState, *, agent_id: int) -> CaseSearch:
    """Find them. One query, where anything is asked: how many cases have each of it."""
    if chosen.text and not search_prefixes(chosen.text):
        return CaseSearch(chosen, Case.objects.none(), None)
    asked = _rarest_first(conditions(chosen, agent_id=agent_id), agent_id=agent_id)
    if asked and asked[0].rows is not None and asked[0].count < _MAX_SORTED:
        few = Case.objects.filter(pk__in=asked[0].rows[:_MAX_SORTED])
        return CaseSearch(chosen, _tested(few, asked[1:]), None)
    walked = Case.objects.all()
    names = _IN_ORDER.get(_moment(chosen), ())
    indexed = next((one for name in names for one in asked if one.column == name), None)
    if indexed is not None and indexed.lookup is not None:
        walked, asked = walked.filter(indexed.lookup), [one for one in asked if one is not indexed]
    return CaseSearch(chosen, _tested(walked, asked), walked if asked else None)


def _rarest_first(asked: Sequence[Condition], *, agent_id: int) -> list[Condition]:
    known, others = [one for one in asked if one.rows is not None], [one for one in asked if one.rows is None]
    sizes = counts([one.rows[:_MAX_SORTED] for one in known if one.rows is not None], agent_id=agent_id)
    sized = (replace(one, count=size) for one, size in zip(known, sizes, strict=True))
    return [*sorted(sized, key=lambda one: one.count), *others]


def _tested(cases: QuerySet[Case], asked: Iterable[Condition]) -> QuerySet[Case]:
    for one in asked:
        cases = cases.filter(one.test)
    return cases


def search_page(found: CaseSearch, *, length: int) -> QueueSlice:
    """The page that its state of the queue names. One query, and another where cases are looked through."""
    chosen = found.chosen
    start, backwards = chosen.before or chosen.after, chosen.before is not None
    descends = chosen.newest_first != backwards
    end = _scan_end(found, start, descends=descends)
    # Found by their keys alone; what is shown of them is read for those of the page.
    cases = _between(found.cases, chosen, start=start, end=end, descends=descends)
    keys = _in_order(cases, chosen, descends=descends).values("pk")[: length + 1]
    whole = Case.objects.filter(pk__in=keys).select_related("application__owner", "claimed_by")
    shown = list(_in_order(whole, chosen, descends=descends))
    page = keyset_page(
        shown,
        lambda case: position_of(case, chosen),
        length=length,
        is_first=start is None,
        backwards=backwards,
        end=end,
    )
    return QueueSlice(page, _MAX_SCANNED if end and len(shown) <= length else 0)


def _scan_end(found: CaseSearch, start: QueuePosition | None, *, descends: bool) -> QueuePosition | None:
    """How far it is looked: the last of so many cases, by the index alone; None where there are no more than those."""
    if found.looks_through is None:
        return None
    cases = _between(found.looks_through, found.chosen, start=start, descends=descends)
    rows = _in_order(cases, found.chosen, descends=descends).values_list(_moment(found.chosen), "pk")
    last = list(rows[_MAX_SCANNED - 1 : _MAX_SCANNED + 1])
    return QueuePosition(*last[0]) if len(last) > 1 else None


def position_of(case: Case, chosen: QueueState) -> QueuePosition:
    """Where the case stands in the order of what is shown."""
    return QueuePosition(getattr(case, _moment(chosen)), case.pk)


def _moment(chosen: QueueState) -> str:
    return "submitted_at" if chosen.looks_at_closed else _MOMENTS[chosen.view]


def _in_order(cases: QuerySet[Case], chosen: QueueState, *, descends: bool) -> QuerySet[Case]:
    sign = "-" if descends else ""
    return cases.order_by(f"{sign}{_moment(chosen)}", f"{sign}pk")


def _between(
    cases: QuerySet[Case],
    chosen: QueueState,
    *,
    start: QueuePosition | None = None,
    end: QueuePosition | None = None,
    descends: bool = False,
) -> QuerySet[Case]:
    """Those of the view behind one place, and up to another.

    Each side has one moment that bounds it: of two, SQLite takes one to the index, and reads on to the other.
    """
    moment, (low, high) = _moment(chosen), _view_bounds(chosen)
    first, last = (end, start) if descends else (start, end)
    low, high = _within(max, low, first), _within(min, high, last)
    bounds = {f"{moment}__gte": low, f"{moment}__lte": high}
    cases = cases.filter(**{name: at for name, at in bounds.items() if at})
    beyond, short = ("lt", "gt") if descends else ("gt", "lt")
    if start:
        cases = cases.filter(Q(**{f"{moment}__{beyond}": start.at}) | Q(**{f"pk__{beyond}": start.pk}))
    if end:
        cases = cases.filter(Q(**{f"{moment}__{short}": end.at}) | Q(**{f"pk__{short}e": end.pk}))
    return cases


def _view_bounds(chosen: QueueState) -> tuple[datetime | None, datetime | None]:
    """The moments of the view, from and to; a moment that a case hasn't is in none."""
    if chosen.looks_at_closed:
        return None, None
    return _BEGINNING, timezone.now() if chosen.view is View.OVERDUE else None


def _within(
    narrower: Callable[[datetime, datetime], datetime], at: datetime | None, place: QueuePosition | None
) -> datetime | None:
    return narrower(at, place.at) if at and place else place.at if place else at
