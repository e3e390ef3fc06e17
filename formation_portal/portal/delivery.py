"""How far an application has come at the formation service, in its customer's words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from formation_portal.applications.draft import Draft
from formation_portal.contract.language import say
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.relay.delivery_status import (
    STAGE_WORDS,
    ApplicationDeliveries,
    DeliveryStage,
    DeliveryStatus,
    deliveries_for_customer,
)
from formation_portal.relay.problems import LocatedProblem
from formation_portal.relay.service_profile import current_profile

from .need_links import NeedLink, need_links


def before_submission() -> str:
    """What holds until an application is submitted, by whether its answers go to the service meanwhile: one query."""
    if current_profile().can_edit:
        return say(
            "We save your answers and prepare them with the formation service as you go. Nothing is "
            "filed and you owe nothing until you submit."
        )
    return say("We save your answers here. Nothing is filed and you owe nothing until you submit.")


@dataclass(frozen=True)
class DeliveryNote:
    """The most urgent news of all, what the service refused, and what it can't do at all."""

    draft: Draft
    board: ApplicationDeliveries

    @property
    def state(self) -> str:
        """For the mark and the colour, as components/delivery.html names it."""
        return self.board.overall.state.value

    @property
    def words(self) -> str:
        """What a customer reads."""
        return self.board.overall.words

    @property
    def is_worth_saying(self) -> bool:
        """Whether it says more than that it is saved, which the page says anyway."""
        return self.words != say(STAGE_WORDS[DeliveryStage.SAVED])

    @cached_property
    def before_submission(self) -> str:
        """What holds until it is submitted; nothing once it was."""
        return before_submission() if self.draft.application.status is State.DRAFT else ""

    @property
    def notices(self) -> tuple[str, ...]:
        """What this service can't do, said plainly."""
        return self.board.notices

    @cached_property
    def unsettled(self) -> Sequence[tuple[str, DeliveryStatus]]:
        """What is being checked or is with our team, by its name."""
        return self.board.unresolved

    @cached_property
    def refused(self) -> tuple[Need, ...]:
        """What the service refused and the customer has to change, told like any other need."""
        return tuple(dict.fromkeys(_need(trouble) for trouble in self.board.overall.problems))

    @cached_property
    def refusals(self) -> tuple[tuple[Need, datetime], ...]:
        """The same, each with when the service said so."""
        return tuple((_need(trouble), at) for trouble, at in self.board.refusals)

    def links(self, *, back_to: str = "") -> Sequence[NeedLink]:
        """The same with the way to each."""
        return need_links(self.draft, self.refused, back_to=back_to)


def delivery_note(draft: Draft) -> DeliveryNote:
    """The note for one application: two queries."""
    return DeliveryNote(draft, deliveries_for_customer(draft.application))


def _need(trouble: LocatedProblem) -> Need:
    return Need(
        "refused",
        trouble.message,
        trouble.section,
        party_id=trouble.party or None,
        share_class_id=trouble.share_class or None,
        field=trouble.field or None,
        slot=trouble.slot or None,
    )
