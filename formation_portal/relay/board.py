"""How far everything of an application has come, in the words that its customer reads (design, "Relay")."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.contract.field import FieldSpec
from formation_portal.contract.language import noted, say
from formation_portal.contract.lifecycle import State as Standing

from .decisions import is_to_tell, is_undecided
from .kinds import WITHDRAWAL, Kind
from .models import TWINS, UNCLEAR, UNSUPPORTED, Delivery, DeliveryState
from .naming import Names
from .order import is_blocked, is_shut_there
from .problems import Trouble, troubles
from .profile import Profile, profile

State = DeliveryState


class Stage(StrEnum):
    """What a customer is told; never "failed" while it is not known. In the order of urgency."""

    YOURS = "yours"
    OURS = "ours"
    CHECKING = "checking"
    WAITING = "waiting"
    SENDING = "sending"
    SAVED = "saved"
    RECEIVED = "received"


WORDS = {
    Stage.YOURS: noted("Changes needed"),
    Stage.OURS: noted("With our team"),
    Stage.CHECKING: noted("Checking delivery"),
    Stage.WAITING: noted("Waiting to retry"),
    Stage.SENDING: noted("Sending"),
    Stage.SAVED: noted("Saved"),
    Stage.RECEIVED: noted("Received"),
}
LATER_WORDS = noted("Saved. We send it when you submit.")
TOGETHER_WORDS = noted("Saved. We send it with your corrections.")

_STAGES = {
    State.SENDING: Stage.SENDING,
    State.WAITING: Stage.WAITING,
    State.UNKNOWN: Stage.CHECKING,
    State.RECONCILING: Stage.CHECKING,
    State.HELD: Stage.OURS,
    State.REFUSED: Stage.YOURS,
}
# Where nothing is wrong.
_WELL = frozenset({Stage.SENDING, Stage.SAVED, Stage.RECEIVED})
_URGENCY = {stage: place for place, stage in enumerate(Stage)}

ONLY_ON_SUBMIT = noted(
    "The formation service can’t change what it has received, so we send your answers together when you submit."
)
NOT_TOLD = noted(
    "We can’t send a submission or withdrawal to the formation service automatically. We record it here, and our team "
    "will inform the service."
)
MOVES_NOT_TOLD = noted(
    "We can’t send our review to the formation service automatically. We record it here, and our team will inform the "
    "service."
)
NOT_CHANGED = noted(
    "We can’t send one of the changes automatically. Our team will inform the formation service about it."
)

# Why our team has a thing, in one sentence.
_IN_DOUBT = noted("We don’t know yet whether it arrived. Our team is checking. You don’t need to do anything.")
_WHY = {
    UNSUPPORTED: noted("We can’t send this change automatically. Our team will inform the formation service."),
    UNCLEAR: _IN_DOUBT,
    TWINS: _IN_DOUBT,
}
_WHY_ELSE = noted("Something went wrong when we sent it. Our team is looking into it. You don’t need to do anything.")


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """How far one thing has come. `words` say it, `state` is for marks and colours, `at` is when it was last moved.

    `why` is a sentence where our team has it. For agents: `delivery` is the row's primary key, `is_undecided` says
    that it waits for a decision, `is_to_tell` that somebody has to tell the provider by hand.
    """

    state: Stage = Stage.SAVED
    words: str = WORDS[Stage.SAVED]
    problems: tuple[Trouble, ...] = ()
    at: datetime | None = None
    why: str = ""
    delivery: int | None = None
    is_undecided: bool = False
    is_to_tell: bool = False
    # Of a document: what the service says of it, "approved" or "rejected", and its note.
    verdict: str = ""
    note: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the service has refused it, so that the customer has to change something."""
        return self.state is Stage.YOURS


class DeliveryBoard:
    """Every thing of one application, as its pages show it."""

    def __init__(
        self, application: Application, rows: Iterable[Delivery], known: Profile, *, only_trouble: bool = False
    ) -> None:
        self._only_trouble = only_trouble
        self._lets_go = known.lets_go(application)
        is_returned = application.stands is Standing.RETURNED_FOR_CHANGES
        self._later = TOGETHER_WORDS if is_returned else LATER_WORDS
        self._rows = {row.name: row for row in rows}
        self._known = known
        self._there = {row.name for row in self._rows.values() if row.remote_id}
        self._is_shut = is_shut_there(self._rows.values())

    def of(self, kind: str, token: str | None = None) -> DeliveryView:
        """One thing; what has no row yet is saved here and nothing more. A document's token is its `subject`.

        Of submissions, without a token, the last one.
        """
        row = self._rows.get((Kind(kind), token or ""))
        if Kind(kind) is Kind.SUBMISSION and token is None:
            submissions = (one for one in self._rows.values() if one.name[0] is Kind.SUBMISSION)
            row = max(submissions, key=lambda one: one.position, default=None)
        return self._view(row) if row else self._nothing()

    def of_entity(self) -> DeliveryView:
        """The answers about the entity, of either kind: the more urgent view, with the problems of both."""
        return self._joined(Kind.ENTITY, Kind.ENTITY_CSP)

    def of_entity_fields(self, specs: Iterable[FieldSpec]) -> DeliveryView:
        """The answers to some of the questions about the entity."""
        kinds = {Kind.ENTITY if spec.canonical_field else Kind.ENTITY_CSP for spec in specs}
        return self._joined(*sorted(kinds))

    def of_party(self, token: str) -> DeliveryView:
        """A party and its answers."""
        return self._joined(Kind.PARTY, Kind.PARTY_CSP, token=token)

    def of_share_class(self, token: str) -> DeliveryView:
        """A share class and its answers."""
        return self._joined(Kind.SHARE_CLASS, Kind.SHARE_CLASS_CSP, token=token)

    def of_all(self, kind: Kind) -> DeliveryView:
        """Everything of one kind: the most urgent view, with all problems."""
        rows = [row for row in self._rows.values() if row.name[0] is kind and not self._is_idle(row)]
        return self._most_urgent([self._view(row) for row in rows])

    def stays_there(self, kind: Kind, token: str) -> bool:
        """Whether the service has the thing, or may have it, and can't be told to remove it."""
        row = self._rows.get((kind, token))
        if row is None or (row.acknowledged is None and row.is_settled):
            return False
        return not (self._known.can_edit and (row.remote_id or not row.is_settled))

    @property
    def overall(self) -> DeliveryView:
        """The most urgent view of all, with every problem."""
        return self._most_urgent([self._view(row) for row in self._rows.values() if not self._is_idle(row)])

    @property
    def refusals(self) -> tuple[tuple[Trouble, datetime], ...]:
        """Everything that the service refused, each with when it said so."""
        return tuple((trouble, row.updated_at) for row in self._rows.values() for trouble in troubles(row))

    @property
    def unsettled(self) -> tuple[tuple[str, DeliveryView], ...]:
        """What is being checked or is with our team: its name and its view, also of what is no more here."""
        names = Names(self._rows.values())
        views = ((names.title(row), self._view(row)) for row in self._rows.values() if not self._is_idle(row))
        return tuple((title, view) for title, view in views if view.state in (Stage.CHECKING, Stage.OURS))

    @property
    def deeds(self) -> tuple[tuple[str, DeliveryView], ...]:
        """What people did with the whole of it, in their order, as far as it is or was to be told: names and views."""
        names = Names(self._rows.values())
        told = [row for row in self._rows.values() if row.name[0].is_deed and not self._is_idle(row)]
        told.sort(key=lambda row: (row.name == WITHDRAWAL, row.position))
        return tuple((names.title(row), self._view(row)) for row in told)

    @property
    def notices(self) -> tuple[str, ...]:
        """What this service can't do, said plainly."""
        cannot = [row.name for row in self._rows.values() if row.reason == UNSUPPORTED]
        by_customers = any(kind is Kind.SUBMISSION or (kind, subject) == WITHDRAWAL for kind, subject in cannot)
        found = [
            (not self._known.can_edit and not self._lets_go, ONLY_ON_SUBMIT),
            (by_customers, NOT_TOLD),
            (not by_customers and any(kind.is_deed for kind, _ in cannot), MOVES_NOT_TOLD),
            (any(not kind.is_deed for kind, _ in cannot), NOT_CHANGED),
        ]
        return tuple(say(words) for applies, words in found if applies)

    def _joined(self, *kinds: Kind, token: str = "") -> DeliveryView:
        rows = [self._rows[(kind, token)] for kind in kinds if (kind, token) in self._rows]
        return self._most_urgent([self._view(row) for row in rows])

    def _most_urgent(self, views: list[DeliveryView]) -> DeliveryView:
        if not views:
            return self._nothing()
        first = min(views, key=lambda view: _URGENCY[view.state])
        undecided = next((view.delivery for view in views if view.is_undecided), None)
        to_tell = next((view.delivery for view in views if view.is_to_tell), None)
        return replace(
            first,
            problems=tuple(problem for view in views for problem in view.problems),
            delivery=undecided or to_tell or first.delivery,
            is_undecided=undecided is not None,
            is_to_tell=to_tell is not None,
        )

    def _nothing(self) -> DeliveryView:
        return DeliveryView(words=say(WORDS[Stage.SAVED] if self._lets_go else self._later))

    def _is_idle(self, row: Delivery) -> bool:
        """Nothing is there and nothing should be."""
        return row.state == State.DONE and row.wanted is None

    def _view(self, row: Delivery) -> DeliveryView:
        stage = self._stage(row)
        if self._only_trouble and stage in _WELL:
            return DeliveryView(
                Stage.SAVED, say(WORDS[Stage.SAVED] if self._goes(row) else self._later), at=row.updated_at
            )
        words = self._later if stage is Stage.SAVED and not self._goes(row) else WORDS[stage]
        why = say(_WHY.get(row.reason, _WHY_ELSE)) if stage is Stage.OURS else ""
        verdict, note = (row.verdict, row.verdict_note) if row.state == State.DONE else ("", "")
        return DeliveryView(
            stage,
            say(words),
            troubles(row),
            row.updated_at,
            why,
            row.pk,
            is_undecided(row),
            is_to_tell(row),
            verdict,
            note,
        )

    def _goes(self, row: Delivery) -> bool:
        """Whether it leaves without the customer's sending anything more."""
        return self._lets_go or row.name[0].is_deed

    def _stage(self, row: Delivery) -> Stage:
        if row.is_returned:
            return Stage.YOURS
        if row.state == State.DONE:
            return (
                Stage.OURS
                if row.reason == UNSUPPORTED
                else Stage.RECEIVED
                if row.acknowledged is not None
                else Stage.SAVED
            )
        if row.state == State.QUEUED:
            if not self._goes(row) or is_blocked(row, self._rows.values(), self._there, is_shut=self._is_shut):
                return Stage.SAVED
            return Stage.WAITING if self._known.is_paused(timezone.now()) else Stage.SENDING
        return _STAGES[State(row.state)]


def deliveries(application: Application) -> DeliveryBoard:
    """The board of an application: two queries, one where its rows were read with it."""
    return DeliveryBoard(application, application.deliveries.all(), profile())


def deliveries_for_customer(application: Application) -> DeliveryBoard:
    """The same for a customer, who reads of a draft's things only where something is wrong: the rest is saved."""
    rows = Delivery.objects.filter(application=application)
    return DeliveryBoard(application, rows, profile(), only_trouble=application.stands is Standing.DRAFT)
