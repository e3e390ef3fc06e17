"""The other make's records, its one door, and what tests may do to it."""

import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import validation
from .failures import Failure
from .fault_injection import BrokenReply, Plan, with_fault
from .http_server import HttpServer
from .journal import Journal
from .messages import Received, Reply
from .schemas import CATALOG

KEY = "other-makes-key"

Json = dict[str, Any]


@dataclass
class Entity:
    """What the other make holds of one entity: everything as it was sent, in order."""

    id: str
    item: Json
    created: Json
    csp_data: Json = field(default_factory=dict)
    party_csp_data: dict[str, Json] = field(default_factory=dict)
    share_class_csp_data: dict[str, Json] = field(default_factory=dict)
    parties: dict[str, Json] = field(default_factory=dict)
    share_classes: dict[str, Json] = field(default_factory=dict)
    shareholdings: list[Json] = field(default_factory=list)
    documents: list[tuple[Json, tuple[str, str, bytes]]] = field(default_factory=list)  # form, file


class OtherService:
    """A running service. Use it as a context manager, or the fixture `other_service`.

    With a `journal` it forgets nothing that it has answered, however it ends: what was accepted is read again at start,
    under the same ids. `plan` says which requests go wrong. `port` is a free one where none is given.
    """

    def __init__(
        self,
        journal: Path | None = None,
        plan: Plan | None = None,
        port: int | None = None,
        catalog: Sequence[Any] = CATALOG,
    ) -> None:
        self.catalog: list[Any] = list(catalog)
        self.received: list[Received] = []
        self.entities: dict[str, Entity] = {}
        self.key = KEY
        self.faults: list[BaseException | None] = []
        self._troubles: list[Failure] = []
        self._trouble_lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._plan = plan
        self._door = HttpServer(self, port or 0)
        self._journal = Journal(journal) if journal else None
        for request in self._journal or ():
            assert self._do(request).status < 400, request.path

    @property
    def url(self) -> str:
        return self._door.url

    def __enter__(self) -> "OtherService":
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.heal()
        self.stop()
        assert not self.faults, self.faults

    # What tests may do

    def start(self) -> None:
        """Listen, at the same address as before."""
        self._door.open()

    def serve_forever(self) -> None:
        """Stay until the process ends; for one of its own."""
        threading.Event().wait()

    def stop(self) -> None:
        """Be down: no connection is taken, and those that stand are cut."""
        self._door.close()

    def heal(self) -> None:
        """No more troubles, and whoever waits goes on."""
        with self._trouble_lock:
            for trouble in self._troubles:
                if trouble.gate:
                    trouble.gate.set()
            self._troubles.clear()

    def answer(self, pattern: str, status: int, body: Any = None, **more: Any) -> None:
        """Answer requests ("POST .*/parties$") with a status and a body instead of doing what they ask."""
        self.add_trouble(Failure(pattern, status=status, body=body, **more))

    def refuse(self, pattern: str, name: str, text: str, *, times: int | None = None) -> None:
        """Refuse requests at one field, in this make's own shape."""
        self.answer(pattern, 422, {"errors": {name: [text]}}, times=times)

    def cut(self, pattern: str, *, is_done: bool, times: int | None = 1) -> None:
        """Cut the line instead of answering, before or after doing what is asked."""
        self.add_trouble(Failure(pattern, times=times, is_done=is_done, is_cut=True))

    def hold(self, pattern: str, *, times: int | None = 1) -> threading.Event:
        """Do what is asked, but answer only once the event that comes back is set."""
        gate = threading.Event()
        self.add_trouble(Failure(pattern, times=times, is_done=True, gate=gate))
        return gate

    def add_trouble(self, trouble: Failure) -> None:
        with self._trouble_lock:
            self._troubles.append(trouble)

    def requests(self, method: str, ending: str) -> list[Received]:
        """What came by the method at paths that end so."""
        return [one for one in self.received if one.method == method and one.path.endswith(ending)]

    def only_entity(self) -> Entity:
        [entity] = self.entities.values()
        return entity

    # What the door asks

    def reply(self, request: Received) -> Reply | BrokenReply:
        """What this make answers to the request, with what the plan makes of it."""
        return with_fault(self._plan, request, self.do)

    def do(self, request: Received) -> Reply:
        """What this make does with the request; runs one request at a time."""
        with self._lock:
            self.received.append(request)
            if request.headers.get("Authorization") != f"Bearer {self.key}":
                return Reply(401, {"error": "Who are you?"})
            reply = self._do(request)
            if self._journal and request.method == "POST" and reply.status < 400:
                self._journal.append(request)
            return reply

    def trouble_for(self, request: Received) -> Failure | None:
        """The first trouble that meets the request."""
        with self._trouble_lock:
            called = f"{request.method} {request.path}"
            return next((trouble for trouble in self._troubles if trouble.meets(called)), None)

    def _do(self, request: Received) -> Reply:
        steps = request.path.removeprefix("/api/v1/").split("/")
        if request.method == "GET" and steps == ["catalog"]:
            return Reply(200, self.catalog)
        if request.method == "POST" and steps == ["entities"]:
            return self._create(request)
        if len(steps) == 3 and steps[0] == "entities" and (entity := self.entities.get(steps[1])):
            if request.method == "GET" and steps[2] == "parties":
                return Reply(200, [self._party(entity, party_id) for party_id in entity.parties])
            known = {
                "csp-data": self._csp_data,
                "parties": self._add_party,
                "share-classes": self._add_share_class,
                "shareholdings": self._add_shareholding,
                "documents": self._add_document,
            }
            if request.method == "POST" and steps[2] in known:
                return known[steps[2]](entity, request)
            return Reply(501, "Not here.", "text/plain")
        if request.method in ("PATCH", "DELETE", "PUT"):
            return Reply(405, "<h1>Method not allowed</h1>", "text/html")
        return Reply(404, "There is no such thing.", "text/plain")

    def _create(self, request: Received) -> Reply:
        wanted = request.body.get("jurisdiction_product_id")
        found = [one for one in self.catalog if isinstance(one, dict) and one.get("jurisdiction_product_id") == wanted]
        if not found:
            return Reply(400, {"error": {"code": "no_product", "message": "No such product", "details": None}})
        if complaints := validation.entity_complaints(found[0], request.body):
            return _refusal(complaints)
        entity = Entity(f"E-{next(self._numbers)}", found[0], request.body)
        self.entities[entity.id] = entity
        return Reply(201, {"data": {"id": entity.id}})

    def _csp_data(self, entity: Entity, request: Received) -> Reply:
        if complaints := validation.csp_complaints(entity.item, request.body):
            details = [{"field": name, "message": " ".join(texts)} for name, texts in complaints.items()]
            return Reply(400, {"error": {"code": "bad_answers", "message": "Look again", "details": details}})
        scope, data = request.body.get("scope"), request.body["csp_data"]
        if scope == "party":
            entity.party_csp_data.setdefault(request.body["party_id"], {}).update(data)
        elif scope == "share_class":
            entity.share_class_csp_data.setdefault(request.body["share_class_id"], {}).update(data)
        else:
            entity.csp_data.update(data)
        return Reply(204)

    def _add_party(self, entity: Entity, request: Received) -> Reply:
        if complaints := validation.party_complaints(entity.item, request.body):
            return _refusal(complaints)
        party_id = f"pty_{next(self._numbers)}"
        entity.parties[party_id] = request.body
        return Reply(201, {"data": self._party(entity, party_id)})

    def _party(self, entity: Entity, party_id: str) -> Json:
        """A shareholder without shares is only a potential one."""
        party = entity.parties[party_id]
        holders = {held["party_id"] for held in entity.shareholdings}
        roles = [role for role in party["roles"] if role != "shareholder" or party_id in holders]
        return {"party_id": party_id, "party_type": party["party_type"], "roles": roles}

    def _add_share_class(self, entity: Entity, request: Received) -> Reply:
        if complaints := validation.share_class_complaints(request.body):
            return _refusal(complaints)
        class_id = f"sc_{next(self._numbers)}"
        entity.share_classes[class_id] = request.body
        return Reply(201, {"data": {"id": class_id}})

    def _add_shareholding(self, entity: Entity, request: Received) -> Reply:
        ids = set(entity.parties), set(entity.share_classes)
        if complaints := validation.shareholding_complaints(*ids, request.body):
            return _refusal(complaints)
        entity.shareholdings.append(request.body)
        return Reply(201, {"data": {"shares_held": request.body["shares_held"]}})

    def _add_document(self, entity: Entity, request: Received) -> Reply:
        is_party = request.form.get("scope") == "party"
        if "file" not in request.files:
            return _refusal({"file": ["is missing"]})
        if request.form.get("document_key") not in validation.slots_of(entity.item, is_party=is_party):
            return _refusal({"document_key": ["is no document of ours"]})
        if is_party and request.form.get("party_id") not in entity.parties:
            return _refusal({"party_id": ["is no party of this entity"]})
        entity.documents.append((request.form, request.files["file"]))
        return Reply(201, {"data": {"state": "received"}})


def _refusal(complaints: validation.Complaints) -> Reply:
    return Reply(422, {"errors": complaints})
