"""How far what was saved here has come at the service, and what the service said against it, as pages need it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from formation_portal.applications.models import Application
from formation_portal.contract.field import FieldSpec
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus, deliveries_for_customer
from formation_portal.relay.problems import LocatedProblem
from formation_portal.relay.resources import ResourceKind
from formation_portal.relay.wake import wait_for


@dataclass(frozen=True, slots=True)
class Arrival:
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


class Arrivals:
    """The deliveries of one application."""

    def __init__(self, board: ApplicationDeliveries) -> None:
        self._board = board

    def of_entity(self, specs: Iterable[FieldSpec], *, changed_at: datetime | None) -> Arrival:
        """The answers to some of the questions about the entity."""
        return self._arrival(self._board.of_entity_fields(specs), changed_at=changed_at)

    def of_party(self, token: str, *, changed_at: datetime | None) -> Arrival:
        """A party with its answers."""
        return self._arrival(self._board.of_party(token), party=token, changed_at=changed_at)

    def of_share_class(self, token: str, *, changed_at: datetime | None) -> Arrival:
        """A class of shares with its answers."""
        return self._arrival(self._board.of_share_class(token), share_class=token, changed_at=changed_at)

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

    def _arrival(
        self, view: DeliveryStatus, *, party: str = "", share_class: str = "", changed_at: datetime | None
    ) -> Arrival:
        """With what was said against the whole submission, as long as the holder wasn't changed since."""
        said: Iterable[LocatedProblem] = view.problems
        at = self._submission.at
        if at and changed_at and changed_at < at:
            said = (*said, *self._submission.problems)
        ours = tuple(one for one in said if (one.party, one.share_class) == (party, share_class))
        return Arrival(view.state.value, view.why, ours, {one.field: one.message for one in ours})


def arrivals(application: Application) -> Arrivals:
    """What became of one application's answers: two queries."""
    return Arrivals(deliveries_for_customer(application))


def give_it_a_moment(application: Application) -> None:
    """Wait a little for the service, so that a refusal can show at its field at once."""
    wait_for(application)
