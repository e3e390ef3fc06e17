"""One call to be made: what is sent, what was acknowledged, and what the answer may say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from formation_portal.gateway import FormationService
from formation_portal.gateway.envelopes import MAX_ID_LENGTH
from formation_portal.gateway.errors import Unclear

from ..desired_state import Payload
from ..reconciliation.matching import is_id_of_another_kind, matches
from ..resources import ENTITY, ResourceKind, ResourceName, resolve_references
from . import bodies


@dataclass(frozen=True, slots=True)
class OutgoingCall:
    """One call to be made: payloads with local references, the remote ids to put in, and the Idempotency-Key.

    `reference` goes along as `client_reference` where the service is known to keep it for records of this kind.
    """

    service: FormationService
    kind: ResourceKind
    subject: str
    sent: Payload
    acknowledged: Payload
    remote_id: str
    key: str
    ids: Mapping[ResourceName, str]
    open_file: Callable[[], IO[bytes]]
    reference: str = ""
    merges_csp_data: bool | None = True

    @property
    def entity_id(self) -> str:
        """The entity that it belongs to."""
        return self.ids[ENTITY]

    def create_body(self) -> dict[str, Any]:
        """What a create sends."""
        body: dict[str, Any] = resolve_references(bodies.full_body(self.kind, self.sent), self.ids)
        return body | ({"client_reference": self.reference} if self.reference else {})

    def expected_record(self) -> dict[str, Any]:
        """What the service's record of it should show."""
        if self.kind is not ResourceKind.DOCUMENT:
            return self.create_body()
        sent = resolve_references(self.sent, self.ids)
        return {"document_key": sent["document_key"], "sha256": sent["sha256"], "party_id": sent.get("party", "")}

    def created_id(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """The id of the record that has come back. Raises Unclear where it is of something else than was sent."""
        found = record.get(id_name)
        if found is not None and not (isinstance(found, str) and 0 < len(found) <= MAX_ID_LENGTH):
            raise Unclear("The answer's record has no usable ID")
        if found and is_id_of_another_kind(self.kind, found):
            raise Unclear("The answer's ID is for a different kind of record")
        if not matches(self.kind, self.expected_record(), record):
            raise Unclear("The answer is for a different record")
        return found or ""

    def changed_id(self, record: Mapping[str, Any], id_name: str = "id") -> str:
        """The id of the changed record. Raises Unclear where the answer is about another one."""
        if record.get(id_name) not in (None, self.remote_id):
            raise Unclear("The answer is for a different record")
        return self.remote_id

    def edit_body(self) -> dict[str, Any]:
        """What an edit sends."""
        body: dict[str, Any] = resolve_references(
            bodies.changed_members(self.kind, self.acknowledged, self.sent), self.ids
        )
        return body

    def replacement_body(self) -> dict[str, Any]:
        """What a complete edit sends: all that is wanted, and null for what is gone."""
        return self.edit_body() | self.create_body()
