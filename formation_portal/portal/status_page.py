"""Where a submitted application stands: the tracker, the receipt, and how far it has come to the service."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from formation_portal.applications.drafts import Draft
from formation_portal.contract.lifecycle import State, may

from .delivery import DeliveryNote, delivery_note
from .moments import day
from .product_view import entity_word

_LEADS = {
    State.SUBMITTED_FOR_REVIEW: "Waiting for our reviewer. You need not do anything now.",
    State.IN_REVIEW: "With our reviewer. You need not do anything now.",
    State.RETURNED_FOR_CHANGES: "Waiting for you: something has to change.",
    State.SUBMITTED_TO_CSP: "With the registry. You need not do anything now.",
    State.INCORPORATED: "It is done.",
    State.REJECTED: "Declined. This is final.",
    State.WITHDRAWN: "You withdrew this application.",
}

# What each step of the way looks like in a state: met, the current one, and those ahead.
_PLACE = {
    State.SUBMITTED_FOR_REVIEW: (1, "open"),
    State.IN_REVIEW: (1, "half"),
    State.RETURNED_FOR_CHANGES: (1, "heed"),
    State.REJECTED: (1, "stop"),
    State.WITHDRAWN: (1, "stop"),
    State.SUBMITTED_TO_CSP: (2, "half"),
    State.INCORPORATED: (4, "met"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the tracker, as components/timeline.html draws it."""

    when: str
    title: str
    detail: str
    state: str


@dataclass(frozen=True, slots=True)
class ReceiptFact:
    """One fact of the receipt."""

    term: str
    value: str
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class StatusPage:
    """Everything that the status page shows."""

    draft: Draft
    delivery: DeliveryNote
    lead: str
    steps: tuple[Step, ...]
    facts: tuple[ReceiptFact, ...]
    can_withdraw: bool

    @property
    def is_returned(self) -> bool:
        """Whether the next act is the customer's."""
        return self.draft.application.is_open


def status_page(draft: Draft) -> StatusPage:
    """The page of an application that was submitted."""
    application = draft.application
    return StatusPage(
        draft=draft,
        delivery=delivery_note(draft),
        lead=_LEADS.get(application.stands, ""),
        steps=tuple(_steps(draft)),
        facts=tuple(_facts(draft)),
        can_withdraw=may("withdraw", application.stands),
    )


def _steps(draft: Draft) -> Iterable[Step]:
    application = draft.application
    current, mark = _PLACE[application.stands]
    word = entity_word(str(application.product.get("product", {}).get("type", "")))
    usually = str(application.product.get("estimated_timeline") or "")
    way = (
        ("You submitted", _when(application.submitted_at)),
        (_second(application.stands), ""),
        ("It goes to the registry", f"Usually {usually}" if usually else ""),
        (f"The {word} exists", ""),
    )
    for place, (title, detail) in enumerate(way):
        state = "met" if place < current else mark if place == current else "later"
        yield Step("", title, detail, state)


def _second(state: State) -> str:
    ends = {
        State.REJECTED: "Our reviewer declined it",
        State.WITHDRAWN: "You withdrew it",
        State.RETURNED_FOR_CHANGES: "Our reviewer returned it to you",
    }
    return ends.get(state, "Our reviewer checks people and documents")


def _facts(draft: Draft) -> Iterable[ReceiptFact]:
    application = draft.application
    yield ReceiptFact("Submitted", _when(application.submitted_at))
    by = application.submitted_by
    if by is not None:
        yield ReceiptFact("By", by.get_full_name() or by.email, is_name=True)


def _when(at: datetime | None) -> str:
    return f"{day(local.date())}, {local:%H:%M}" if at and (local := timezone.localtime(at)) else ""
