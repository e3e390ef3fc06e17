"""How far each thing of a case has come at the formation service, as agents see it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus, deliveries_of
from formation_portal.relay.resources import ResourceKind, shareholding_subject

from .masking import TextMasking


@dataclass(frozen=True, slots=True)
class CaseDeliveryRow:
    """One thing: what it is, how far it has come, since when, and what the service said against it.

    Its address is that of its own page, where the evidence is; empty where nothing of it is on its way yet.
    """

    title: str
    url: str
    is_undecided: bool
    is_to_tell: bool
    state: str
    words: str
    at: datetime | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseDeliveries:
    """All things of one case, and what this service can't do."""

    words: str
    state: str
    notices: tuple[str, ...]
    rows: tuple[CaseDeliveryRow, ...]

    @property
    def undecided(self) -> int:
        """How many things wait for an agent's decision."""
        return sum(row.is_undecided for row in self.rows)

    @property
    def to_tell(self) -> int:
        """Of how many things the provider has to be told by hand."""
        return sum(row.is_to_tell for row in self.rows)


def case_deliveries(draft: Draft) -> CaseDeliveries:
    """Where everything stands. Two queries."""
    board = deliveries_of(draft.application)
    overall = board.overall
    masking = TextMasking(draft)
    rows: list[CaseDeliveryRow] = []
    for title, view in _views(draft, board):
        problems = tuple(masking.masked(problem.message) for problem in view.problems)
        url = reverse("desk:delivery", args=[view.delivery]) if view.delivery else ""
        rows.append(
            CaseDeliveryRow(
                title,
                url,
                view.is_undecided,
                view.must_inform_provider,
                view.state.value,
                view.words,
                view.at,
                problems,
            )
        )
    return CaseDeliveries(overall.words, overall.state.value, board.notices, tuple(rows))


def _views(draft: Draft, board: ApplicationDeliveries) -> Iterator[tuple[str, DeliveryStatus]]:
    yield (draft.title, board.of_entity())
    for share_class in draft.share_classes if draft.holds_shares else ():
        yield (f"Share class {share_class.label}", board.of_share_class(share_class.token))
    for party in draft.parties:
        yield (party.label, board.of_party(party.token))
    for document in draft.documents:
        token = document.party.token if document.party else None
        yield (f"Document {document.name}", board.of(ResourceKind.DOCUMENT, document_subject(token, document.slot)))
    for (party_token, class_token), holding in draft.holdings.items() if draft.holds_shares else ():
        holder, held = draft.party(party_token), draft.share_class(class_token)
        if holding.shares and holder and held:
            title = f"{holding.shares:,} {held.label} of {holder.label}"
            yield (title, board.of(ResourceKind.SHAREHOLDING, shareholding_subject(party_token, class_token)))
    yield from board.transitions
