"""Check each capability of a service with a few calls, and by the service's records if they can be read."""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import Conflict, Refused, Unsupported

from ..calls.routes import COLLECTIONS, id_names
from ..models import ResourceKind
from .payloads import PICTURE_TYPE, PICTURES, Json, ProbePayloads


class CheckImpossible(Exception):
    """Raised if something that a check needs is missing; the message says why."""


class ProbeChecks:
    """Checks of one service with a test entity. Each check may raise GatewayError or CheckImpossible."""

    def __init__(self, service: FormationService, payloads: ProbePayloads, *, reference: str) -> None:
        self.reference = reference
        # The ids of the test entities that exist.
        self.entities: list[str] = []
        self.calls = 0
        self.slowest = 0.0
        self._service = service
        self._payloads = payloads
        self._created: dict[ResourceKind, Json] = {}

    def keeps_the_reference(self) -> bool:
        return bool(self._create(ResourceKind.ENTITY).get("client_reference") == self.reference)

    def honours_keys(self) -> bool | None:
        """Add a party twice with one key, once with another, and count those listed. None: any key finds the first."""
        key = _new_key()
        first = _id(ResourceKind.PARTY, self._create(ResourceKind.PARTY, key=key))
        try:
            again = _id(ResourceKind.PARTY, self._create(ResourceKind.PARTY, key=key))
        except Refused:
            return False
        others = self._ids_with_another_key()
        listed = self._listed_ids(ResourceKind.PARTY)
        if not {first, again, *others} <= set(listed):
            raise CheckImpossible("the list of parties does not show what was added")
        if first in others:
            # The service recognises the person under any key.
            return None
        return again == first and len(listed) == 1 + len(others)

    def shows_references_of_parties(self) -> bool:
        """Check that the list of parties shows our client_reference. Raises CheckImpossible if no party was created."""
        self._created_record(ResourceKind.PARTY)
        return any(record.get("client_reference") == self.reference for record in self._list(ResourceKind.PARTY))

    def is_listed(self, kind: ResourceKind) -> bool:
        created = self._created_record(kind)
        if not any(_is_same_record(kind, created, record) for record in self._list(kind)):
            raise CheckImpossible("there is a list, which does not show what was made")
        return True

    def refuses_repeats(self, kind: ResourceKind) -> bool:
        """Check that a second create of the same resource, under another key, is refused and names the first one."""
        first = self._created.get(kind) or self._create(kind)
        try:
            self._create(kind)
        except Conflict as conflict:
            return bool(conflict.existing_id) and conflict.existing_id == _id(kind, first)
        except Refused:
            return False
        return False

    def merges_csp_data(self) -> bool | None:
        """Send two answers in two calls. Return whether the first is still there; None if the second is not."""
        if self._payloads.answers is None:
            raise CheckImpossible("this product asks too few questions")
        first, second = self._payloads.answers
        for data in (first, second):
            with self._call() as service:
                service.post_csp_data(self.entities[0], schema_id=self._payloads.schema_id, data=data, key=_new_key())
        try:
            with self._call() as service:
                record = service.csp_data(self.entities[0])
        except Unsupported:
            raise CheckImpossible("csp-data can't be read back") from None
        names = record.get("csp_data", record).keys()
        return bool(names & first.keys()) if names & second.keys() else None

    def replaces_documents(self) -> bool | None:
        """Upload two files to a slot. Return whether the second replaces the first; None if that is not listed."""
        first, second = [_id(ResourceKind.DOCUMENT, self._upload(picture)) for picture in PICTURES]
        try:
            ids = self._listed_ids(ResourceKind.DOCUMENT)
        except Unsupported:
            raise CheckImpossible("documents can't be read back") from None
        if not second or second not in ids:
            return None
        return first not in ids and len(ids) == 1

    def can_change(self) -> bool:
        """Check that a party can be changed, by sending the roles that it has already."""
        party_id = self._created_id(ResourceKind.PARTY)
        body = {"roles": self._body(ResourceKind.PARTY)["roles"]}
        with self._call() as service:
            service.update_record(self.entities[0], Collection.PARTIES, party_id, body, key=_new_key())
        return True

    def can_remove(self) -> bool:
        for entity_id in tuple(self.entities):
            with self._call() as service:
                service.delete_entity(entity_id, key=_new_key())
            self.entities.remove(entity_id)
        return True

    def _ids_with_another_key(self) -> list[str]:
        """Create the party under another key, with our reference unless that is refused. Return its id, if any."""
        for body in ({"client_reference": self.reference}, {}):
            try:
                return [_id(ResourceKind.PARTY, self._create(ResourceKind.PARTY, **body))]
            except Refused:
                continue
        return []

    def _create(self, kind: ResourceKind, *, key: str = "", **more: str) -> Json:
        body = self._body(kind) | more
        key = key or _new_key()
        with self._call() as service:
            if kind is ResourceKind.ENTITY:
                record = service.create_entity(body, key=key)
                if record["id"] not in self.entities:
                    self.entities.append(record["id"])
            else:
                record = service.add_record(self.entities[0], COLLECTIONS[kind], body, key=key)
        if kind is ResourceKind.SHAREHOLDING:
            # An answer need not repeat the ids of party and class.
            record = body | record
        self._created.setdefault(kind, record)
        return record

    def _body(self, kind: ResourceKind) -> Json:
        """Return the body of a create. Raises CheckImpossible if there is nothing to send."""
        if kind is ResourceKind.ENTITY:
            return self._payloads.entity | {"client_reference": self.reference}
        if kind is ResourceKind.SHAREHOLDING:
            party_id = self._created_id(ResourceKind.PARTY)
            return {
                "party_id": party_id,
                "share_class_id": self._created_id(ResourceKind.SHARE_CLASS),
                "shares_held": 1,
            }
        payload = self._payloads.party if kind is ResourceKind.PARTY else self._payloads.share_class
        if payload is None:
            raise CheckImpossible(f"this product has no {kind.replace('_', ' ')}")
        return payload

    def _created_record(self, kind: ResourceKind) -> Json:
        """Return the record that was created first. Raises CheckImpossible if there is none."""
        if kind not in self._created:
            raise CheckImpossible(f"no {kind.replace('_', ' ')} could be made")
        return self._created[kind]

    def _created_id(self, kind: ResourceKind) -> str:
        return _id(kind, self._created_record(kind))

    def _upload(self, picture: bytes) -> Json:
        if self._payloads.slot is None:
            raise CheckImpossible("this product asks for no document")
        name, is_party = self._payloads.slot
        party_id = self._created_id(ResourceKind.PARTY) if is_party else None
        with self._call() as service:
            record = service.upload_document(
                self.entities[0],
                file=picture,
                filename="probe.png",
                mime_type=PICTURE_TYPE,
                document_key=name,
                party_id=party_id,
                key=_new_key(),
            )
        self._created[ResourceKind.DOCUMENT] = {"document_key": name} | record
        return record

    def _list(self, kind: ResourceKind) -> list[Json]:
        with self._call() as service:
            if kind is ResourceKind.ENTITY:
                return service.entities(client_reference=self.reference)
            return service.records(self.entities[0], COLLECTIONS[kind])

    def _listed_ids(self, kind: ResourceKind) -> list[str]:
        return [_id(kind, record) for record in self._list(kind)]

    @contextmanager
    def _call(self) -> Iterator[FormationService]:
        started = time.monotonic()
        self.calls += 1
        try:
            yield self._service
        finally:
            self.slowest = max(self.slowest, time.monotonic() - started)


def _new_key() -> str:
    return uuid.uuid4().hex


def _id(kind: ResourceKind, record: Mapping[str, Any]) -> str:
    record_id = record.get(id_names(kind)[0])
    return record_id if isinstance(record_id, str) else ""


def _is_same_record(kind: ResourceKind, created: Json, record: Json) -> bool:
    """Compare two records by their own ids, or if the create's answer had no id, by the ids they refer to."""
    if created_id := _id(kind, created):
        return _id(kind, record) == created_id
    names = created.keys() & {"party_id", "share_class_id", "document_key"}
    return bool(names) and all(record.get(name) == created[name] for name in names)
