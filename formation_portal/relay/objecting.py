"""What the formation service has refused stops an approval here: it would refuse the whole."""

from collections.abc import Iterator
from typing import Any

from django.dispatch import receiver

from formation_portal.applications.drafts import Draft
from formation_portal.contract.language import say
from formation_portal.reviews.objections import Objection
from formation_portal.reviews.places import WHOLE, Kind, Place
from formation_portal.reviews.signals import approving

from .kinds import Kind as Thing
from .models import Delivery, DeliveryState
from .problems import Trouble, troubles


@receiver(approving)
def object_to_what_is_refused(draft: Draft, **_: Any) -> tuple[Objection, ...]:
    """An objection for each thing that was refused: one query where the rows were not read yet. An agent's own deed
    that was refused is none."""
    return tuple(
        one for row in draft.application.deliveries.all() if _is_refused(row) for one in _objections(draft, row)
    )


def _is_refused(row: Delivery) -> bool:
    kind = row.name[0]
    is_ours = kind.is_deed and kind is not Thing.SUBMISSION
    return row.is_returned or (row.state == DeliveryState.REFUSED and not is_ours)


def _objections(draft: Draft, row: Delivery) -> Iterator[Objection]:
    found = troubles(row) or (Trouble(field="", code="refused", message=say("No reason given")),)
    for trouble in found:
        party = draft.party(trouble.party) if trouble.party else None
        whose = party.label if party else ""
        yield Objection(_place(trouble), whose, f"Not accepted by the formation service: {trouble.message}")


def _place(trouble: Trouble) -> Place:
    """Where it stands, as far as the service has said."""
    holder = trouble.party or trouble.share_class
    if trouble.slot:
        return Place.of_document(trouble.party, trouble.slot)
    if trouble.field and (holder or trouble.section):
        return Place.of_field(holder or trouble.section, trouble.field)
    if trouble.party:
        return Place(Kind.PARTY, trouble.party)
    return Place(Kind.SECTION, trouble.section) if trouble.section else WHOLE
