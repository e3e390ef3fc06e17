"""Find the cases for the queue's view and filters, at a cost that doesn't grow with the table.

If a condition matches few cases, its index finds them, and only these are tested against the others. If every condition
matches many, the queue is read in its index's order until a page is full, up to a limit; the page links to the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from django.db.models import Exists, F, IntegerField, Lookup, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact, IsNull
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.ui.pagination import KeysetPage, keyset_page

from ..case_access import has_every_case
from ..models import Case, CaseWord
from ..queue_state import NOBODY, QueuePosition, QueueState, QueueView
from .claims import claim_free, claimed_by, not_proposed_by, unclaimed
from .queue_index import WORD_PIECES, fold, stored_digests

# A search ignores further words.
_MAX_WORDS = 6
# The filters on a column of a case.
_COLUMNS = ("product", "place", "state")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# The most cases to sort, and to scan, for one page.
_MAX_SORTED = 1_000
_MAX_SCANNED = 1_000

# The sort column of each view.
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
# The columns in an index with each sort column.
_IN_ORDER = {
    "open_since": ("product", "place"),
    "waiting_since": ("product", "place"),
    "submitted_at": ("product", "place", "state"),
}


def search_prefixes(typed: str) -> tuple[str, ...]:
    """Split a typed text into beginnings of words, longest first. A case must match each."""
    joined = {"".join(WORD_PIECES.findall(term)) for term in fold(typed).split()}
    return tuple(sorted(joined - {""}, key=lambda word: (-len(word), word)))


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a case. `test` checks a single case without an index; `rows` are the keys of matching cases, if an
    index has them; `column` is the column of the filter, if any."""

    test: "Q | Lookup[Any]"
    rows: QuerySet[Any] | None = None
    column: str = ""


class RowCount(Subquery):
    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()
    empty_result_set_value = 0


def counts(rows: Sequence[QuerySet[Any]], *, agent_id: int) -> tuple[int, ...]:
    """Count the rows of several querysets in one SQL query, each up to its slice."""
    if not rows:
        return ()
    sizes: tuple[int, ...] = User.objects.filter(pk=agent_id).values_list(*map(RowCount, rows)).get()
    return sizes


def conditions(chosen: QueueState, reader: User) -> list[Condition]:
    """Return the conditions of a state of the queue, besides that the view's sort column is set."""
    conditions = []
    if chosen.text and not has_every_case(reader):
        # A search by names would reveal who has a case.
        has_reference = Q(application__reference=chosen.text.upper())
        conditions.append(Condition(has_reference, Case.objects.filter(has_reference).values("pk")))
    elif chosen.text:
        for word in search_prefixes(chosen.text)[:_MAX_WORDS]:
            word_rows = CaseWord.objects.filter(word__in=stored_digests(word))
            # A subquery for a value, since PostgreSQL would read a whole index for EXISTS.
            own_word = word_rows.filter(case=OuterRef("pk")).values("pk")[:1]
            conditions.append(Condition(IsNull(Subquery(own_word), False), word_rows.values("case")))
        if not conditions:
            # A text without a word matches no case.
            conditions.append(Condition(Q(pk__in=[]), Case.objects.none().values("pk")))
    for name in _COLUMNS:
        if value := getattr(chosen, name):
            # Wrapping the column keeps the database from using its index instead of the view's order.
            test = Exact(Coalesce(F(name), Value("")), value)
            rows = Case.objects.filter(**{name: value}).values("pk")
            conditions.append(Condition(test, rows, column=name))
    of_view = {QueueView.MINE: str(reader.pk), QueueView.UNCLAIMED: NOBODY}.get(chosen.view, "")
    for claimant in filter(None, (chosen.holder, of_view)):
        if claimant == NOBODY:
            conditions.append(Condition(unclaimed()))
        else:
            is_theirs = claimed_by(int(claimant))
            conditions.append(Condition(is_theirs, Case.objects.filter(is_theirs).values("pk")))
    if chosen.view is QueueView.CONFIRM:
        conditions.append(Condition(not_proposed_by(reader.pk)))
    return conditions


def in_view(view: QueueView, *, agent_id: int) -> QuerySet[Case]:
    conditions = {
        QueueView.MINE: claimed_by(agent_id),
        QueueView.UNCLAIMED: unclaimed(),
        QueueView.CONFIRM: not_proposed_by(agent_id),
        QueueView.OVERDUE: Q(overdue_at__lte=timezone.now()),
    }
    return Case.objects.filter(conditions.get(view, Q()), **{f"{_MOMENTS[view]}__gt": _BEGINNING})


class CaseSearch:
    """A search for the cases that meet the conditions of a state of the queue. `cases` may be outside of its view.

    The constructor counts the cases of each condition, and the rows of `others`, in one SQL query.
    """

    def __init__(self, chosen: QueueState, reader: User, *, others: Sequence[QuerySet[Any]] = ()) -> None:
        self._chosen = chosen
        # The column to sort the queue by.
        self._moment = "submitted_at" if chosen.includes_closed else _MOMENTS[chosen.view]
        # The cases to test one by one; None if an index finds the cases.
        self._scanned: QuerySet[Case] | None = None
        indexed = []
        rows = []
        tested = []
        for condition in conditions(chosen, reader):
            if condition.rows is None:
                tested.append(condition)
            else:
                indexed.append(condition)
                rows.append(condition.rows[:_MAX_SORTED])
        sizes = counts([*rows, *others], agent_id=reader.pk)
        self.other_sizes = sizes[len(rows) :]
        rarest_first = sorted(zip(sizes, rows, indexed, strict=False), key=itemgetter(0))
        tested[:0] = [condition for _, _, condition in rarest_first]
        if rarest_first and rarest_first[0][0] < _MAX_SORTED:
            self.cases = Case.objects.filter(pk__in=rarest_first[0][1])
            del tested[0]
        else:
            # Many cases meet each condition: test all, in order.
            self.cases = Case.objects.all()
            for condition in tested:
                if condition.column in _IN_ORDER.get(self._moment, ()):
                    self.cases = self.cases.filter(**{condition.column: getattr(chosen, condition.column)})
                    tested.remove(condition)
                    break
            self._scanned = self.cases if tested else None
        for condition in tested:
            self.cases = self.cases.filter(condition.test)

    def since(self, at: datetime) -> QuerySet[Case]:
        return self._between(self.cases, QueuePosition(at, 0))

    def page(self, *, length: int) -> tuple[KeysetPage[Case, QueuePosition], int]:
        """Return the page, and how many cases were scanned if the scan stopped before the page was full, else 0.
        One SQL query, two where cases are scanned."""
        chosen = self._chosen
        start = chosen.before or chosen.after
        backwards = chosen.before is not None
        descends = chosen.newest_first != backwards
        sign = "-" if descends else ""
        order = (f"{sign}{self._moment}", f"{sign}pk")
        # The position of the last case to scan; None: scan all.
        end = None
        if self._scanned is not None:
            scanned = self._between(self._scanned, start, descends=descends).order_by(*order)
            last = list(scanned.values_list(self._moment, "pk")[_MAX_SCANNED - 1 : _MAX_SCANNED + 1])
            end = QueuePosition(*last[0]) if len(last) > 1 else None
        # Search by keys alone; read columns only for the cases of the page.
        keys = self._between(self.cases, start, end, descends=descends).order_by(*order).values("pk")[: length + 1]
        rows = Case.objects.filter(pk__in=keys).select_related("application__owner", "claimed_by", "assigned_by")
        page_cases = list(rows.order_by(*order))
        page = keyset_page(
            page_cases,
            lambda case: QueuePosition(getattr(case, self._moment), case.pk),
            length=length,
            is_first=start is None,
            backwards=backwards,
            end=end,
        )
        return page, _MAX_SCANNED if end and len(page_cases) <= length else 0

    def _between(
        self,
        cases: QuerySet[Case],
        start: QueuePosition | None,
        end: QueuePosition | None = None,
        *,
        descends: bool = False,
    ) -> QuerySet[Case]:
        """Return the cases of the view after `start`, up to `end`.

        Each side has a single bound: of two bounds, SQLite would use the index for only one.
        """
        moment = self._moment
        first, last = (end, start) if descends else (start, end)
        lower = [first.at] if first else []
        if not self._chosen.includes_closed:
            # A case outside of the view has NULL here.
            lower.append(_BEGINNING)
        upper = [last.at] if last else []
        if self._chosen.view is QueueView.OVERDUE:
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


# How often to look for another case, if an agent claims the found case first.
_MAX_ATTEMPTS = 10


def next_case_for(agent: User, queue_state: QueueState) -> tuple[Case | None, str]:
    """Claim the longest waiting unclaimed case that the filters match. Returns the case and ""; or None and a sentence
    that says why. One to three SQL queries."""
    # The filters apply, but not a view of claimed cases or of an agent's cases.
    view = queue_state.view
    if view not in (QueueView.ANSWERED, QueueView.OVERDUE, QueueView.CONFIRM):
        view = QueueView.UNCLAIMED
    free = unclaimed()
    claimant = NOBODY
    if view is QueueView.CONFIRM:
        # The proposer of the decision holds the claim.
        free |= Q(claimed_by=F("proposed_by"))
        claimant = ""
    state = replace(queue_state.first_page, view=view, holder=claimant, newest_first=False)
    search = CaseSearch(state, agent)
    own = Application.objects.concerning(agent.pk).filter(pk=OuterRef("pk"))
    scheduled = ReviewDecision.objects.filter(application=OuterRef("pk"), outcome=DecisionOutcome.SCHEDULED)
    can_be_taken = not_proposed_by(agent.pk) & ~Q(Exists(own)) & ~Q(Exists(scheduled))
    search.cases = search.cases.filter(free, can_be_taken)
    for _ in range(_MAX_ATTEMPTS):
        page, looked_through = search.page(length=1)
        if not page.rows:
            if looked_through:
                count = f"{looked_through:,} unassigned cases that have waited longest"
                return None, f"No match among the {count}. Search the queue or narrow the filters."
            break
        if claim_free(page.rows[0], free=free, by=agent):
            return page.rows[0], ""
    return None, "No unassigned cases match."
