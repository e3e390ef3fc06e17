"""Show the queue: its saved views, filters and rows, and how many cases have come since a page of it was drawn."""

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
from formation_portal.ui.pagination import KeysetPage, PageLink, ViewLink, keyset_links

from ..case_access import can_open, can_take_cases, has_every_case, reviewers
from ..case_urls import case_url, queue_url
from ..models import Case, Offer, Opening
from ..queue_state import NOBODY, STATES, QueuePosition, QueueState, QueueView, micros_of, moment_at
from ..wording import WAITING_FOR_PAYMENT, if_any, numbered, service_status_words, state_mark, state_words, together
from .search import counts, find_and_count, find_cases, in_view, search_page, shown_to

A_PAGE = 25
# Larger counts are shown as "99+": counting them all takes longer than showing the first page.
_MAX_COUNT = 100

_VIEW_NAMES = {
    QueueView.WAITING: "Waiting for us",
    QueueView.MINE: "Mine",
    QueueView.UNCLAIMED: "Unassigned",
    QueueView.ANSWERED: "Resubmitted",
    QueueView.OVERDUE: "Overdue",
    QueueView.CONFIRM: "To confirm",
    QueueView.ALL: "All open",
    QueueView.CLOSED: "Closed",
}

# The strokes of a tally, a day each; more are not drawn. Distances are in pixels.
_MAX_STROKES = 20
_STEP = 5
_FIRST = 2
_GAP = 3
_GROUP = 5


@dataclass(frozen=True)
class CaseRow:
    """A case in the queue, as one reader (an agent by this number) sees it.

    `has_names` where the reader may see people and company; `is_own` where it is the reader's own application.
    `seen_version` is the version that the reader has looked at last; None where they never have.
    """

    case: Case
    url: str
    reader_id: int
    seen_version: int | None
    is_by_agent: bool
    has_names: bool
    is_own: bool

    @property
    def name(self) -> str:
        """Return the company's name, or what is formed."""
        return (self.case.title if self.has_names else "") or self.case.application.product_name

    @cached_property
    def days(self) -> int | None:
        """Count the working days that it has waited for us; None where it doesn't wait for us."""
        if self.case.waiting_since is None:
            return None
        return self.case.waited_days + working_days_between(localdate(self.case.waiting_since), localdate())

    @property
    def allowed(self) -> int:
        """Return how many working days it may wait."""
        return self.case.target_days or settings.OVERDUE_DAYS

    @cached_property
    def due(self) -> date | None:
        """Return the last working day before it is overdue; None where it doesn't wait for us."""
        if self.case.waiting_since is None:
            return None
        remaining = self.allowed - self.case.waited_days - 1
        return working_days_after(localdate(self.case.waiting_since), max(remaining, 0))

    @property
    def is_late(self) -> bool:
        return self.days is not None and self.days >= self.allowed

    @property
    def due_words(self) -> str:
        """Return "Due 27 Nov", or by how many working days it is overdue."""
        if self.days is not None and self.is_late:
            return f"{numbered(self.days - self.allowed + 1, 'day')} overdue"
        if self.due is None:
            return ""
        return "Due today" if self.due == localdate() else f"Due {date_format(self.due, 'j M')}"

    @property
    def checks(self) -> str:
        """Say how many checks are done; "" until they were counted."""
        return f"{self.case.checks_done} of {numbered(self.case.checks_all, 'check')}" if self.case.checks_all else ""

    @property
    def news(self) -> str:
        """Say that others have changed it since the reader has looked at it."""
        is_own_change = self.case.changed_by_id == self.reader_id
        if self.seen_version is None or self.case.version <= self.seen_version or is_own_change:
            return ""
        return "Changed since you looked" if self.is_by_agent else "New answers"

    @property
    def claim_note(self) -> str:
        """Say by whom it was assigned."""
        if self.case.assigned_by is None:
            return ""
        assigned = "Assigned to you" if self.case.claimed_by_id == self.reader_id else "Assigned"
        return f"{assigned} by {self.case.assigned_by.called}"

    @cached_property
    def strokes(self) -> list[tuple[int, bool]]:
        """Return the position of each day's stroke, in groups of five, and whether the day has passed."""
        if self.allowed > _MAX_STROKES:
            return []
        days = self.days or 0
        return [(_FIRST + day * _STEP + day // _GROUP * _GAP, day < days) for day in range(self.allowed)]

    @property
    def width(self) -> int:
        """Return the width of the strokes, in pixels."""
        return self.strokes[-1][0] + _GAP

    @property
    def contents(self) -> str:
        people = numbered(self.case.parties, "person or company", "people and companies")
        return f"{people}, {numbered(self.case.documents, 'document')}"

    @property
    def is_unpaid(self) -> bool:
        """Report that the formation service waits for the customer's payment, so that nobody can claim the case."""
        return self.case.application.payment_due_since is not None

    @property
    def mark(self) -> str:
        if self.is_late:
            return "stop"
        if self.case.service_status or self.is_unpaid:
            return "heed"
        is_back = self.case.answered_since or self.case.refused_at
        return "changed" if is_back else state_mark(State(self.case.state))

    @property
    def status(self) -> str:
        if self.case.service_status:
            return f"Service reports “{service_status_words(self.case.service_status)}”"
        if self.is_unpaid:
            return WAITING_FOR_PAYMENT
        if self.case.refused_at:
            return "Decision not confirmed"
        if self.case.confirm_since:
            return "Awaiting second agent"
        return "Resubmitted" if self.case.answered_since else state_words(State(self.case.state))


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue.

    `looked_through` says among how many cases it has searched, where it stopped before the page was full, and `look_on`
    is the URL at which the search goes on; `news_url` is the URL at which the page asks for news.
    """

    chosen: QueueState
    title: str
    lead: str
    views: list[ViewLink]
    # The number of deliveries that wait for a decision.
    undecided: int
    filters: tuple[FilterControl, ...]
    # The active filters in words, each with the URL without it.
    chips: list[tuple[str, str]]
    keyset: KeysetPage[Case, QueuePosition]
    rows: list[CaseRow]
    can_be_claimed: bool
    # The agents to whom a case can be assigned.
    colleagues: tuple[Option, ...]
    links: tuple[PageLink, ...]
    looked_through: str
    look_on: str
    news_url: str
    has_every_case: bool
    can_take_cases: bool


def queue_page(chosen: QueueState, reader: User) -> QueuePage:
    """Read a page of the queue.

    One or two queries for the rows, and one each for the versions that the reader has seen, their own applications,
    agents, colleagues, offers and all counts.
    """
    drawn = timezone.now()
    chosen = shown_to(reader, chosen)
    agents = {str(agent.pk): agent.called for agent in User.objects.filter(is_agent=True).order_by("first_name", "pk")}
    offers = list(Offer.objects.order_by("place", "name", "pk"))
    # Decisions to confirm are shown only where any can wait, or where the view is chosen.
    views = [view for view in QueueView if view is not QueueView.CONFIRM or settings.FOUR_EYES or chosen.view is view]
    counted: list[QuerySet[Any]] = [in_view(view, agent_id=reader.pk).values("pk")[:_MAX_COUNT] for view in views]
    counted.append(unresolved_deliveries().values("pk"))
    search, (*sizes, undecided) = find_and_count(chosen, counted, agent_id=reader.pk)
    page, looked_through = search_page(search, length=A_PAGE)
    can_take = can_take_cases(reader)
    first_page = chosen.first_page
    previous = queue_url(replace(first_page, before=page.before)) if page.before else ""
    following = queue_url(replace(first_page, after=page.after)) if page.after else ""
    return QueuePage(
        chosen,
        title="All cases" if chosen.includes_closed else _VIEW_NAMES[chosen.view],
        lead=_lead(chosen.view),
        views=[_view_link(view, size, chosen) for view, size in zip(views, sizes, strict=True)],
        undecided=undecided,
        filters=_filters(chosen, agents, offers, has_names=has_every_case(reader)),
        chips=_chips(chosen, agents, offers),
        keyset=page,
        rows=_rows(page.rows, chosen, reader, agents),
        # Closed cases cannot be claimed.
        can_be_claimed=chosen.view is not QueueView.CLOSED and can_take,
        colleagues=colleague_options(reader),
        links=keyset_links(
            PageLink("First", queue_url(first_page) if chosen != first_page else ""),
            PageLink("Previous", previous, "prev"),
            PageLink("Next", following, "next"),
        ),
        looked_through=f"{looked_through:,}" if looked_through else "",
        look_on=previous if chosen.before else following,
        news_url=news_url(chosen, QueueVersion(drawn, cases=tuple(case.pk for case in page.rows))),
        has_every_case=has_every_case(reader),
        can_take_cases=can_take,
    )


def _rows(cases: Sequence[Case], chosen: QueueState, reader: User, agents: Mapping[str, str]) -> list[CaseRow]:
    keys = [case.pk for case in cases]
    openings = Opening.objects.filter(agent=reader, application__in=keys)
    seen_versions = dict(openings.values_list("application", "version"))
    own = own_applications(reader.pk, keys)
    rows = []
    for case in cases:
        rows.append(
            CaseRow(
                case,
                case_url(case.application.reference, chosen),
                reader_id=reader.pk,
                seen_version=seen_versions.get(case.pk),
                is_by_agent=case.changed_by_id is None or str(case.changed_by_id) in agents,
                has_names=can_open(case, reader),
                is_own=case.pk in own,
            )
        )
    return rows


def _lead(view: QueueView) -> str:
    """Explain the views whose names don't."""
    match view:
        case QueueView.OVERDUE:
            usual = f"or {numbered(settings.OVERDUE_DAYS, 'working day')} if it has none"
            return f"With us for longer than the timeline of the company type, {usual}."
        case QueueView.MINE:
            return f"Claims expire after {numbered(settings.CLAIM_HOURS, 'hour')}."
        case QueueView.CONFIRM:
            return "Decisions by colleagues that a second agent has to confirm."
        case QueueView.ANSWERED:
            return "Returned to the customer and submitted again."
    return ""


def _view_link(view: QueueView, size: int, chosen: QueueState) -> ViewLink:
    # Agents look for the cases that were closed last.
    url = queue_url(QueueState(view=view, newest_first=view is QueueView.CLOSED))
    return ViewLink(url, _VIEW_NAMES[view], _count_words(size), view is chosen.view)


def _filters(
    chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer], *, has_names: bool
) -> tuple[FilterControl, ...]:
    """Return the controls with their values. `agents` are names by numbers; `has_names` where the reader may search by
    names."""
    places = {"": "Any"}
    products = {"": "Any"}
    for offer in offers:
        places[offer.place] = offer.place
        if offer.place == chosen.place or not chosen.place or offer.pk == chosen.product:
            products[offer.pk] = str(offer)
    any_state = "Any" if chosen.includes_closed or chosen.view is QueueView.CLOSED else "All open"
    states = {"": any_state, **{state.value: state_words(state) for state in STATES}}
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
        chips.append((f"“{chosen.text}”", first_page.without_search))
    if chosen.place:
        chips.append((chosen.place, replace(first_page, place="")))
    if chosen.product:
        name = next((offer.name for offer in offers if offer.pk == chosen.product), chosen.product)
        chips.append((name, replace(first_page, product="")))
    if chosen.state:
        chips.append((state_words(State(chosen.state)), replace(first_page, state="")))
    if chosen.holder:
        claimant = f"Claimed by {agents.get(chosen.holder, 'someone else')}"
        chips.append(("Unassigned" if chosen.holder == NOBODY else claimant, replace(first_page, holder="")))
    return [(label, queue_url(state)) for label, state in chips]


def newest_url(chosen: QueueState) -> str:
    """Return the URL of the view with the same filters, the newest first."""
    return queue_url(replace(chosen.first_page, newest_first=True))


def colleague_options(reader: User) -> tuple[Option, ...]:
    """Return the colleagues to whom the reader can assign a case. One query."""
    colleagues = [(str(agent.pk), agent.called) for agent in reviewers().exclude(pk=reader.pk)]
    return as_options((("", "Select a colleague"), *colleagues), "")


# A case can appear that was submitted before the page was drawn, since its transaction ended later.
_LATE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class QueueVersion:
    """The version of the queue that a page shows: when it was drawn, the counts of its news, and its cases.

    In an address: the moment in microseconds, how many cases are new, how many on the page have changed, and the
    numbers of the cases, with dots between.
    """

    drawn: datetime
    new: int = 0
    changed: int = 0
    cases: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "QueueVersion | None":
        """Parse the version in an address. None where the text is none."""
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
        """Say how many cases are new and changed; "" where none are any more."""
        new = ""
        if self.new:
            new = f"{_count_words(self.new)} new case{'' if self.new == 1 else 's'}"
        return together(new, if_any(self.changed, "changed case"))


def current_version(chosen: QueueState, version: QueueVersion, *, reader: User) -> QueueVersion:
    """Count the cases that have come into the view since, on any page, and the changed ones of this page.

    One query, and that of a search.
    """
    search = find_cases(shown_to(reader, chosen), agent_id=reader.pk)
    came = search.since(version.drawn - _LATE).exclude(pk__in=version.cases)
    changed = Case.objects.filter(pk__in=version.cases, changed_at__gt=version.drawn)
    new, changes = counts([came.values("pk")[:_MAX_COUNT], changed.values("pk")], agent_id=reader.pk)
    return replace(version, new=new, changed=changes)


def news_url(chosen: QueueState, version: QueueVersion) -> str:
    """Return the URL at which a page asks for its news."""
    address = chosen.first_page.address
    return f"{reverse('desk:news')}{address}{'&' if address else '?'}token={version}"


def _count_words(count: int) -> str:
    return f"{_MAX_COUNT - 1}+" if count == _MAX_COUNT else str(count)
