"""What agents have to look after at the formation service, as rows: the longest waiting first."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.http import urlencode

from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.relay.resolution.decisions import is_undecided
from formation_portal.relay.resolution.queue import queue_groups
from formation_portal.relay.resolution.wording import outcome_words, state_words
from formation_portal.relay.titles import Titles, titles_of

from .counts import if_any

_MARKS = {DeliveryState.HELD: "heed", DeliveryState.REFUSED: "open", DeliveryState.WAITING: "half"}


@dataclass(frozen=True, slots=True)
class View:
    """One way to look at the list, with how many things it shows."""

    url: str
    label: str
    count: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One thing. `since` is when its trouble began; `tries` and `last` say what was tried."""

    url: str
    title: str
    company: str
    reference: str
    mark: str
    words: str
    since: datetime
    tries: str
    last: str


def views(chosen: str) -> tuple[View, ...]:
    """Everything first, then each group."""
    found = queue_groups()
    address = reverse("desk:deliveries")
    known = {group.value for group in found}
    return tuple(
        View(
            f"{address}?{urlencode({'state': group.value})}" if group.value else address,
            group.label,
            group.count,
            group.value == (chosen if chosen in known else ""),
        )
        for group in found
    )


def delivery_rows(found: Iterable[Delivery]) -> tuple[DeliveryRow, ...]:
    """The rows of one page of the list; one query for all their names."""
    rows = list(found)
    return tuple(_rows(rows, titles_of({row.application_id for row in rows})))


def _rows(rows: Iterable[Delivery], names: Titles) -> Iterable[DeliveryRow]:
    for row in rows:
        tries = list(row.tries.all())
        yield DeliveryRow(
            url=reverse("desk:delivery", args=[row.pk]),
            title=names.title(row),
            company=names.application(row),
            reference=row.application.reference,
            mark="stop" if is_undecided(row) else _MARKS.get(DeliveryState(row.state), "open"),
            words=state_words(row),
            since=row.since,  # type: ignore[attr-defined]  # annotated by `concerns`
            tries=if_any(len(tries), "call") or "No calls yet",
            last=outcome_words(tries[0]) if tries else "",
        )
