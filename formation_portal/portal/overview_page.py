"""The overview: the task list, and beside it the reference, the price and how far everything has come."""

from dataclasses import dataclass
from decimal import Decimal

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.language import say, say_count
from formation_portal.contract.lifecycle import State
from formation_portal.portal.price import Figure

from . import moments
from .delivery import DeliveryNote, delivery_note
from .form_change_page import newer_form
from .money import money
from .returned import Returned, returned
from .task_deliveries import task_deliveries
from .task_list import Task, TaskList, task_list
from .tracker import tracker


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """Everything that the overview shows."""

    draft: Draft
    delivery: DeliveryNote
    list: TaskList
    submit: Task
    price: tuple[Figure, ...]
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
    delivery = delivery_note(draft)
    came_back = _returned(draft, delivery)
    return OverviewPage(
        draft=draft,
        delivery=delivery,
        list=task_list(draft, refused=delivery.refused, deliveries=task_deliveries(draft, delivery.board)),
        submit=_submit(draft, refused=came_back.stands_in_the_way if came_back else len(delivery.refused)),
        price=_price(draft.application),
        saved=moments.moment(draft.application.updated_at),
        has_new_form=newer_form(draft) is not None,
        returned=came_back,
    )


def _returned(draft: Draft, delivery: DeliveryNote) -> Returned | None:
    if draft.application.status is not State.RETURNED_FOR_CHANGES:
        return None
    return returned(delivery, tracker(draft).returned, back_to="overview")


def _submit(draft: Draft, *, refused: int) -> Task:
    count = len(draft.needs) + refused
    url = reverse("portal:check", args=[draft.application.reference])
    is_returned = draft.application.status is State.RETURNED_FOR_CHANGES
    title = say("Check and send corrections") if is_returned else say("Check your answers and submit")
    if not count:
        return Task(
            "task-check", title, url, "open", say("Ready"), say("You have answered everything that is required.")
        )
    note = say_count(
        "{count} item to complete. You can check your answers at any time.",
        "{count} items to complete. You can check your answers at any time.",
        count,
    )
    return Task("task-check", title, url, "later", say("Not ready yet"), note)


def _price(application: Application) -> tuple[Figure, ...]:
    price = application.product.get("price") or {}
    currency = str(price.get("currency") or "")
    amounts = ((say("Set-up fee"), price.get("one_off")), (say("Annual fee"), price.get("annual")))
    return tuple(Figure(term, money(Decimal(str(amount)), currency)) for term, amount in amounts if amount is not None)
