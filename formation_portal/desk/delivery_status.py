"""List the deliveries of a case to the formation service, for agents."""

from collections.abc import Iterator

from django.db.models import prefetch_related_objects

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.relay.delivery_status import DeliveryStatus, deliveries_of
from formation_portal.relay.models import ResourceKind, shareholding_subject

from .masking import TextMasking


class CaseDeliveries:
    """The deliveries of a case: `rows` have titles and statuses, and the service's objections with numbers masked.

    Two SQL queries, whose results `approval_blockers` uses again.
    """

    def __init__(self, draft: Draft) -> None:
        prefetch_related_objects([draft.application], "deliveries")
        self.draft = draft
        self.statuses = deliveries_of(draft.application)
        self.rows: list[tuple[str, DeliveryStatus, list[str]]] = []
        self.undecided = self.to_tell = 0
        masking = TextMasking(draft)
        for title, status in self._titled():
            self.rows.append((title, status, [masking.masked(problem.message) for problem in status.problems]))
            self.undecided += status.is_undecided
            self.to_tell += status.must_inform_provider

    def _titled(self) -> Iterator[tuple[str, DeliveryStatus]]:
        draft = self.draft
        statuses = self.statuses
        yield draft.title, statuses.of_entity()
        if draft.holds_shares:
            for share_class in draft.share_classes:
                yield f"Share class {share_class.label}", statuses.of_share_class(share_class.token)
        for party in draft.parties:
            yield party.label, statuses.of_party(party.token)
        for document in draft.documents:
            subject = document_subject(document.party.token if document.party else None, document.slot)
            yield f"Document {document.name}", statuses.of(ResourceKind.DOCUMENT, subject)
        if draft.holds_shares:
            for (party_token, class_token), holding in draft.holdings.items():
                holder = draft.party(party_token)
                held_class = draft.share_class(class_token)
                if holding.shares and holder and held_class:
                    subject = shareholding_subject(party_token, class_token)
                    title = f"{holding.shares:,} {held_class.label} of {holder.label}"
                    yield title, statuses.of(ResourceKind.SHAREHOLDING, subject)
        yield from statuses.transitions
