"""What a service has kept of one entity, in one shape for every make."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
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
