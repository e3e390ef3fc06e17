"""A customer's applications as rows: what it is called, what it will be, and where it stands."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from formation_portal.applications.models import Application
from formation_portal.applications.readback import entity_name
from formation_portal.contract.lifecycle import State

from .moments import day
from .turns import whose_turn

# What a row is made of.
SHOWN = ("reference", "product", "state", "submitted_at", "updated_at", "deleted_at")

_MARKS = {
    State.DRAFT: "half",
    State.RETURNED_FOR_CHANGES: "heed",
    State.INCORPORATED: "met",
    State.REJECTED: "stop",
    State.WITHDRAWN: "later",
}


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """One application, as components/task.html draws it."""

    id: str
    reference: str
    title: str
    is_name: bool
    url: str
    state: str
    status: str
    note: str


def application_rows(applications: Iterable[Application]) -> tuple[ApplicationRow, ...]:
    """The rows; the applications come with their section answers and invitations prefetched."""
    return tuple(_row(application) for application in applications)


def _row(application: Application) -> ApplicationRow:
    name = entity_name(application)
    page = "portal:overview" if application.is_open else "portal:status"
    shared = "" if application.is_own else gettext("shared with you")
    facts = (application.product_name, application.jurisdiction_name, shared)
    turn = whose_turn(application, application.invitations.all())
    return ApplicationRow(
        id=f"application-{application.reference}",
        reference=application.reference,
        title=name or application.product_name,
        is_name=bool(name),
        url=reverse(page, args=[application.reference]),
        state=_MARKS.get(application.status, "open"),
        status=application.status.words,
        note=format_html(
            '{}. {}{} <span class="nowrap">{}</span>',
            ", ".join(fact for fact in facts if fact),
            f"{turn}. " if turn else "",
            gettext("Saved %(day)s.") % {"day": day(application.updated_at)},
            application.reference,
        ),
    )
