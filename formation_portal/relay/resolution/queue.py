"""The deliveries that agents have to look after: undecided, being checked, held, refused, waiting; oldest first."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from ..models import DUPLICATE, Attempt, Delivery, DeliveryState
from .decisions import TO_INFORM, UNDECIDED

_DUPLICATE = Q(state=DeliveryState.DONE, reason=DUPLICATE)
# A lease that has run out means that nobody knows; the worker says so when it next comes by.
_LEFT_SENDING = Q(state=DeliveryState.SENDING, lease_until__lte=Now())


@dataclass(frozen=True, slots=True)
class QueueGroup:
    """One group of rows: its name in addresses, its label, and how many it holds."""

    value: str
    label: str
    count: int


# A duplicate is to be decided too; no other row is in two groups.
_GROUPS: Mapping[str, tuple[str, Q]] = {
    "undecided": ("To decide", UNDECIDED),
    "surplus": ("Duplicates", _DUPLICATE),
    "unknown": ("Being checked", Q(state__in=(DeliveryState.UNKNOWN, DeliveryState.RECONCILING)) | _LEFT_SENDING),
    "by_hand": ("Inform the service", TO_INFORM),
    "held": ("Held", Q(state=DeliveryState.HELD) & ~UNDECIDED & ~TO_INFORM),
    "refused": ("Not accepted", Q(state=DeliveryState.REFUSED)),
    "waiting": ("Waiting", Q(state=DeliveryState.WAITING)),
}


def deliveries_in(group: str = "") -> QuerySet[Delivery]:
    """The rows of one group, or of all, the oldest first; each with `since`, when its problem began.

    One query for the rows and one for their attempts.
    """
    _, chosen = _GROUPS.get(group, ("", _in_any_group()))
    first_try = Attempt.objects.filter(delivery=OuterRef("pk"), key=OuterRef("key")).order_by("pk")
    since = Coalesce("unclear_since", Subquery(first_try.values("started_at")[:1]), "updated_at")
    found = Delivery.objects.filter(chosen).select_related("application").prefetch_related("tries")
    return found.annotate(since=since).order_by("since", "pk")


def queue_groups() -> tuple[QueueGroup, ...]:
    """All together, then every group, each with its count: one query."""
    meant = {"": ("All", _in_any_group()), **_GROUPS}
    counts = Delivery.objects.aggregate(
        **{f"in_{value}": Count("pk", filter=chosen) for value, (_, chosen) in meant.items()}
    )
    return tuple(QueueGroup(value, label, counts[f"in_{value}"]) for value, (label, _) in meant.items())


def unresolved_count() -> int:
    """How many deliveries wait for an agent, to be decided or to inform the provider: one query."""
    return Delivery.objects.filter(UNDECIDED | TO_INFORM).count()


def _in_any_group() -> Q:
    together = Q()
    for _, chosen in _GROUPS.values():
        together |= chosen
    return together
