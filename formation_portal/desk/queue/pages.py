"""The queue as a page: the saved views, the filters that are set, and the rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.urls import reverse

from formation_portal.accounts.models import User
from formation_portal.contract.lifecycle import State
from formation_portal.ui.forms.controls import as_options
from formation_portal.ui.pagination import PageLink, keyset_links

from ..forms import FilterControl
from ..models import Case, Offer
from ..queue_state import NOBODY, STATES, QueueState, View
from ..return_urls import case_url, queue_url
from ..wording import numbered, state_mark, state_words
from .claim_pages import ClaimLine, claim_line
from .conditions import counts
from .due import Due, due
from .news import QueueVersion, current_version
from .search import find_cases, in_view, search_page


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the address without it."""

    words: str
    url: str


def filters(chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer]) -> tuple[FilterControl, ...]:
    """The controls, as they are set. `agents` are their names by their numbers."""
    places = {"": "Any", **{one.place: one.place for one in offers}}
    fitting = [one for one in offers if one.place == chosen.place or not chosen.place or one.pk == chosen.product]
    products = {"": "Any", **{one.pk: str(one) for one in fitting}}
    any_state = "Any" if chosen.looks_at_closed or chosen.view is View.CLOSED else "All open"
    states = {"": any_state, **{one.value: state_words(one) for one in STATES}}
    holders = {"": "Anyone", NOBODY: "Unassigned", **agents}
    orders = {"": "Oldest first", "newest": "Newest first"}
    return (
        FilterControl("q", "Company, person or reference", value=chosen.text, key="/"),
        FilterControl("place", "Jurisdiction", choices=as_options(places.items(), chosen.place)),
        FilterControl("product", "Company type", choices=as_options(products.items(), chosen.product)),
        FilterControl("state", "Status", choices=as_options(states.items(), chosen.state)),
        FilterControl("holder", "Claimed by", choices=as_options(holders.items(), chosen.holder)),
        FilterControl("sort", "Sort by", choices=as_options(orders.items(), "newest" if chosen.newest_first else "")),
        FilterControl("view", value="" if chosen.view is View.WAITING else chosen.view.value, is_hidden=True),
    )


def chips(chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer]) -> tuple[Chip, ...]:
    """Whatever narrows the view, each with the way to do without."""
    top = chosen.from_the_top
    product = next((one.name for one in offers if one.pk == chosen.product), chosen.product)
    holder = agents.get(chosen.holder, "someone else")
    possible = (
        (chosen.text, f"“{chosen.text}”", replace(top, text="")),
        (chosen.place, chosen.place, replace(top, place="")),
        (chosen.product, product, replace(top, product="")),
        (chosen.state, state_words(State(chosen.state)) if chosen.state else "", replace(top, state="")),
        (chosen.holder, "Unassigned" if chosen.holder == NOBODY else f"Claimed by {holder}", replace(top, holder="")),
    )
    return tuple(Chip(words, queue_url(without)) for is_set, words, without in possible if is_set)


A_PAGE = 25
# A view with more says so, since counting them all takes longer than showing the first.
_COUNTED = 100

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


@dataclass(frozen=True, slots=True)
class ViewLink:
    """A saved view, with how many cases are in it."""

    url: str
    label: str
    count: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One submitted application."""

    url: str
    number: int
    name: str
    product: str
    reference: str
    customer: str
    submitted_at: datetime
    due: Due | None
    contents: str
    state: str
    status: str
    claim: ClaimLine | None


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The whole page. The addresses of the pages before and after it are empty where there is none."""

    title: str
    lead: str
    views: tuple[ViewLink, ...]
    filters: tuple[FilterControl, ...]
    chips: tuple[Chip, ...]
    rows: tuple[CaseRow, ...]
    # Nobody works on a closed case.
    can_be_claimed: bool
    first: str
    previous: str
    following: str
    # Among how many cases it looked, where it stopped before the page was full.
    looked_through: str
    # This page's own address, and what the deeds lead back to.
    address: str
    # Where the page asks for what has come since, and where that is shown.
    news_url: str
    newest: str

    @property
    def links(self) -> tuple[PageLink, ...]:
        """To the other pages."""
        return keyset_links(
            PageLink("First", self.first),
            PageLink("Previous", self.previous, "prev"),
            PageLink("Next", self.following, "next"),
        )

    @property
    def look_on(self) -> str:
        """Where it looks on from there."""
        return self.previous if "before=" in self.address else self.following


def queue_page(chosen: QueueState, reader: User) -> QueuePage:
    """The page: queries for the agents, the offers and the counts of the views, and one to three for the rows."""
    agents = {str(one.pk): one.called for one in User.objects.filter(is_agent=True).order_by("first_name", "pk")}
    offers = tuple(Offer.objects.order_by("place", "name", "pk"))
    shown = search_page(find_cases(chosen, agent_id=reader.pk), length=A_PAGE)
    top, cases = chosen.from_the_top, shown.page.rows
    return QueuePage(
        title="All cases" if chosen.looks_at_closed else _VIEW_WORDS[chosen.view],
        lead=_lead(chosen.view),
        views=tuple(_view_links(chosen, reader)),
        filters=filters(chosen, agents, offers),
        chips=chips(chosen, agents, offers),
        rows=tuple(_row(case, reader, chosen) for case in cases),
        can_be_claimed=chosen.view is not View.CLOSED,
        first=queue_url(top) if chosen != top else "",
        previous=queue_url(replace(top, before=shown.page.before)) if shown.page.before else "",
        following=queue_url(replace(top, after=shown.page.after)) if shown.page.after else "",
        looked_through=f"{shown.looked_through:,}" if shown.looked_through else "",
        address=chosen.address,
        news_url=news_url(chosen, current_version(cases)),
        newest=newest_url(chosen),
    )


def news_url(chosen: QueueState, token: QueueVersion) -> str:
    """Where a page asks what has come since."""
    address = chosen.from_the_top.address
    return f"{reverse('desk:news')}{address}{'&' if address else '?'}token={token}"


def newest_url(chosen: QueueState) -> str:
    """Where what has come is shown: the same view and filters, the newest first."""
    return queue_url(replace(chosen.from_the_top, newest_first=True))


def _lead(view: View) -> str:
    days, hours = settings.OVERDUE_DAYS, settings.CLAIM_HOURS
    if view is View.OVERDUE:
        usual = f"or {numbered(days, 'working day')} if it has none"
        return f"With us for longer than the timeline of the company type, {usual}."
    if view is View.MINE:
        return f"Claims expire after {numbered(hours, 'hour')}."
    if view is View.CONFIRM:
        return "Decisions by colleagues that a second agent has to confirm."
    return "Returned to the customer and submitted again." if view is View.ANSWERED else ""


def _view_links(chosen: QueueState, reader: User) -> Iterator[ViewLink]:
    """The saved views, with one query for all counts. That of decisions that wait for a second agent is there only
    where any can wait, or where it is chosen."""
    shows_waiting = settings.FOUR_EYES or chosen.view is View.CONFIRM
    views = [view for view in View if view is not View.CONFIRM or shows_waiting]
    rows = [in_view(view, agent_id=reader.pk).values("pk")[:_COUNTED] for view in views]
    for view, count in zip(views, counts(rows, agent_id=reader.pk), strict=True):
        shown = f"{_COUNTED - 1}+" if count == _COUNTED else str(count)
        # What was closed last is what one looks for.
        address = queue_url(QueueState(view=view, newest_first=view is View.CLOSED))
        yield ViewLink(address, _VIEW_WORDS[view], shown, view is chosen.view)


def _row(case: Case, reader: User, chosen: QueueState) -> CaseRow:
    application, state, waits = case.application, State(case.state), due(case)
    people = numbered(case.parties, "person or company", "people and companies")
    mark = "changed" if case.answered_since or case.refused_at else state_mark(state)
    return CaseRow(
        url=case_url(application.reference, chosen),
        number=case.pk,
        name=case.title or application.product_name,
        product=f"{application.product_name}, {application.jurisdiction_name}",
        reference=application.reference,
        customer=application.owner.called,
        submitted_at=case.submitted_at,
        due=waits,
        contents=f"{people}, {numbered(case.documents, 'document')}",
        state="stop" if waits and waits.is_overdue else mark,
        status=_status(case, state, waits),
        claim=claim_line(case, reader),
    )


def _status(case: Case, state: State, waits: Due | None) -> str:
    if case.refused_at:
        return "Decision not confirmed"
    if case.confirm_since:
        return "Awaiting second agent"
    if waits and waits.is_overdue:
        return "Overdue"
    if waits and waits.is_last_day:
        return "Last day"
    return "Resubmitted" if case.answered_since else state_words(state)
