"""How far what was saved has come at the formation service, in a customer's words, and what the service refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import gettext
from formation_portal.contract.needs import Need
from formation_portal.relay.delivery_status import (
    STAGE_WORDS,
    ApplicationDeliveries,
    DeliveryStage,
    DeliveryStatus,
    deliveries_for_customer,
)
from formation_portal.relay.problems import LocatedProblem
from formation_portal.relay.resources import ResourceKind
from formation_portal.relay.service_profile import current_profile
from formation_portal.relay.wake import wait_for

from .navigation import NeedLink, need_links


def before_submission() -> str:
    """What holds until an application is submitted, by whether its answers go to the service meanwhile: one query."""
    if current_profile().can_edit:
        return gettext(
            "We save your answers and prepare them with the formation service as you go. Nothing is "
            "filed and you owe nothing until you submit."
        )
    return gettext("We save your answers here. Nothing is filed and you owe nothing until you submit.")


@dataclass(frozen=True)
class DeliverySummary:
    """The most urgent news of all, what the service refused, and what it can't do at all."""

    draft: Draft
    board: ApplicationDeliveries

    @property
    def state(self) -> str:
        """For the mark and the colour, as ui/delivery.html names it."""
        return self.board.overall.state.value

    @property
    def words(self) -> str:
        """What a customer reads."""
        return self.board.overall.words

    @property
    def is_worth_saying(self) -> bool:
        """Whether it says more than that it is saved, which the page says anyway."""
        return self.words != gettext(STAGE_WORDS[DeliveryStage.SAVED])

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


def delivery_summary(draft: Draft) -> DeliverySummary:
    """The note for one application: two queries."""
    return DeliverySummary(draft, deliveries_for_customer(draft.application))


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


@dataclass(frozen=True, slots=True)
class AnswersDelivery:
    """How far one holder's answers have come, and why our team has them; what the service said against them, and its
    words by field."""

    state: str = "saved"
    why: str = ""
    said: tuple[LocatedProblem, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_refused(self) -> bool:
        """Whether the customer has to change something."""
        return self.state == "yours"


class CustomerDeliveries:
    """The deliveries of one application."""

    def __init__(self, board: ApplicationDeliveries) -> None:
        self._board = board

    def of_entity(self, specs: Iterable[FieldSpec], *, changed_at: datetime | None) -> AnswersDelivery:
        """The answers to some of the questions about the entity."""
        return self._delivery(self._board.of_entity_fields(specs), changed_at=changed_at)

    def of_party(self, token: str, *, changed_at: datetime | None) -> AnswersDelivery:
        """A party with its answers."""
        return self._delivery(self._board.of_party(token), party=token, changed_at=changed_at)

    def of_share_class(self, token: str, *, changed_at: datetime | None) -> AnswersDelivery:
        """A class of shares with its answers."""
        return self._delivery(self._board.of_share_class(token), share_class=token, changed_at=changed_at)

    def of_document(self, subject: str) -> DeliveryStatus:
        """A document, by what names its slot."""
        return self._board.of(ResourceKind.DOCUMENT, subject)

    def of_holding(self, subject: str) -> DeliveryStatus:
        """A shareholding, by what names it."""
        return self._board.of(ResourceKind.SHAREHOLDING, subject)

    def of_holdings(self) -> DeliveryStatus:
        """All shareholdings together: the most urgent view."""
        return self._board.of_all(ResourceKind.SHAREHOLDING)

    @cached_property
    def _submission(self) -> DeliveryStatus:
        return self._board.of(ResourceKind.SUBMISSION)

    def _delivery(
        self, view: DeliveryStatus, *, party: str = "", share_class: str = "", changed_at: datetime | None
    ) -> AnswersDelivery:
        """With what was said against the whole submission, as long as the holder wasn't changed since."""
        said: Iterable[LocatedProblem] = view.problems
        at = self._submission.at
        if at and changed_at and changed_at < at:
            said = (*said, *self._submission.problems)
        ours = tuple(one for one in said if (one.party, one.share_class) == (party, share_class))
        return AnswersDelivery(view.state.value, view.why, ours, {one.field: one.message for one in ours})


def customer_deliveries(application: Application) -> CustomerDeliveries:
    """What became of one application's answers: two queries."""
    return CustomerDeliveries(deliveries_for_customer(application))


def wait_for_delivery(application: Application) -> None:
    """Wait a little for the service, so that a refusal can show at its field at once."""
    wait_for(application)


# The most urgent first. What is saved, on its way or received needs no word beside its task.
_TOLD = (DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


def task_deliveries(draft: Draft, board: ApplicationDeliveries) -> Mapping[str, str]:
    """By the key of a section, and "documents": With our team, Checking whether it arrived, Waiting to retry."""
    found: dict[str, list[DeliveryStage]] = {}
    for key, view in _views(draft, board):
        found.setdefault(key, []).append(view.state)
    words = {key: next((one for one in _TOLD if one in stages), None) for key, stages in found.items()}
    return {key: gettext(STAGE_WORDS[stage]) for key, stage in words.items() if stage}


def _views(draft: Draft, board: ApplicationDeliveries) -> Iterator[tuple[str, DeliveryStatus]]:
    for section in draft.schema.entity_sections:
        yield section.key, board.of_entity_fields(section.fields)
    for section in draft.schema.role_sections:
        for party in draft.parties:
            if section.role in party.roles:
                yield section.key, board.of_party(party.token)
    if (shares := draft.schema.share_section) is not None:
        yield shares.key, board.of_all(ResourceKind.SHAREHOLDING)
        for share_class in draft.share_classes:
            yield shares.key, board.of_share_class(share_class.token)
    yield "documents", board.of_all(ResourceKind.DOCUMENT)
