"""The list of applications, one's overview, and the questions whether to copy or delete it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.urls import reverse
from django.utils.html import format_html

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.readback import entity_name
from formation_portal.applications.transfer import content_of
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import gettext, ngettext
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.resources import ResourceKind
from formation_portal.ui import formats
from formation_portal.ui.formats import day, money

from ..feedback import DeliverySummary, delivery_summary, task_deliveries
from ..pages import ConfirmPage
from ..submission.corrections import Returned, returned
from ..submission.progress import progress
from .pending_actions import pending_summary
from .task_list import Task, TaskList, task_list
from .transfer import newer_form

# What a row is made of.
ROW_FIELDS = ("reference", "product", "state", "submitted_at", "updated_at", "deleted_at")

_MARKS = {
    State.DRAFT: "half",
    State.RETURNED_FOR_CHANGES: "heed",
    State.INCORPORATED: "met",
    State.REJECTED: "stop",
    State.WITHDRAWN: "later",
}


def application_rows(applications: Iterable[Application]) -> tuple[Task, ...]:
    """The rows; the applications come with their section answers and invitations prefetched."""
    return tuple(_row(application) for application in applications)


def _row(application: Application) -> Task:
    name = entity_name(application)
    page = "portal:overview" if application.is_open else "portal:status"
    shared = "" if application.is_own else gettext("shared with you")
    facts = (application.product_name, application.jurisdiction_name, shared)
    turn = pending_summary(application, application.invitations.all())
    return Task(
        id=f"application-{application.reference}",
        copies=application.reference,
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


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """Everything that the overview shows."""

    draft: Draft
    delivery: DeliverySummary
    list: TaskList
    submit: Task
    price: tuple[tuple[str, str], ...]
    saved: str
    has_new_form: bool
    # Where it was submitted and came back.
    returned: Returned | None

    @property
    def is_named(self) -> bool:
        """Whether the title is a name that the customer gave, not the product's."""
        return self.draft.title != self.draft.application.product_name


def overview_page(draft: Draft) -> OverviewPage:
    """The overview of a draft that can still be changed."""
    delivery = delivery_summary(draft)
    came_back = None
    if draft.application.status is State.RETURNED_FOR_CHANGES:
        came_back = returned(delivery, progress(draft).returned, back_to="overview")
    price = draft.application.product.get("price") or {}
    currency = str(price.get("currency") or "")
    amounts = ((gettext("Set-up fee"), price.get("one_off")), (gettext("Annual fee"), price.get("annual")))
    return OverviewPage(
        draft=draft,
        delivery=delivery,
        list=task_list(draft, refused=delivery.refused, deliveries=task_deliveries(draft, delivery.board)),
        submit=_submit(draft, refused=came_back.stands_in_the_way if came_back else len(delivery.refused)),
        price=tuple((term, money(Decimal(str(amount)), currency)) for term, amount in amounts if amount is not None),
        saved=formats.time_or_day(draft.application.updated_at),
        has_new_form=newer_form(draft) is not None,
        returned=came_back,
    )


def _submit(draft: Draft, *, refused: int) -> Task:
    count = len(draft.needs) + refused
    url = reverse("portal:check", args=[draft.application.reference])
    is_returned = draft.application.status is State.RETURNED_FOR_CHANGES
    title = gettext("Check and send corrections") if is_returned else gettext("Check your answers and submit")
    if not count:
        return Task(
            "task-check",
            title,
            url,
            "open",
            gettext("Ready"),
            gettext("You have answered everything that is required."),
        )
    note = ngettext(
        "{count} item to complete. You can check your answers at any time.",
        "{count} items to complete. You can check your answers at any time.",
        count,
    )
    return Task("task-check", title, url, "later", gettext("Not ready yet"), note)


@dataclass(frozen=True, slots=True)
class CopyPage(ConfirmPage):
    """The question, and what a copy takes over."""

    copied: tuple[str, ...]


def copy_page(draft: Draft) -> CopyPage:
    """The question about a draft, whatever its state."""
    overview = reverse("portal:overview", args=[draft.application.reference])
    return CopyPage(draft, overview, gettext("Back to application"), tuple(_copied(draft)))


def _copied(draft: Draft) -> Iterable[str]:
    content = content_of(draft)
    yield ngettext(
        "{count} answer about the company or foundation",
        "{count} answers about the company or foundation",
        len(content.entity),
    )
    if content.parties:
        yield ngettext(
            "{count} person or company, with their roles",
            "{count} people and companies, with their roles",
            len(content.parties),
        )
    if content.share_classes:
        classes = ngettext("{count} share class", "{count} share classes", len(content.share_classes))
        yield gettext("{classes} and shareholdings", classes=classes) if content.holdings else classes
    if content.documents:
        yield ngettext(
            "{count} document",
            "{count} documents",
            len(content.documents),
        )


@dataclass(frozen=True, slots=True)
class DraftRemovalPage(ConfirmPage):
    """The question. `goes` says how much there is of what, `stays` what is beyond our reach; either may be empty."""

    goes: tuple[str, ...]
    stays: str


def draft_removal_page(draft: Draft) -> DraftRemovalPage:
    """The page as the draft stands: two queries, for what the service has."""
    stays = ""
    if deliveries_of(draft.application).cannot_be_removed(ResourceKind.ENTITY, ""):
        stays = gettext(
            "The formation service may already have some of this and can’t delete it automatically. Our "
            "team will ask for it to be removed."
        )
    overview = reverse("portal:overview", args=[draft.application.reference])
    return DraftRemovalPage(draft, overview, gettext("Overview"), tuple(_goes(draft)), stays)


def _goes(draft: Draft) -> Iterator[str]:
    people = (*draft.parties, *draft.removed_parties)
    holders = (draft.entity_raw, *(row.raw for row in people), *(row.raw for row in draft.share_classes))
    answers = sum(not is_blank(value) for raw in holders for value in raw.values())
    # Those of removed parties too: they could still be restored.
    documents = draft.application.documents.count()
    if answers:
        yield ngettext("%(count)d answer", "%(count)d answers", answers) % {"count": answers}
    if people:
        count = len(people)
        yield ngettext("%(count)d person or company", "%(count)d people and companies", count) % {"count": count}
    if draft.share_classes:
        count = len(draft.share_classes)
        yield ngettext("%(count)d share class", "%(count)d share classes", count) % {"count": count}
    if documents:
        yield ngettext("%(count)d document, with its file", "%(count)d documents, with their files", documents) % {
            "count": documents
        }
