"""The queue as rows: what was submitted, the longest waiting first."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from formation_portal.applications.models import Application
from formation_portal.applications.summary import entity_name
from formation_portal.contract.lifecycle import State

# As a customer reads them, some states say "you"; here they are the customer's.
_WORDS = {State.SUBMITTED_FOR_REVIEW: "New", State.RETURNED_FOR_CHANGES: "With customer"}
_MARKS = {
    State.SUBMITTED_FOR_REVIEW: "open",
    State.IN_REVIEW: "half",
    State.RETURNED_FOR_CHANGES: "heed",
    State.REJECTED: "stop",
    State.INCORPORATED: "met",
    State.SUBMITTED_TO_CSP: "met",
}
STATES = tuple(state for state in State if state is not State.DRAFT)


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a filter."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter above the queue, as components/filter.html draws it: a list, or a text that is typed."""

    name: str
    label: str
    choices: tuple[Choice, ...] = ()
    value: str = ""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One submitted application."""

    url: str
    name: str
    product: str
    reference: str
    customer: str
    submitted_at: datetime
    contents: str
    state: str
    status: str


def cases(*, state: str, text: str) -> QuerySet[Application]:
    """What was submitted: in one state, and with the text in its reference or its customer's name or address.

    A state that isn't one, and an empty text, filter nothing.
    """
    found = Application.objects.submitted().select_related("owner").prefetch_related("section_answers")
    found = found.annotate(
        party_count=Count("parties", distinct=True, filter=Q(parties__removed_at=None)),
        document_count=Count("documents", distinct=True, filter=Q(documents__party__removed_at=None)),
    ).order_by("submitted_at", "pk")
    # PostgreSQL can't even be asked for a null character.
    for word in text.replace("\x00", " ").split():
        found = found.filter(
            Q(reference__icontains=word)
            | Q(owner__email__icontains=word)
            | Q(owner__first_name__icontains=word)
            | Q(owner__last_name__icontains=word)
        )
    return found.filter(state=state) if state in set(STATES) else found


def filters(*, state: str, text: str) -> tuple[Filter, ...]:
    """The filters above the queue, as they are set."""
    choices = (Choice(one.value, case_words(one), one.value == state) for one in STATES)
    return (
        Filter("q", "Reference or customer", value=text),
        Filter("state", "State", (Choice("", "Any state", not state), *choices)),
    )


def case_rows(applications: Iterable[Application]) -> tuple[CaseRow, ...]:
    """The rows of one page of the queue."""
    return tuple(_row(application) for application in applications)


def case_words(state: State) -> str:
    """A state as agents read it."""
    return _WORDS.get(state, state.words)


def _row(application: Application) -> CaseRow:
    parties, documents = application.party_count, application.document_count  # type: ignore[attr-defined]  # annotated
    assert application.submitted_at is not None  # only submitted ones are listed
    return CaseRow(
        url=reverse("desk:review", args=[application.reference]),
        name=entity_name(application) or application.product_name,
        product=f"{application.product_name}, {application.jurisdiction_name}",
        reference=application.reference,
        customer=application.owner.get_full_name() or application.owner.email,
        submitted_at=application.submitted_at,
        contents=f"{_count(parties, 'party', 'parties')}, {_count(documents, 'document', 'documents')}",
        state=_MARKS.get(application.stands, ""),
        status=case_words(application.stands),
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
