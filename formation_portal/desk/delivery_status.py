"""How far each thing of a case has come at the formation service, as agents see it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.db.models import prefetch_related_objects

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus, deliveries_of
from formation_portal.relay.models import ResourceKind, shareholding_subject

from .masking import TextMasking


@dataclass(frozen=True)
class CaseDeliveries:
    """All things of one case, and how far each has come."""

    draft: Draft
    statuses: ApplicationDeliveries

    @cached_property
    def rows(self) -> list[tuple[str, DeliveryStatus, list[str]]]:
        """Each thing by its title, with what the service said against it."""
        masking = TextMasking(self.draft)
        return [
            (title, status, [masking.masked(problem.message) for problem in status.problems])
            for title, status in self._titled()
        ]

    @property
    def undecided(self) -> int:
        """How many things wait for an agent's decision."""
        return sum(status.is_undecided for _, status, _ in self.rows)

    @property
    def to_tell(self) -> int:
        """Of how many things the provider has to be told by hand."""
        return sum(status.must_inform_provider for _, status, _ in self.rows)

    def _titled(self) -> Iterator[tuple[str, DeliveryStatus]]:
        draft, statuses = self.draft, self.statuses
        yield (draft.title, statuses.of_entity())
        for share_class in draft.share_classes if draft.holds_shares else ():
            yield (f"Share class {share_class.label}", statuses.of_share_class(share_class.token))
        for party in draft.parties:
            yield (party.label, statuses.of_party(party.token))
        for document in draft.documents:
            token = document.party.token if document.party else None
            yield (
                f"Document {document.name}",
                statuses.of(ResourceKind.DOCUMENT, document_subject(token, document.slot)),
            )
        for (party_token, class_token), holding in draft.holdings.items() if draft.holds_shares else ():
            holder, held = draft.party(party_token), draft.share_class(class_token)
            if holding.shares and holder and held:
                title = f"{holding.shares:,} {held.label} of {holder.label}"
                yield (title, statuses.of(ResourceKind.SHAREHOLDING, shareholding_subject(party_token, class_token)))
        yield from statuses.transitions


def case_deliveries(draft: Draft) -> CaseDeliveries:
    """Where everything stands. Two queries; the rows stay with the application, for what stands against an approval."""
    prefetch_related_objects([draft.application], "deliveries")
    return CaseDeliveries(draft, deliveries_of(draft.application))
