"""The checks of a probe: each makes a few calls about a test entity, and answers yes, no, or not known.

Nothing is concluded from an answer alone where the service can be asked what it holds.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import Conflict, Refused, Unsupported

from ..models import ResourceKind
from .payloads import PICTURE_TYPE, PICTURES, Json, ProbePayloads

Answered = TypeVar("Answered")
YesNoUnknown = bool | None

_ID_NAMES = {ResourceKind.PARTY: "party_id"}


class CheckImpossible(Exception):
    """What a check needs is not there; the message says why."""


class ProbeChecks:
    """A test entity at one service, what was made within it, and how long the slowest call took, in seconds."""

    def __init__(self, service: FormationService, payloads: ProbePayloads, *, reference: str) -> None:
        self.reference = reference
        # The ids of the test entities that are there.
        self.entities: list[str] = []
        self.calls = 0
        self.slowest = 0.0
        self._service = service
        self._payloads = payloads
        self._made: dict[ResourceKind, Json] = {}
        self._parties_carry_references: YesNoUnknown = None

    # Each raises GatewayError where the service does not answer as it should, and CannotTry.

    def keeps_the_reference(self) -> YesNoUnknown:
        """Makes the test entity; whether it carries our client_reference."""
        return bool(self._create(ResourceKind.ENTITY).get("client_reference") == self.reference)

    def honours_keys(self) -> YesNoUnknown:
        """The same party twice with one key, once more with another: one and one, as the list of parties says."""
        key = _new_key()
        first = _id(ResourceKind.PARTY, self._create(ResourceKind.PARTY, key=key))
        try:
            again = _id(ResourceKind.PARTY, self._create(ResourceKind.PARTY, key=key))
        except Refused:
            return False
        others = self._ids_with_another_key()
        records = self._list(ResourceKind.PARTY)
        self._parties_carry_references = any(record.get("client_reference") == self.reference for record in records)
        listed = [_id(ResourceKind.PARTY, record) for record in records]
        if not {first, again, *others} <= set(listed):
            raise CheckImpossible("the list of parties does not show what was added")
        if first in others:
            # It knows the person again, whatever the key says.
            return None
        return again == first and len(listed) == 1 + len(others)

    def shows_references_of_parties(self) -> YesNoUnknown:
        """Whether the list of parties shows a client_reference that one was created with."""
        if self._parties_carry_references is None:
            raise CheckImpossible("no list of parties could be read")
        return self._parties_carry_references

    def is_listed(self, kind: ResourceKind) -> YesNoUnknown:
        """Whether a list of the kind can be read, and shows what was made."""
        made = self._made.get(kind)
        if made is None:
            raise CheckImpossible(f"no {kind.replace('_', ' ')} could be made")
        if not any(_is_it(kind, made, record) for record in self._list(kind)):
            raise CheckImpossible("there is a list, which does not show what was made")
        return True

    def refuses_repeats(self, kind: ResourceKind) -> YesNoUnknown:
        """Whether a second create of the same thing, under another key, is refused and names the first one."""
        first = self._made.get(kind) or self._create(kind)
        try:
            self._create(kind)
        except Conflict as refused:
            return bool(refused.existing_id) and refused.existing_id == _id(kind, first)
        except Refused:
            return False
        return False

    def merges_csp_data(self) -> YesNoUnknown:
        """Two answers in two calls: whether the first is still there (True), or gone (False)."""
        if self._payloads.answers is None:
            raise CheckImpossible("this product asks too few questions")
        for data in self._payloads.answers:
            self._call(
                lambda data=data: self._service.post_csp_data(  # type: ignore[misc]
                    self._entity, schema_id=self._payloads.schema_id, data=data, key=_new_key()
                )
            )
        try:
            read = self._call(lambda: self._service.csp_data(self._entity))
        except Unsupported:
            raise CheckImpossible("csp-data can't be read back") from None
        held = read.get("csp_data", read)
        first, second = (bool(held.keys() & data.keys()) for data in self._payloads.answers)
        return first if second else None

    def replaces_documents(self) -> YesNoUnknown:
        """Two uploads to one slot: whether the second takes the first one's place."""
        first, second = (self._upload(picture) for picture in PICTURES)
        try:
            ids = [_id(ResourceKind.DOCUMENT, record) for record in self._list(ResourceKind.DOCUMENT)]
        except Unsupported:
            raise CheckImpossible("documents can't be read back") from None
        if not _id(ResourceKind.DOCUMENT, second) or _id(ResourceKind.DOCUMENT, second) not in ids:
            return None
        return _id(ResourceKind.DOCUMENT, first) not in ids and len(ids) == 1

    def can_change(self) -> YesNoUnknown:
        """Whether a party can be changed: it is sent the roles that it has already."""
        party = self._made.get(ResourceKind.PARTY)
        if party is None or self._payloads.party is None:
            raise CheckImpossible("no party could be made")
        body = {"roles": self._payloads.party["roles"]}
        where = self._entity, _id(ResourceKind.PARTY, party)
        self._call(lambda: self._service.update_party(*where, body, key=_new_key()))
        return True

    def can_remove(self) -> YesNoUnknown:
        """Removes every test entity."""
        for entity_id in tuple(self.entities):
            self._call(lambda entity_id=entity_id: self._service.delete_entity(entity_id, key=_new_key()))  # type: ignore[misc]
            self.entities.remove(entity_id)
        return True

    @property
    def _entity(self) -> str:
        return self.entities[0]

    def _ids_with_another_key(self) -> list[str]:
        """Of the same party, by our reference too where the service takes one for parties."""
        for body in ({"client_reference": self.reference}, {}):
            try:
                return [_id(ResourceKind.PARTY, self._create(ResourceKind.PARTY, **body))]
            except Refused:
                continue
        return []

    def _create(self, kind: ResourceKind, *, key: str = "", **more: str) -> Json:
        body, key = self._body(kind) | more, key or _new_key()
        if kind is ResourceKind.ENTITY:
            record = self._call(lambda: self._service.create_entity(body, key=key))
            if record["id"] not in self.entities:
                self.entities.append(record["id"])
        elif kind is ResourceKind.PARTY:
            record = self._call(lambda: self._service.add_party(self._entity, body, key=key))
        elif kind is ResourceKind.SHARE_CLASS:
            record = self._call(lambda: self._service.add_share_class(self._entity, body, key=key))
        else:
            record = self._call(lambda: self._service.add_shareholding(self._entity, body, key=key))
            # An answer may not repeat what it is about.
            record = {"party_id": body["party_id"], "share_class_id": body["share_class_id"]} | record
        self._made.setdefault(kind, record)
        return record

    def _body(self, kind: ResourceKind) -> Json:
        """What creates one of the kind; raises CheckImpossible where there is nothing to send."""
        if kind is ResourceKind.ENTITY:
            return self._payloads.entity | {"client_reference": self.reference}
        if kind is ResourceKind.SHAREHOLDING:
            party, share_class = self._made.get(ResourceKind.PARTY), self._made.get(ResourceKind.SHARE_CLASS)
            if party is None or share_class is None:
                raise CheckImpossible("there is no party or no share class to hold shares")
            party_id, class_id = _id(ResourceKind.PARTY, party), _id(ResourceKind.SHARE_CLASS, share_class)
            return {"party_id": party_id, "share_class_id": class_id, "shares_held": 1}
        body = self._payloads.party if kind is ResourceKind.PARTY else self._payloads.share_class
        if body is None:
            raise CheckImpossible(f"this product has no {'parties' if kind is ResourceKind.PARTY else 'share classes'}")
        return body

    def _upload(self, picture: bytes) -> Json:
        if self._payloads.slot is None:
            raise CheckImpossible("this product asks for no document")
        name, is_party = self._payloads.slot
        party = self._made.get(ResourceKind.PARTY)
        if is_party and party is None:
            raise CheckImpossible("there is no party whose document it could be")
        record = self._call(
            lambda: self._service.upload_document(
                self._entity,
                file=picture,
                filename="probe.png",
                mime_type=PICTURE_TYPE,
                document_key=name,
                party_id=_id(ResourceKind.PARTY, party) if is_party and party else None,
                key=_new_key(),
            )
        )
        self._made[ResourceKind.DOCUMENT] = {"document_key": name} | record
        return record

    def _list(self, kind: ResourceKind) -> list[Json]:
        if kind is ResourceKind.ENTITY:
            return self._call(lambda: self._service.entities(client_reference=self.reference))
        read: Mapping[ResourceKind, Callable[[str], list[Json]]] = {
            ResourceKind.PARTY: self._service.parties,
            ResourceKind.SHARE_CLASS: self._service.share_classes,
            ResourceKind.SHAREHOLDING: self._service.shareholdings,
            ResourceKind.DOCUMENT: self._service.documents,
        }
        return self._call(lambda: read[kind](self._entity))

    def _call(self, make: Callable[[], Answered]) -> Answered:
        started = time.monotonic()
        self.calls += 1
        try:
            return make()
        finally:
            self.slowest = max(self.slowest, time.monotonic() - started)


def _new_key() -> str:
    return uuid.uuid4().hex


def _id(kind: ResourceKind, record: Mapping[str, Any]) -> str:
    """The record's id, or nothing where it has none."""
    found = record.get(_ID_NAMES.get(kind, "id"))
    return found if isinstance(found, str) else ""


def _is_it(kind: ResourceKind, made: Json, record: Json) -> bool:
    """By its id, or where the interface shows none, by what it names."""
    if wanted := _id(kind, made):
        return _id(kind, record) == wanted
    names = [name for name in ("party_id", "share_class_id", "document_key") if name in made]
    return bool(names) and all(record.get(name) == made[name] for name in names)
