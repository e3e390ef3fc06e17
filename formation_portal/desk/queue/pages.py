"""Show the queue: its views, filters and rows, and how many cases have arrived since a page was drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localdate

from formation_portal.accounts.models import User
from formation_portal.applications.access import own_applications
from formation_portal.contract.catalog import working_days_after, working_days_between
from formation_portal.contract.lifecycle import State
from formation_portal.core.integers import parse_integers
from formation_portal.relay.resolution import unresolved_deliveries
from formation_portal.ui.forms.controls import FilterControl, Option, as_options
from formation_portal.ui.pagination import PageLink, ViewLink

from ..case_access import can_open, can_take_cases, has_every_case, reviewers
from ..case_urls import case_url, queue_url
from ..models import Case, Offer, Opening
from ..queue_state import NOBODY, STATES, QueueState, QueueView, micros_of, moment_at
from ..wording import WAITING_FOR_PAYMENT, if_any, numbered, service_status_words, state_mark, state_words, together
from .search import CaseSearch, counts, in_view

A_PAGE = 25
# Larger counts are shown as "99+": a full count takes longer than the first page.
_MAX_COUNT = 100

_LEADS = {
    QueueView.OVERDUE: "With us for longer than the timeline of the company type, or {overdue} if it has none.",
    QueueView.MINE: "Claims expire after {claim}.",
    QueueView.CONFIRM: "Decisions by colleagues that a second agent has to confirm.",
    QueueView.ANSWERED: "Returned to the customer and submitted again.",
}

# The most strokes of a tally, one for each day. Distances are in pixels.
_MAX_STROKES = 20
_STEP = 5
_FIRST = 2
_GAP = 3
_GROUP = 5


class CaseClock:
    """The working days that a case has waited for us and may wait. `due` is the last day in time; None where the case
    doesn't wait for us."""

    def __init__(self, case: Case) -> None:
        self.days = 0
        self.allowed = case.target_days or settings.OVERDUE_DAYS
        self.due: date | None = None
        self.is_late = False
        self.words = ""
        if case.waiting_since is not None:
            since = localdate(case.waiting_since)
            self.days = case.waited_days + working_days_between(since, localdate())
            self.due = working_days_after(since, max(self.allowed - case.waited_days - 1, 0))
            self.is_late = self.days >= self.allowed
            self.words = f"Due {date_format(self.due, 'j M')}"
            if self.is_late:
                self.words = f"{numbered(self.days - self.allowed + 1, 'day')} overdue"
            elif self.due == localdate():
                self.words = "Due today"

    @cached_property
    def strokes(self) -> list[tuple[int, bool]]:
        """Return a stroke for each allowed day (none for many days): its position, and whether the day has passed."""
        if self.allowed > _MAX_STROKES:
            return []
        days = range(self.allowed)
        return [(_FIRST + day * _STEP + day // _GROUP * _GAP, day < self.days) for day in days]

    @property
    def width(self) -> int:
        """Return the width of the strokes, in pixels."""
        return self.strokes[-1][0] + _GAP


class CaseRow:
    """A case in the queue, as one reader sees it. `has_names`: the reader may see people and company; `news` tells
    that others have changed the case since the reader saw it, "" if not."""

    def __init__(
        self, case: Case, chosen: QueueState, reader: User, *, seen_version: int, is_by_agent: bool, is_own: bool
    ) -> None:
        self.case = case
        self.clock = CaseClock(case)
        self.url = case_url(case.application.reference, chosen)
        self.is_own = is_own
        self.has_names = can_open(case, reader)
        self.name = case.application.product_name
        if self.has_names and case.title:
            self.name = case.title
        self.news = ""
        if case.version > seen_version and case.changed_by_id != reader.pk:
            self.news = "New answers"
            if is_by_agent:
                self.news = "Changed since you looked"
        self.claim_note = ""
        if case.assigned_by is not None:
            self.claim_note = f"Assigned by {case.assigned_by.called}"
            if case.claimed_by_id == reader.pk:
                self.claim_note = f"Assigned to you by {case.assigned_by.called}"
        self.mark = state_mark(State(case.state))
        self.status = state_words(State(case.state))
        self._mark_what_counts_more()

    def _mark_what_counts_more(self) -> None:
        """Replace the mark and status by those of more important conditions, the most important last."""
        case = self.case
        if case.answered_since:
            self.mark = "changed"
            self.status = "Resubmitted"
        if case.confirm_since:
            self.status = "Awaiting second agent"
        if case.refused_at:
            self.mark = "changed"
            self.status = "Decision not confirmed"
        if case.application.payment_due_since:
            self.mark = "warning"
            self.status = WAITING_FOR_PAYMENT
        if case.service_status:
            self.mark = "warning"
            self.status = f"Service reports “{service_status_words(case.service_status)}”"
        if self.clock.is_late:
            self.mark = "error"

    @property
    def checks(self) -> str:
        return f"{self.case.checks_done} of {numbered(self.case.checks_all, 'check')}"

    @property
    def contents(self) -> str:
        people = numbered(self.case.parties, "person or company", "people and companies")
        return f"{people}, {numbered(self.case.documents, 'document')}"


def queue_page(chosen: QueueState, reader: User) -> dict[str, Any]:
    """Read a page of the queue for its template. Seven or eight SQL queries."""
    drawn = timezone.now()
    agents = {str(agent.pk): agent.called for agent in User.objects.filter(is_agent=True).order_by("first_name", "pk")}
    offers = list(Offer.objects.order_by("place", "name", "pk"))
    # Without FOUR_EYES the view of decisions to confirm is shown only if chosen.
    views = [view for view in QueueView if view is not QueueView.CONFIRM or settings.FOUR_EYES or chosen.view is view]
    counted: list[QuerySet[Any]] = [in_view(view, agent_id=reader.pk).values("pk")[:_MAX_COUNT] for view in views]
    counted.append(unresolved_deliveries().values("pk"))
    search = CaseSearch(chosen, reader, others=counted)
    page, looked_through = search.page(length=A_PAGE)
    *sizes, undecided = search.other_sizes
    view_links = []
    for view, size in zip(views, sizes, strict=True):
        # Agents look for recently closed cases.
        url = queue_url(QueueState(view=view, newest_first=view is QueueView.CLOSED))
        view_links.append(ViewLink(url, str(view.label), _count_words(size), view is chosen.view))
    can_take = can_take_cases(reader)
    first_page = chosen.first_page
    previous = queue_url(replace(first_page, before=page.before)) if page.before else ""
    following = queue_url(replace(first_page, after=page.after)) if page.after else ""
    links = []
    if chosen != first_page:
        links.append(PageLink("First", queue_url(first_page)))
    if previous:
        links.append(PageLink("Previous", previous, "prev"))
    if following:
        links.append(PageLink("Next", following, "next"))
    return {
        "chosen": chosen,
        "title": "All cases" if chosen.includes_closed else chosen.view.label,
        "lead": _LEADS.get(chosen.view, "").format(
            overdue=numbered(settings.OVERDUE_DAYS, "working day"), claim=numbered(settings.CLAIM_HOURS, "hour")
        ),
        "views": view_links,
        # The number of deliveries that wait for a decision.
        "undecided": undecided,
        "filters": _filters(chosen, agents, offers, has_names=has_every_case(reader)),
        "chips": _chips(chosen, agents, offers),
        "keyset": page,
        "rows": _rows(page.rows, chosen, reader, agents),
        # Closed cases cannot be claimed.
        "can_be_claimed": chosen.view is not QueueView.CLOSED and can_take,
        "colleagues": colleague_options(reader),
        "links": links,
        # If the search stopped before the page was full: how many cases it tested, and the URL to go on.
        "looked_through": f"{looked_through:,}" if looked_through else "",
        "look_on": previous if chosen.before else following,
        "news_url": news_url(chosen, QueueVersion(drawn, cases=tuple(case.pk for case in page.rows))),
        "has_every_case": has_every_case(reader),
        "can_take_cases": can_take,
    }


def _rows(cases: Sequence[Case], chosen: QueueState, reader: User, agents: Mapping[str, str]) -> list[CaseRow]:
    keys = [case.pk for case in cases]
    openings = Opening.objects.filter(agent=reader, application__in=keys)
    seen_versions = dict(openings.values_list("application", "version"))
    own = own_applications(reader.pk, keys)
    rows = []
    for case in cases:
        is_by_agent = case.changed_by_id is None or str(case.changed_by_id) in agents
        seen_version = seen_versions.get(case.pk, case.version)
        is_own = case.pk in own
        rows.append(CaseRow(case, chosen, reader, seen_version=seen_version, is_by_agent=is_by_agent, is_own=is_own))
    return rows


def _filters(
    chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer], *, has_names: bool
) -> tuple[FilterControl, ...]:
    """Return the filters with their values. `agents` maps ids to names; `has_names`: names can be searched."""
    places = {"": "Any"}
    products = {"": "Any"}
    for offer in offers:
        places[offer.place] = offer.place
        if offer.place == chosen.place or not chosen.place or offer.pk == chosen.product:
            products[offer.pk] = str(offer)
    states = {"": "All open"}
    if chosen.includes_closed or chosen.view is QueueView.CLOSED:
        states[""] = "Any"
    for state in STATES:
        states[state.value] = state_words(state)
    claimants = {"": "Anyone", NOBODY: "Unassigned", **agents}
    orders = {"": "Oldest first", "newest": "Newest first"}
    return (
        FilterControl("q", "Name or reference" if has_names else "Reference", value=chosen.text, key="/"),
        FilterControl("place", "Jurisdiction", choices=as_options(places.items(), chosen.place)),
        FilterControl("product", "Company type", choices=as_options(products.items(), chosen.product)),
        FilterControl("state", "Status", choices=as_options(states.items(), chosen.state)),
        FilterControl("holder", "Claimed by", choices=as_options(claimants.items(), chosen.holder)),
        FilterControl("sort", "Sort by", choices=as_options(orders.items(), "newest" if chosen.newest_first else "")),
        FilterControl("view", value="" if chosen.view is QueueView.WAITING else chosen.view.value, is_hidden=True),
    )


def _chips(chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer]) -> list[tuple[str, str]]:
    first_page = chosen.first_page
    chips = []
    if chosen.text:
        chips.append((f"“{chosen.text}”", replace(first_page, search="", text="")))
    if chosen.place:
        chips.append((chosen.place, replace(first_page, place="")))
    if chosen.product:
        name = next((offer.name for offer in offers if offer.pk == chosen.product), chosen.product)
        chips.append((name, replace(first_page, product="")))
    if chosen.state:
        chips.append((state_words(State(chosen.state)), replace(first_page, state="")))
    if chosen.holder:
        claimant = f"Claimed by {agents.get(chosen.holder, 'someone else')}"
        if chosen.holder == NOBODY:
            claimant = "Unassigned"
        chips.append((claimant, replace(first_page, holder="")))
    return [(label, queue_url(state)) for label, state in chips]


def colleague_options(reader: User) -> tuple[Option, ...]:
    colleagues = [(str(agent.pk), agent.called) for agent in reviewers().exclude(pk=reader.pk)]
    return as_options((("", "Select a colleague"), *colleagues), "")


# A case that was submitted before the page was drawn can appear later, when its transaction ends.
_LATE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class QueueVersion:
    """The version of the queue that a page shows: when drawn, the counts of new and changed cases, and its cases.

    In a URL: microseconds, the two counts, and the cases' numbers, joined by dots.
    """

    drawn: datetime
    new: int = 0
    changed: int = 0
    cases: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "QueueVersion | None":
        numbers = parse_integers(text.split(".")[: 3 + A_PAGE])
        if len(numbers) < 3:
            return None
        micros, new, changed, *cases = numbers
        drawn = moment_at(micros)
        return cls(drawn, new, changed, tuple(cases)) if drawn else None

    def __str__(self) -> str:
        return ".".join(map(str, (micros_of(self.drawn), self.new, self.changed, *self.cases)))

    @property
    def summary(self) -> str:
        """Say how many cases are new and changed; "" for none."""
        new = if_any(self.new, "new case")
        if self.new == _MAX_COUNT:
            new = f"{_count_words(self.new)} new cases"
        return together(new, if_any(self.changed, "changed case"))


def current_version(chosen: QueueState, version: QueueVersion, *, reader: User) -> QueueVersion:
    """Count the cases that are new in the view, and the changed cases of the page. Two SQL queries."""
    search = CaseSearch(chosen, reader)
    came = search.since(version.drawn - _LATE).exclude(pk__in=version.cases)
    changed = Case.objects.filter(pk__in=version.cases, changed_at__gt=version.drawn)
    new, changes = counts([came.values("pk")[:_MAX_COUNT], changed.values("pk")], agent_id=reader.pk)
    return replace(version, new=new, changed=changes)


def news_url(chosen: QueueState, version: QueueVersion) -> str:
    """Return the URL where a page asks for its news."""
    address = chosen.first_page.address
    return f"{reverse('desk:news')}{address}{'&' if address else '?'}token={version}"


def _count_words(count: int) -> str:
    return f"{_MAX_COUNT - 1}+" if count == _MAX_COUNT else str(count)
