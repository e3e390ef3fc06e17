"""What a customer may read of a review: what was sent to them, and never who wrote it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from formation_portal.applications.models import Application

from .models import Outcome, Remark, Ruling
from .places import Kind, Place

_READ = (
    "pk",
    "kind",
    "holder",
    "name",
    "label",
    "text",
    "proposal",
    "round",
    "sent_at",
    "reply",
    "replied_at",
    "settled_at",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that was asked of a customer, and what they have answered to it."""

    number: int
    place: Place
    label: str
    text: str
    # An answer as it would be typed, or None.
    proposal: Any
    round: int
    sent_at: datetime
    reply: str
    is_settled: bool


def asked_of(application: Application) -> tuple[Asked, ...]:
    """Everything that was ever sent, in its order: one query."""
    sent = Remark.objects.filter(application=application, dropped_at=None).exclude(sent_at=None)
    return tuple(_asked(row) for row in sent.order_by("pk").values(*_READ))


def _asked(row: dict[str, Any]) -> Asked:
    return Asked(
        number=row["pk"],
        place=Place(Kind(row["kind"]), row["holder"], row["name"]),
        label=row["label"],
        text=row["text"],
        proposal=row["proposal"],
        round=row["round"],
        sent_at=row["sent_at"],
        reply=row["reply"],
        is_settled=row["settled_at"] is not None,
    )


def words_of(application: Application, deed: str) -> dict[int, str]:
    """What a decision that was carried out said to the customer, by the number of the submission: one query."""
    done = Ruling.objects.filter(application=application, deed=deed, outcome=Outcome.DONE)
    return dict(done.order_by("pk").values_list("round", "text"))
