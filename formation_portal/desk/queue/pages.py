"""The queue as a page: its saved views, filters and rows; and what has come since a page of it was drawn."""

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
from ..queue_state import NOBODY, STATES, QueuePosition, QueueState, View, micros_of, moment_at
from ..wording import WAITING_FOR_PAYMENT, if_any, numbered, service_status_words, state_mark, state_words, together
from .search import counts, find_and_count, find_cases, in_view, search_page, shown_to

A_PAGE = 25
# A view with more says so, since counting them all takes longer than showing the first; and a page that has been open
# for days needs no exact count of what has come.
_MAX_COUNT = 100

_VIEW_WORDS = {
    View.WAITING: "Waiting for us",
    View.MINE: "Mine",
    View.UNCLAIMED: "Unassigned",
    View.ANSWERED: "Resubmitted",
    View.OVERDUE: "Overdue",
    View.CONFIRM: "To confirm",
    View.ALL: "All open",
    View.CLOSED: "Closed",
}

# More strokes than this are no picture any more.
_MAX_STROKES = 20
_STEP, _FIRST, _GAP, _GROUP = 5, 2, 3, 5


@dataclass(frozen=True)
class CaseRow:
    """One case in the queue: how long it has waited for us, against the working days that it may, and how it stands.

    `has_names` where the reader may see whom and which company it is about; `is_own` where it is the reader's own
    application, which they can't take. `looked_at` is its version that the reader, an agent by this number, has looked
    at last; None where they never have.
    """

    case: Case
    url: str
    reader_id: int
    looked_at: int | None
    is_by_agent: bool
    has_names: bool
    is_own: bool

    @property
    def name(self) -> str:
        """The company's, or what is formed."""
        return (self.case.title if self.has_names else "") or self.case.application.product_name

    @cached_property
    def days(self) -> int | None:
        """How many working days it has waited; None where it doesn't wait for us."""
        if self.case.waiting_since is None:
            return None
        return self.case.waited_days + working_days_between(localdate(self.case.waiting_since), localdate())

    @property
    def allowed(self) -> int:
        """How many it may."""
        return self.case.target_days or settings.OVERDUE_DAYS

    @cached_property
    def due(self) -> date | None:
        """The last working day on which it is not overdue; None where it doesn't wait for us."""
        if self.case.waiting_since is None:
            return None
        left = self.allowed - self.case.waited_days - 1
        return working_days_after(localdate(self.case.waiting_since), max(left, 0))

    @property
    def is_late(self) -> bool:
        """Whether it is overdue."""
        return self.days is not None and self.days >= self.allowed

    @property
    def due_words(self) -> str:
        """ "Due 27 Nov", or by how many working days it is overdue."""
        if self.is_late:
            return f"{numbered((self.days or 0) - self.allowed + 1, 'day')} overdue"
        return "Due today" if self.due == localdate() else f"Due {date_format(self.due, 'j M')}" if self.due else ""

    @property
    def checks(self) -> str:
        """How many checks are done; nothing until they were counted."""
        return f"{self.case.checks_done} of {numbered(self.case.checks_all, 'check')}" if self.case.checks_all else ""

    @property
    def news(self) -> str:
        """Whether others have changed it since the reader has looked at it."""
        is_own = self.case.changed_by_id == self.reader_id
        if self.looked_at is None or self.case.version <= self.looked_at or is_own:
            return ""
        return "Changed since you looked" if self.is_by_agent else "New answers"

    @property
    def claim_note(self) -> str:
        """By whom it was assigned."""
        by = self.case.assigned_by
        whom = " to you" if self.case.claimed_by_id == self.reader_id else ""
        return f"Assigned{whom} by {by.called}" if by else ""

    @cached_property
    def strokes(self) -> list[tuple[int, bool]]:
        """A stroke a day, in groups of five: where it stands, and whether the day has passed. None where there would be
        too many."""
        days = range(self.allowed if self.allowed <= _MAX_STROKES else 0)
        return [(_FIRST + day * _STEP + day // _GROUP * _GAP, day < (self.days or 0)) for day in days]

    @property
    def width(self) -> int:
        """What the strokes take, in pixels."""
        return self.strokes[-1][0] + _GAP

    @property
    def contents(self) -> str:
        """What there is to check."""
        people = numbered(self.case.parties, "person or company", "people and companies")
        return f"{people}, {numbered(self.case.documents, 'document')}"

    @property
    def is_unpaid(self) -> bool:
        """Report that the formation service waits for the customer's payment, so that nobody can claim the case."""
        return self.case.application.payment_due_since is not None

    @property
    def mark(self) -> str:
        """The glyph of its state."""
        if self.is_late:
            return "stop"
        if self.case.service_status or self.is_unpaid:
            return "heed"
        is_back = self.case.answered_since or self.case.refused_at
        return "changed" if is_back else state_mark(State(self.case.state))

    @property
    def status(self) -> str:
        """Its state in words."""
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
    """The whole page. `looked_through` says among how many cases it looked, where it stopped before the page was full,
    and `look_on` where it looks on from there; `news_url` is where the page asks for what has come since."""

    chosen: QueueState
    title: str
    lead: str
    views: list[ViewLink]
    # How many things at the service wait for a decision.
    undecided: int
    filters: tuple[FilterControl, ...]
    # What narrows the view in words, each with the address without it.
    chips: list[tuple[str, str]]
    found: KeysetPage[Case, QueuePosition]
    rows: list[CaseRow]
    # Nobody works on a closed case, nor does who only reads.
    can_be_claimed: bool
    # Whom a case can be given to.
    colleagues: tuple[Option, ...]
    links: tuple[PageLink, ...]
    looked_through: str
    look_on: str
    news_url: str
    # Whether the reader sees the names in all cases, and may claim any.
    has_every_case: bool
    can_take_cases: bool

    @property
    def has_workbench(self) -> bool:
        """Whether schemas can be tried out here."""
        return bool(settings.WORKBENCH)


def queue_page(chosen: QueueState, reader: User) -> QueuePage:
    """The page: one or two queries for the rows, and one each for what the reader has looked at of them, which are of
    their own applications, agents, colleagues, offers and all counts."""
    drawn, chosen = timezone.now(), shown_to(reader, chosen)
    agents = {str(one.pk): one.called for one in User.objects.filter(is_agent=True).order_by("first_name", "pk")}
    offers = list(Offer.objects.order_by("place", "name", "pk"))
    # The view of decisions that wait for a second agent is there only where any can wait, or where it is chosen.
    views = [view for view in View if view is not View.CONFIRM or settings.FOUR_EYES or chosen.view is view]
    counted: list[QuerySet[Any]] = [in_view(view, agent_id=reader.pk).values("pk")[:_MAX_COUNT] for view in views]
    counted.append(unresolved_deliveries().values("pk"))
    search, (*sizes, undecided) = find_and_count(chosen, counted, agent_id=reader.pk)
    found, looked_through = search_page(search, length=A_PAGE)
    keys = [case.pk for case in found.rows]
    looked_at = dict(Opening.objects.filter(agent=reader, application__in=keys).values_list("application", "version"))
    own, can_take = own_applications(reader.pk, keys), can_take_cases(reader)
    top = chosen.from_the_top
    previous = queue_url(replace(top, before=found.before)) if found.before else ""
    following = queue_url(replace(top, after=found.after)) if found.after else ""
    return QueuePage(
        chosen,
        title="All cases" if chosen.looks_at_closed else _VIEW_WORDS[chosen.view],
        lead=_lead(chosen.view),
        views=[_view_link(view, size, chosen) for view, size in zip(views, sizes, strict=True)],
        undecided=undecided,
        filters=_filters(chosen, agents, offers, has_names=has_every_case(reader)),
        chips=_chips(chosen, agents, offers),
        found=found,
        rows=[
            CaseRow(
                case,
                case_url(case.application.reference, chosen),
                reader_id=reader.pk,
                looked_at=looked_at.get(case.pk),
                is_by_agent=case.changed_by_id is None or str(case.changed_by_id) in agents,
                has_names=can_open(case, reader),
                is_own=case.pk in own,
            )
            for case in found.rows
        ],
        can_be_claimed=chosen.view is not View.CLOSED and can_take,
        colleagues=colleague_options(reader),
        links=keyset_links(
            PageLink("First", queue_url(top) if chosen != top else ""),
            PageLink("Previous", previous, "prev"),
            PageLink("Next", following, "next"),
        ),
        looked_through=f"{looked_through:,}" if looked_through else "",
        look_on=previous if chosen.before else following,
        news_url=news_url(chosen, QueueVersion(drawn, shown=tuple(keys))),
        has_every_case=has_every_case(reader),
        can_take_cases=can_take,
    )


def _lead(view: View) -> str:
    """What the view shows, where its name doesn't say it."""
    match view:
        case View.OVERDUE:
            usual = f"or {numbered(settings.OVERDUE_DAYS, 'working day')} if it has none"
            return f"With us for longer than the timeline of the company type, {usual}."
        case View.MINE:
            return f"Claims expire after {numbered(settings.CLAIM_HOURS, 'hour')}."
        case View.CONFIRM:
            return "Decisions by colleagues that a second agent has to confirm."
        case View.ANSWERED:
            return "Returned to the customer and submitted again."
    return ""


def _view_link(view: View, size: int, chosen: QueueState) -> ViewLink:
    # What was closed last is what one looks for.
    address = queue_url(QueueState(view=view, newest_first=view is View.CLOSED))
    return ViewLink(address, _VIEW_WORDS[view], _count_words(size), view is chosen.view)


def _filters(
    chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer], *, has_names: bool
) -> tuple[FilterControl, ...]:
    """The controls, as they are set. `agents` are their names by their numbers, and `has_names` says whether cases can
    be searched by names."""
    places = {"": "Any", **{one.place: one.place for one in offers}}
    fitting = [one for one in offers if one.place == chosen.place or not chosen.place or one.pk == chosen.product]
    products = {"": "Any", **{one.pk: str(one) for one in fitting}}
    any_state = "Any" if chosen.looks_at_closed or chosen.view is View.CLOSED else "All open"
    states = {"": any_state, **{one.value: state_words(one) for one in STATES}}
    holders = {"": "Anyone", NOBODY: "Unassigned", **agents}
    orders = {"": "Oldest first", "newest": "Newest first"}
    return (
        FilterControl("q", "Name or reference" if has_names else "Reference", value=chosen.text, key="/"),
        FilterControl("place", "Jurisdiction", choices=as_options(places.items(), chosen.place)),
        FilterControl("product", "Company type", choices=as_options(products.items(), chosen.product)),
        FilterControl("state", "Status", choices=as_options(states.items(), chosen.state)),
        FilterControl("holder", "Claimed by", choices=as_options(holders.items(), chosen.holder)),
        FilterControl("sort", "Sort by", choices=as_options(orders.items(), "newest" if chosen.newest_first else "")),
        FilterControl("view", value="" if chosen.view is View.WAITING else chosen.view.value, is_hidden=True),
    )


def _chips(chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer]) -> list[tuple[str, str]]:
    top = chosen.from_the_top
    product = next((one.name for one in offers if one.pk == chosen.product), chosen.product)
    holder = agents.get(chosen.holder, "someone else")
    possible = (
        (chosen.text, f"“{chosen.text}”", top.unsearched),
        (chosen.place, chosen.place, replace(top, place="")),
        (chosen.product, product, replace(top, product="")),
        (chosen.state, state_words(State(chosen.state)) if chosen.state else "", replace(top, state="")),
        (chosen.holder, "Unassigned" if chosen.holder == NOBODY else f"Claimed by {holder}", replace(top, holder="")),
    )
    return [(words, queue_url(without)) for is_set, words, without in possible if is_set]


def newest_url(chosen: QueueState) -> str:
    """Where what has come is shown: the same view and filters, the newest first."""
    return queue_url(replace(chosen.from_the_top, newest_first=True))


def colleague_options(reader: User) -> tuple[Option, ...]:
    """The colleagues to whom the reader can assign a case. One query."""
    others = reviewers().exclude(pk=reader.pk)
    return as_options((("", "Select a colleague"), *((str(one.pk), one.called) for one in others)), "")


# A case that was submitted before a page was drawn may be seen only afterwards: its transaction ended later.
_LATE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class QueueVersion:
    """The version of the queue that a page shows: when it was drawn, the counts that it says, and its cases.

    In an address: the moment in microseconds, how many cases are new, how many of those on the page have changed, and
    the numbers of the cases, with dots between.
    """

    drawn: datetime
    new: int = 0
    changed: int = 0
    shown: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "QueueVersion | None":
        """The version that an address names, or None where it names none."""
        numbers = parse_integers(text.split(".")[: 3 + A_PAGE])
        if len(numbers) < 3:
            return None
        micros, new, changed, *shown = numbers
        drawn = moment_at(micros)
        return cls(drawn, new, changed, tuple(shown)) if drawn else None

    def __str__(self) -> str:
        return ".".join(map(str, (micros_of(self.drawn), self.new, self.changed, *self.shown)))

    @property
    def words(self) -> str:
        """The counts as the page says them; nothing where what had come is gone again."""
        new = f"{_count_words(self.new)} new case{'' if self.new == 1 else 's'}" if self.new else ""
        return together(new, if_any(self.changed, "changed case"))


def current_version(chosen: QueueState, version: QueueVersion, *, reader: User) -> QueueVersion:
    """The same version, with how many cases have come since into the view, as it is filtered, whatever the page, and
    how many of those that the page shows have changed. One query, and that of a search."""
    came = (
        find_cases(shown_to(reader, chosen), agent_id=reader.pk)
        .since(version.drawn - _LATE)
        .exclude(pk__in=version.shown)
    )
    changed = Case.objects.filter(pk__in=version.shown, changed_at__gt=version.drawn)
    new, changes = counts([came.values("pk")[:_MAX_COUNT], changed.values("pk")], agent_id=reader.pk)
    return replace(version, new=new, changed=changes)


def news_url(chosen: QueueState, version: QueueVersion) -> str:
    """Where a page asks what has come since."""
    address = chosen.from_the_top.address
    return f"{reverse('desk:news')}{address}{'&' if address else '?'}token={version}"


def _count_words(count: int) -> str:
    return f"{_MAX_COUNT - 1}+" if count == _MAX_COUNT else str(count)
