"""The decision about a case, as desk/_decision.html draws it: what can be decided, what is against it, what waits."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.delivery_status import DeliveryStage
from formation_portal.reviews.changes_since import ReviewVersion, current_version
from formation_portal.reviews.checklist import ApprovalBlocker, Checklist, approval_blockers, load_checklist
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN
from formation_portal.reviews.models import DecisionOutcome, DeclineReason, Query, ReviewDecision
from formation_portal.reviews.targets import holder_name
from formation_portal.reviews.transactions import UNDER_REVIEW
from formation_portal.ui.forms.controls import Option, as_options

from .arrivals import Arrivals
from .counts import numbered
from .place_links import PlaceLinks
from .queue_state import QueueState
from .ruling_form import RulingForm
from .ruling_words import PastRuling, WaitingRuling, past_words, waiting_words
from .veil import Veil

# More decisions than these have no case in a lifetime.
_PAST = 20
# So many things against an approval are shown at once; more are opened.
_SHOWN_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Card:
    """One decision to choose; `is_shut` where something stands against it."""

    deed: str
    label: str
    hint: str
    is_chosen: bool
    is_shut: bool = False


@dataclass(frozen=True, slots=True)
class LinkedObjection:
    """One thing that stands against an approval, and where it is mended."""

    url: str
    whose: str
    text: str


@dataclass(frozen=True, slots=True)
class DraftedLine:
    """One question that a return sends."""

    about: str
    whose: str
    text: str


@dataclass(frozen=True, slots=True)
class RulingPanel:
    """The whole of it. Without cards there is nothing to choose for this agent, or at all."""

    reference: str
    company: str
    customer: str
    sight: ReviewVersion
    shown: str
    form: RulingForm
    cards: tuple[Card, ...]
    grounds: tuple[Option, ...]
    objections: tuple[LinkedObjection, ...]
    held: tuple[str, ...]
    drafted: tuple[DraftedLine, ...]
    waiting: WaitingRuling | None
    past: tuple[PastRuling, ...]
    is_under_review: bool
    asks_two: bool
    may_decide: bool
    may_confirm: bool
    may_open_next: bool

    @property
    def is_there(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.cards or self.waiting or self.past or (self.is_under_review and self.objections))

    @property
    def can_approve(self) -> bool:
        """Whether an approval is one press."""
        return any(card.deed == APPROVE and not card.is_shut for card in self.cards)

    @property
    def records_incorporation(self) -> bool:
        """Whether the company's entry in the register is asked for."""
        return any(card.deed == INCORPORATE for card in self.cards)

    @property
    def only_card(self) -> Card | None:
        """The one decision, where there is no choice."""
        return self.cards[0] if len(self.cards) == 1 else None

    @property
    def shows_objections(self) -> bool:
        """Whether what is against an approval matters: not to whoever looks at a decline that waits."""
        return bool(self.objections) and (self.waiting is None or self.waiting.is_approval)

    @property
    def are_few(self) -> bool:
        """Whether what stands against an approval is shown at once."""
        return len(self.objections) <= _SHOWN_AT_ONCE

    @property
    def saved(self) -> str:
        """The line below the heading."""
        count = len(self.objections)
        if not self.is_under_review or self.waiting:
            return "Awaiting second agent" if self.waiting else ""
        return f"{numbered(count, 'check')} left" if count else "All checks done"


def ruling_panel(
    draft: Draft,
    reader: User,
    *,
    arrivals: Arrivals,
    shown: QueueState,
    facts: Checklist | None = None,
    sight: ReviewVersion | None = None,
    form: RulingForm | None = None,
) -> RulingPanel:
    """The panel: two queries, two more where the facts were not read yet, one where the sight was not."""
    sight, facts = sight or current_version(draft.application), facts or load_checklist(draft)
    stands, rulings = draft.application.status, list(_rulings(draft))
    is_under_review = stands in UNDER_REVIEW
    against = approval_blockers(draft, facts) if is_under_review else ()
    waiting = next((one for one in rulings if one.outcome == DecisionOutcome.WAITING), None)
    form = form or RulingForm(deed=_first(facts, against))
    may_decide = reader.may[Right.DECIDE]
    cards = _cards(draft, form, facts=facts, against=against, waits=waiting is not None) if may_decide else ()
    return RulingPanel(
        reference=draft.application.reference,
        company=draft.title,
        customer=draft.application.owner.called,
        sight=sight,
        shown=shown.address,
        form=form,
        cards=tuple(cards),
        grounds=as_options((("", "Choose"), *DeclineReason.choices), form.reason),
        objections=tuple(_linked(PlaceLinks(draft, facts, shown), Veil(draft), against)),
        held=_held(arrivals) if is_under_review else (),
        drafted=tuple(_drafted(draft, facts.drafted)),
        waiting=waiting_words(waiting, reader) if waiting else None,
        past=tuple(past_words(rulings)),
        is_under_review=is_under_review,
        asks_two=settings.FOUR_EYES,
        may_decide=may_decide,
        may_confirm=reader.may[Right.CONFIRM],
        may_open_next=reader.may[Right.REVIEW],
    )


def _rulings(draft: Draft) -> Iterable[ReviewDecision]:
    return draft.application.decisions.select_related("proposed_by", "by")[:_PAST]


def _first(facts: Checklist, against: tuple[ApprovalBlocker, ...]) -> str:
    """What is chosen before anybody chooses: what was prepared, and never what can't be taken back by a slip."""
    return RETURN if facts.drafted else "" if against else APPROVE


def _cards(
    draft: Draft, form: RulingForm, *, facts: Checklist, against: tuple[ApprovalBlocker, ...], waits: bool
) -> Iterator[Card]:
    stands, customer = draft.application.status, draft.application.owner.called
    if stands is State.SUBMITTED_TO_CSP:
        hint = "Enter the company’s number and date from the register."
        yield Card(INCORPORATE, "Record the incorporation", hint, is_chosen=True)
    if stands not in UNDER_REVIEW:
        return
    if not waits:
        hint = f"{numbered(len(against), 'check')} left before you can approve." if against else _approval_hint()
        yield Card(APPROVE, "Approve", hint, form.deed == APPROVE and not against, is_shut=bool(against))
    yield Card(RETURN, f"Return to {customer}", _return_hint(len(facts.drafted)), form.deed == RETURN or waits)
    if not waits:
        hint = "A second agent must confirm this." if settings.FOUR_EYES else "Final. Give a reason and a message."
        yield Card(DECLINE, "Decline", hint, form.deed == DECLINE)


def _approval_hint() -> str:
    return "A second agent must confirm this." if settings.FOUR_EYES else "Sends the application to the registry."


def _return_hint(count: int) -> str:
    if not count:
        return "No queries drafted. Write below what needs to change."
    return f"Sends {count} drafted {'query' if count == 1 else 'queries'}."


def _linked(links: PlaceLinks, veil: Veil, against: Iterable[ApprovalBlocker]) -> Iterator[LinkedObjection]:
    for one in against:
        yield LinkedObjection(links.at(one.target), one.holder_name, veil.over(one.text))


def _drafted(draft: Draft, remarks: Iterable[Query]) -> Iterator[DraftedLine]:
    for one in remarks:
        yield DraftedLine(one.label or "The application", holder_name(draft, one.target), one.text)


def _held(arrivals: Arrivals) -> tuple[str, ...]:
    """What the service neither has nor has refused, as far as our team has to see to it."""
    return tuple(row.title for row in arrivals.rows if row.state == DeliveryStage.OURS)
