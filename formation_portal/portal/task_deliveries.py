"""Which tasks of an application hold something that is not settled at the formation service, in a customer's words."""

from collections.abc import Iterator, Mapping

from formation_portal.applications.draft import Draft
from formation_portal.contract.language import say
from formation_portal.relay.delivery_status import STAGE_WORDS, ApplicationDeliveries, DeliveryStage, DeliveryStatus
from formation_portal.relay.resources import ResourceKind

# The most urgent first. What is saved, on its way or received needs no word beside its task.
_TOLD = (DeliveryStage.OURS, DeliveryStage.CHECKING, DeliveryStage.WAITING)


def task_deliveries(draft: Draft, board: ApplicationDeliveries) -> Mapping[str, str]:
    """By the key of a section, and "documents": With our team, Checking whether it arrived, Waiting to retry."""
    found: dict[str, list[DeliveryStage]] = {}
    for key, view in _views(draft, board):
        found.setdefault(key, []).append(view.state)
    words = {key: next((one for one in _TOLD if one in stages), None) for key, stages in found.items()}
    return {key: say(STAGE_WORDS[stage]) for key, stage in words.items() if stage}


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
