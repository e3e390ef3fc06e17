"""Find the cases that a state of the queue shows, by indexes alone: the cost of a page doesn't grow with the cases.

Each condition that narrows the queue comes with the index that finds its cases, so that the rarest can lead. Where few
cases meet one condition, only those are tested. Where many meet each, the queue is scanned in its order until a page is
full, up to a limit; the page says how far, and leads on from there.
"""

from collections.abc import Sequence
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
from ..queue_state import NOBODY, QueuePosition, QueueState, QueueView
from .claims import claim_free, claimed_by, not_decided, not_own_of, not_proposed_by, unclaimed
from .queue_index import WORD_PIECES, fold, stored_digests

# Further words of a search are ignored.
_MAX_WORDS = 6
# The filters that are columns of a case.
_COLUMNS = ("product", "place", "state")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# The most cases that are sorted, and that are scanned for one page.
_MAX_SORTED = 1_000
_MAX_SCANNED = 1_000

# The column that orders each view.
_MOMENTS = {
    QueueView.WAITING: "waiting_since",
    QueueView.MINE: "open_since",
    QueueView.UNCLAIMED: "waiting_since",
    QueueView.ANSWERED: "answered_since",
    QueueView.OVERDUE: "overdue_at",
    QueueView.CONFIRM: "confirm_since",
    QueueView.ALL: "open_since",
    QueueView.CLOSED: "closed_since",
}
# The columns that an index holds in the order of a moment.
_IN_ORDER = {
    "open_since": ("product", "place"),
    "waiting_since": ("product", "place"),
    "submitted_at": ("product", "place", "state"),
}


def search_prefixes(typed: str) -> tuple[str, ...]:
    """Split a typed text into beginnings of words, all of which a case must have; the longest first."""
    joined = {"".join(WORD_PIECES.findall(term)) for term in fold(typed).split()}
    return tuple(sorted(joined - {""}, key=lambda word: (-len(word), word)))


def shown_to(reader: User, chosen: QueueState) -> QueueState:
    """Restrict the search to references for a reader who may not see all names. No query without a text."""
    return replace(chosen, by_reference=bool(chosen.text) and not has_every_case(reader))


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a case. `test` asks it of one case without an index.

    `rows` are the keys of its cases, read from an index; None where no index has them. `lookup` lets an index find the
    value of `column`.
    """

    test: "Q | Lookup[Any]"
    rows: QuerySet[Any] | None = None
    column: str = ""
    lookup: Q | None = None


class RowCount(Subquery):
    """The number of rows of a query, as a value of another query."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()
    empty_result_set_value = 0


def counts(rows: Sequence[QuerySet[Any]], *, agent_id: int) -> tuple[int, ...]:
    """Count the rows of several queries in one query. A sliced query counts up to its limit."""
    if not rows:
        return ()
    sizes: tuple[int, ...] = User.objects.filter(pk=agent_id).values_list(*map(RowCount, rows)).get()
    return sizes


def conditions(chosen: QueueState, *, agent_id: int) -> list[Condition]:
    """Return the conditions of a state of the queue, but for the view's own moment."""
    conditions = []
    if chosen.text and chosen.by_reference:
        has_reference = Q(application__reference=chosen.text.upper())
        conditions.append(Condition(has_reference, Case.objects.filter(has_reference).values("pk")))
    elif chosen.text:
        for word in search_prefixes(chosen.text)[:_MAX_WORDS]:
            word_rows = CaseWord.objects.filter(word__in=stored_digests(word))
            # A value that is looked up, since PostgreSQL would read a whole index for EXISTS.
            own_word = word_rows.filter(case=OuterRef("pk")).values("pk")[:1]
            conditions.append(Condition(IsNull(Subquery(own_word), False), word_rows.values("case")))
    for name in _COLUMNS:
        if value := getattr(chosen, name):
            lookup = Q(**{name: value})
            # No plan finds a wrapped column by its index and sorts its cases, so that the order of the view leads.
            test = Exact(Coalesce(F(name), Value("")), value)
            rows = Case.objects.filter(lookup).values("pk")
            conditions.append(Condition(test, rows, column=name, lookup=lookup))
    of_view = {QueueView.MINE: str(agent_id), QueueView.UNCLAIMED: NOBODY}.get(chosen.view, "")
    for claimant in filter(None, (chosen.holder, of_view)):
        if claimant == NOBODY:
            conditions.append(Condition(unclaimed()))
        else:
            is_theirs = claimed_by(int(claimant))
            conditions.append(Condition(is_theirs, Case.objects.filter(is_theirs).values("pk")))
    if chosen.view is QueueView.CONFIRM:
        conditions.append(Condition(not_proposed_by(agent_id)))
    return conditions


@dataclass(frozen=True, slots=True)
class CaseSearch:
    """The cases of a state of the queue, but for the view's moment.

    `scanned` are the cases that are tested one by one; None where an index finds them.
    """

    chosen: QueueState
    cases: QuerySet[Case]
    scanned: QuerySet[Case] | None

    def since(self, at: datetime) -> QuerySet[Case]:
        """Return the cases that have come into the view since, in no order."""
        return _between(self.cases, self.chosen, start=QueuePosition(at, 0))


def in_view(view: QueueView, *, agent_id: int) -> QuerySet[Case]:
    """Return the cases of a view, in no order."""
    cases = Case.objects.filter(**{f"{_MOMENTS[view]}__gt": _BEGINNING})
    if view is QueueView.MINE:
        return cases.filter(claimed_by(agent_id))
    if view is QueueView.UNCLAIMED:
        return cases.filter(unclaimed())
    if view is QueueView.CONFIRM:
        return cases.filter(not_proposed_by(agent_id))
    return cases.filter(overdue_at__lte=timezone.now()) if view is QueueView.OVERDUE else cases


def find_cases(chosen: QueueState, *, agent_id: int) -> CaseSearch:
    """Find the cases. One query, where there are conditions: how many cases meet each."""
    return find_and_count(chosen, (), agent_id=agent_id)[0]


def find_and_count(
    chosen: QueueState, others: Sequence[QuerySet[Any]], *, agent_id: int
) -> tuple[CaseSearch, tuple[int, ...]]:
    """Find the cases, and count the rows of some other queries. One query, if there is anything to count."""
    if chosen.text and not chosen.by_reference and not search_prefixes(chosen.text):
        return CaseSearch(chosen, Case.objects.none(), None), counts(others, agent_id=agent_id)
    indexed: list[tuple[Condition, QuerySet[Any]]] = []
    unindexed: list[Condition] = []
    for condition in conditions(chosen, agent_id=agent_id):
        if condition.rows is None:
            unindexed.append(condition)
        else:
            indexed.append((condition, condition.rows[:_MAX_SORTED]))
    sizes = counts([*(rows for _, rows in indexed), *others], agent_id=agent_id)
    own_sizes = sizes[: len(indexed)]
    rarest_first = sorted(zip(own_sizes, indexed, strict=True), key=lambda pair: pair[0])
    ordered = [*(condition for _, (condition, _) in rarest_first), *unindexed]
    if rarest_first and rarest_first[0][0] < _MAX_SORTED:
        _, (_, rows) = rarest_first[0]
        search = CaseSearch(chosen, _tested(Case.objects.filter(pk__in=rows), ordered[1:]), None)
    else:
        search = _scan(chosen, ordered)
    return search, sizes[len(indexed) :]


def _scan(chosen: QueueState, conditions: Sequence[Condition]) -> CaseSearch:
    """Search all cases in their order, where many meet each condition."""
    scanned = Case.objects.all()
    by_column = {condition.column: condition for condition in conditions}
    for name in _IN_ORDER.get(_moment(chosen), ()):
        if name in by_column:
            scanned = scanned.filter(by_column[name].lookup)
            conditions = [condition for condition in conditions if condition.column != name]
            break
    return CaseSearch(chosen, _tested(scanned, conditions), scanned if conditions else None)


def _tested(cases: QuerySet[Case], conditions: Sequence[Condition]) -> QuerySet[Case]:
    for condition in conditions:
        cases = cases.filter(condition.test)
    return cases


def search_page(search: CaseSearch, *, length: int) -> tuple[KeysetPage[Case, QueuePosition], int]:
    """Return the page of a search, and among how many cases it has searched, if it stopped before the page was full,
    else 0. One query, and another where cases are scanned."""
    chosen = search.chosen
    start = chosen.before or chosen.after
    backwards = chosen.before is not None
    descends = chosen.newest_first != backwards
    end = _scan_end(search, start, descends=descends)
    # Found by their keys alone; the columns are read for the cases of the page.
    cases = _between(search.cases, chosen, start=start, end=end, descends=descends)
    keys = _in_order(cases, chosen, descends=descends).values("pk")[: length + 1]
    rows = Case.objects.filter(pk__in=keys).select_related("application__owner", "claimed_by", "assigned_by")
    page_cases = list(_in_order(rows, chosen, descends=descends))
    page = keyset_page(
        page_cases,
        lambda case: position_of(case, chosen),
        length=length,
        is_first=start is None,
        backwards=backwards,
        end=end,
    )
    return page, _MAX_SCANNED if end and len(page_cases) <= length else 0


def _scan_end(search: CaseSearch, start: QueuePosition | None, *, descends: bool) -> QueuePosition | None:
    """Return the position of the last case to be scanned; None where all are."""
    if search.scanned is None:
        return None
    cases = _between(search.scanned, search.chosen, start=start, descends=descends)
    rows = _in_order(cases, search.chosen, descends=descends).values_list(_moment(search.chosen), "pk")
    last = list(rows[_MAX_SCANNED - 1 : _MAX_SCANNED + 1])
    return QueuePosition(*last[0]) if len(last) > 1 else None


def position_of(case: Case, chosen: QueueState) -> QueuePosition:
    return QueuePosition(getattr(case, _moment(chosen)), case.pk)


def _moment(chosen: QueueState) -> str:
    """Return the column that orders the queue."""
    return "submitted_at" if chosen.includes_closed else _MOMENTS[chosen.view]


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
    """Return the cases of the view behind one position, and up to another.

    Each side has one bound: of two, SQLite takes one to the index, and reads on to the other.
    """
    moment = _moment(chosen)
    first, last = (end, start) if descends else (start, end)
    lower = [first.at] if first else []
    if not chosen.includes_closed:
        # A case that is not in the view has no moment.
        lower.append(_BEGINNING)
    upper = [last.at] if last else []
    if chosen.view is QueueView.OVERDUE:
        upper.append(timezone.now())
    if lower:
        cases = cases.filter(**{f"{moment}__gte": max(lower)})
    if upper:
        cases = cases.filter(**{f"{moment}__lte": min(upper)})
    after, before = ("lt", "gt") if descends else ("gt", "lt")
    if start:
        cases = cases.filter(Q(**{f"{moment}__{after}": start.at}) | Q(**{f"pk__{after}": start.pk}))
    if end:
        cases = cases.filter(Q(**{f"{moment}__{before}": end.at}) | Q(**{f"pk__{before}e": end.pk}))
    return cases


# Another agent may claim the next case first; this often another one is looked for.
_MAX_ATTEMPTS = 10


def next_case_for(agent: User, queue_state: QueueState) -> tuple[Case | None, str]:
    """Claim the longest waiting unclaimed case that the filters let through, or return why there is none.

    The search goes as far as that of a page of the queue: one to three queries.
    """
    # The filters narrow the search, but not a view of claimed cases or of one agent's.
    view = queue_state.view
    if view not in (QueueView.ANSWERED, QueueView.OVERDUE, QueueView.CONFIRM):
        view = QueueView.UNCLAIMED
    free = unclaimed()
    claimant = NOBODY
    if view is QueueView.CONFIRM:
        # The agent who has proposed the decision holds the claim.
        free |= Q(claimed_by=F("proposed_by"))
        claimant = ""
    state = replace(shown_to(agent, queue_state).first_page, view=view, holder=claimant, newest_first=False)
    search = find_cases(state, agent_id=agent.pk)
    cases = search.cases.filter(free, not_proposed_by(agent.pk), not_own_of(agent.pk), not_decided())
    search = replace(search, cases=cases)
    for _ in range(_MAX_ATTEMPTS):
        page, looked_through = search_page(search, length=1)
        if not page.rows:
            if looked_through:
                count = f"{looked_through:,} unassigned cases that have waited longest"
                return None, f"No match among the {count}. Search the queue or narrow the filters."
            break
        if claim_free(page.rows[0], free=free, by=agent):
            return page.rows[0], ""
    return None, "No unassigned cases match."
