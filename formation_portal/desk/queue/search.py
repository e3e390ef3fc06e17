"""Finds the cases that a state of the queue shows, by indexes alone: what a page costs doesn't grow with the cases.

Each condition that narrows the queue comes with the index that finds its cases, so that the rarest can lead. Where few
cases have something of what is asked, those few are looked at. Where many have each of it, the queue is looked through
in its order until a page is full, and so far at most; the page says how far, and leads on from there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, IntegerField, Lookup, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact, IsNull
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.ui.pagination import KeysetPage, keyset_page

from ..case_access import has_every_case
from ..models import Case, CaseWord
from ..queue_state import NOBODY, QueuePosition, QueueState, View
from .claims import claim_free, claimed_by, not_decided, not_own_of, not_proposed_by, unclaimed
from .queue_index import WORD_PIECES, fold, stored_digests

# How many of the words count at all.
_WORDS = 6
# The filters that are columns of a case.
_COLUMNS = ("product", "place", "state")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# Up to so many cases are sorted, and so many are looked through for one page.
_MAX_SORTED = 1_000
_MAX_SCANNED = 1_000

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


def search_prefixes(typed: str) -> tuple[str, ...]:
    """What somebody types, as the beginnings of words that must all be there; the longest first."""
    joined = ("".join(WORD_PIECES.findall(term)) for term in fold(typed).split())
    return tuple(sorted({word for word in joined if word}, key=lambda word: (-len(word), word)))


def shown_to(reader: User, chosen: QueueState) -> QueueState:
    """The same for this reader: whoever may not see the names in all cases finds none by them either. No query where
    nothing was typed."""
    return replace(chosen, by_reference=bool(chosen.text) and not has_every_case(reader))


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that a case must be. `test` asks one case for it, by no index of that thing.

    `rows` are those of the index that finds such cases, by the case's key; None where no index does. `column` has to
    have one value: `lookup` says so, and lets an index find it.
    """

    test: "Q | Lookup[Any]"
    rows: QuerySet[Any] | None = None
    column: str = ""
    lookup: Q | None = None
    # How many cases have it, as far as they were counted.
    count: int = 0


class RowCount(Subquery):
    """How many rows a query has, as a value of another query."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()
    empty_result_set_value = 0


def counts(rows: Sequence[QuerySet[Any]], *, agent_id: int) -> tuple[int, ...]:
    """How many rows each of several queries has, in one query. What is cut counts as far as it is cut."""
    if not rows:
        return ()
    found: tuple[int, ...] = User.objects.filter(pk=agent_id).values_list(*map(RowCount, rows)).get()
    return found


def conditions(chosen: QueueState, *, agent_id: int) -> list[Condition]:
    """Everything that a state of the queue asks of a case, but for the view's own moment."""
    found = []
    if chosen.text and chosen.by_reference:
        is_named = Q(application__reference=chosen.text.upper())
        found.append(Condition(is_named, Case.objects.filter(is_named).values("pk")))
    for word in () if chosen.by_reference else search_prefixes(chosen.text)[:_WORDS]:
        begins = Q(word__in=stored_digests(word))
        # A value that is looked up, since PostgreSQL would read a whole index for EXISTS.
        here = CaseWord.objects.filter(begins, case=OuterRef("pk")).values("pk")[:1]
        found.append(Condition(IsNull(Subquery(here), False), CaseWord.objects.filter(begins).values("case")))
    for name in _COLUMNS:
        if value := getattr(chosen, name):
            lookup = Q(**{name: value})
            # No plan finds a wrapped column by its index, and sorts all that it finds there; so the order of the view
            # leads.
            test = Exact(Coalesce(F(name), Value("")), value)
            rows = Case.objects.filter(lookup).values("pk")
            found.append(Condition(test, rows, column=name, lookup=lookup))
    of_view = {View.MINE: str(agent_id), View.UNCLAIMED: NOBODY}.get(chosen.view, "")
    for holder in filter(None, (chosen.holder, of_view)):
        if holder == NOBODY:
            found.append(Condition(unclaimed()))
        else:
            is_theirs = claimed_by(int(holder))
            found.append(Condition(is_theirs, Case.objects.filter(is_theirs).values("pk")))
    if chosen.view is View.CONFIRM:
        found.append(Condition(not_proposed_by(agent_id)))
    return found


@dataclass(frozen=True, slots=True)
class CaseSearch:
    """The cases of a state of the queue, but for the view's moments.

    `looks_through` are those among which they are looked for one by one; None where an index finds them.
    """

    chosen: QueueState
    cases: QuerySet[Case]
    looks_through: QuerySet[Case] | None

    def since(self, at: datetime) -> QuerySet[Case]:
        """Those that have come into the view since then, whatever the page, in no order."""
        return _between(self.cases, self.chosen, start=QueuePosition(at, 0))


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
    return find_and_count(chosen, (), agent_id=agent_id)[0]


def find_and_count(
    chosen: QueueState, others: Sequence[QuerySet[Any]], *, agent_id: int
) -> tuple[CaseSearch, tuple[int, ...]]:
    """Find the cases, and how many rows each of some other queries has. One query, if there is anything to count."""
    if chosen.text and not chosen.by_reference and not search_prefixes(chosen.text):
        return CaseSearch(chosen, Case.objects.none(), None), counts(others, agent_id=agent_id)
    known: list[Condition] = []
    asked: list[Condition] = []
    for one in conditions(chosen, agent_id=agent_id):
        (asked if one.rows is None else known).append(one)
    rows = [one.rows[:_MAX_SORTED] for one in known if one.rows is not None]
    sizes = counts([*rows, *others], agent_id=agent_id)
    return _search_of(chosen, known, asked, sizes[: len(rows)]), sizes[len(rows) :]


def _search_of(
    chosen: QueueState, known: Sequence[Condition], asked: Sequence[Condition], sizes: Sequence[int]
) -> CaseSearch:
    """By the rarest condition of those that an index knows, or through all cases in their order."""
    sized = (replace(one, count=size) for one, size in zip(known, sizes, strict=True))
    # The rarest first.
    asked = [*sorted(sized, key=lambda one: one.count), *asked]
    if asked and asked[0].rows is not None and asked[0].count < _MAX_SORTED:
        few = Case.objects.filter(pk__in=asked[0].rows[:_MAX_SORTED])
        return CaseSearch(chosen, _tested(few, asked[1:]), None)
    walked = Case.objects.all()
    names = _IN_ORDER.get(_moment(chosen), ())
    indexed = next((one for name in names for one in asked if one.column == name), None)
    if indexed is not None and indexed.lookup is not None:
        walked, asked = walked.filter(indexed.lookup), [one for one in asked if one is not indexed]
    return CaseSearch(chosen, _tested(walked, asked), walked if asked else None)


def _tested(cases: QuerySet[Case], asked: Iterable[Condition]) -> QuerySet[Case]:
    for one in asked:
        cases = cases.filter(one.test)
    return cases


def search_page(found: CaseSearch, *, length: int) -> tuple[KeysetPage[Case, QueuePosition], int]:
    """The page that its state of the queue names, and among how many cases it looked, where it stopped before the page
    was full, else 0. One query, and another where cases are looked through."""
    chosen = found.chosen
    start, backwards = chosen.before or chosen.after, chosen.before is not None
    descends = chosen.newest_first != backwards
    end = _scan_end(found, start, descends=descends)
    # Found by their keys alone; what is shown of them is read for those of the page.
    cases = _between(found.cases, chosen, start=start, end=end, descends=descends)
    keys = _in_order(cases, chosen, descends=descends).values("pk")[: length + 1]
    whole = Case.objects.filter(pk__in=keys).select_related("application__owner", "claimed_by", "assigned_by")
    shown = list(_in_order(whole, chosen, descends=descends))
    page = keyset_page(
        shown,
        lambda case: position_of(case, chosen),
        length=length,
        is_first=start is None,
        backwards=backwards,
        end=end,
    )
    return page, _MAX_SCANNED if end and len(shown) <= length else 0


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
    moment, (first, last) = _moment(chosen), (end, start) if descends else (start, end)
    # Those of the view, from and to; a moment that a case hasn't is in none.
    low = None if chosen.looks_at_closed else _BEGINNING
    high = timezone.now() if chosen.view is View.OVERDUE else None
    if latest := [at for at in (low, first and first.at) if at]:
        cases = cases.filter(**{f"{moment}__gte": max(latest)})
    if earliest := [at for at in (high, last and last.at) if at]:
        cases = cases.filter(**{f"{moment}__lte": min(earliest)})
    beyond, short = ("lt", "gt") if descends else ("gt", "lt")
    if start:
        cases = cases.filter(Q(**{f"{moment}__{beyond}": start.at}) | Q(**{f"pk__{beyond}": start.pk}))
    if end:
        cases = cases.filter(Q(**{f"{moment}__{short}": end.at}) | Q(**{f"pk__{short}e": end.pk}))
    return cases


# Of two agents who press at once one gets the next case; this often the other looks for another.
_LOOKS = 10


def next_case_for(agent: User, shown: QueueState) -> tuple[Case | None, str]:
    """Claim the longest waiting case that nobody works on, among those that the filters let through; or say that there
    is none.

    It is looked for as far as for a page of the queue, and no further: one to three queries.
    """
    # Filters narrow it; a view of claimed ones, or of one agent's, can't.
    view = shown.view if shown.view in (View.ANSWERED, View.OVERDUE, View.CONFIRM) else View.UNCLAIMED
    free, holder = unclaimed(), NOBODY
    if view is View.CONFIRM:
        # The agent whose decision waits there has done their part.
        free, holder = free | Q(claimed_by=F("proposed_by")), ""
    fitting = replace(shown_to(agent, shown).from_the_top, view=view, holder=holder, newest_first=False)
    found = find_cases(fitting, agent_id=agent.pk)
    open_cases = found.cases.filter(free, not_proposed_by(agent.pk), not_own_of(agent.pk), not_decided())
    found = replace(found, cases=open_cases)
    for _ in range(_LOOKS):
        page, looked_through = search_page(found, length=1)
        if not page.rows:
            if looked_through:
                count = f"{looked_through:,} unassigned cases that have waited longest"
                return None, f"No match among the {count}. Search the queue or narrow the filters."
            break
        if claim_free(page.rows[0], free=free, by=agent):
            return page.rows[0], ""
    return None, "No unassigned cases match."
