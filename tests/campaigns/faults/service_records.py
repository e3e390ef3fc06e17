"""What a service has kept of one entity, in one shape for every make."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from formation_portal.relay.models import ResourceKind

from .expected_records import text

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """Values exactly as they lie there. Lists hold doubles, so that they can be counted."""

    id: str
    reference: str
    status: str
    properties: Json
    # By the id of the party or share class; "" is the entity's own.
    csp_data: dict[str, Json]
    parties: dict[str, Json]
    share_classes: dict[str, Json]
    # Party, share class, shares held.
    shareholdings: list[tuple[str, str, int]]
    # Party or "", slot, SHA-256.
    documents: list[tuple[str, str, str]]


def things_there(kept: list[ServiceRecord], tokens: dict[str, str]) -> dict[ResourceKind, Counter[str]]:
    """What the service has, by kind. What has an id that nothing here is bound to keeps that id."""

    def local(remote_id: str) -> str:
        return tokens.get(remote_id, remote_id)

    def named(answers: dict[str, Any]) -> dict[str, Any]:
        """Answers that refer to a share class do so by its id."""
        return {name: local(value) if isinstance(value, str) else value for name, value in answers.items()}

    csp = [(local(holder), named(data)) for one in kept for holder, data in one.csp_data.items() if holder]
    holder_kinds = (ResourceKind.PARTY_CSP, ResourceKind.SHARE_CLASS_CSP)
    found = {
        ResourceKind.ENTITY: (one.properties for one in kept),
        ResourceKind.ENTITY_CSP: (named(one.csp_data[""]) for one in kept),
        ResourceKind.SHARE_CLASS: (body for one in kept for body in one.share_classes.values()),
        ResourceKind.PARTY: (body for one in kept for body in one.parties.values()),
        ResourceKind.DOCUMENT: ([local(party), *more] for one in kept for party, *more in one.documents),
        ResourceKind.SHAREHOLDING: ([local(a), local(b), held] for one in kept for a, b, held in one.shareholdings),
        **{kind: ([holder, data] for holder, data in csp) for kind in holder_kinds},
    }
    counted = {kind: Counter(map(text, some)) for kind, some in found.items()}
    counted[ResourceKind.SUBMISSION] = Counter(one.status for one in kept)
    return counted
