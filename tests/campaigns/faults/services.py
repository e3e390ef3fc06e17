"""The two makes of service that a campaign meets: one honours keys and has every call, the other promises nothing."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management.base import OutputWrapper

from formation_portal.core.databases import SERVICE
from formation_portal.management.commands.setup_portal import migrate
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Entity
from tests.other_service import KEY, OtherService
from tests.other_service import service as other
from tests.other_service.fault_injection import BrokenReply, Plan, with_fault
from tests.other_service.messages import Received, Reply
from tests.service.fault_injection import inject_faults
from tests.service.fault_plan import FaultPlan

from .applications import CATALOG
from .exchange import digest_of
from .processes import serve_site
from .records import ServiceRecord


class ServiceUnderTest(ABC):
    """One make: how it is set up, how it serves, and what it has kept."""

    name: str
    capabilities: Capabilities
    # How many it takes until each documented POST has met each kind once.
    applications: int

    # The plan of faults: how often each endpoint meets each kind, and by which seed. 0: never.
    each = 0
    seed = 0

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = folder / "service-faults"

    @abstractmethod
    def prepare(self) -> str:
        """Set it up; the key to it."""

    @abstractmethod
    def serve(self, port: int, *, is_faulty: bool = False) -> None:
        """Serve until the process ends; `is_faulty` by the plan."""

    @abstractmethod
    def kept(self) -> list[ServiceRecord]:
        """Every entity that it has, with all that belongs to it."""


class WithKeys(ServiceUnderTest):
    name = "with keys"
    capabilities = EMBEDDED_CAPABILITIES
    applications = 8

    def prepare(self) -> str:
        migrate(SERVICE, OutputWrapper(StringIO()))
        store_catalog(CATALOG)
        return portal_key()

    def serve(self, port: int, *, is_faulty: bool = False) -> None:
        if is_faulty and self.each:
            inject_faults(FaultPlan(seed=self.seed, ledger=self.ledger, each=self.each))
        serve_site(port)

    def kept(self) -> list[ServiceRecord]:
        entities = Entity.objects.prefetch_related("parties__shareholdings", "share_classes", "documents")
        return [_of_embedded(entity) for entity in entities]


class WithoutKeys(ServiceUnderTest):
    """The other make: the documented calls and nothing else, and what comes twice counts twice."""

    name = "without keys"
    capabilities = Capabilities()
    # What is held holds up what hangs on it, so that it takes more of them.
    applications = 12

    def prepare(self) -> str:
        return KEY

    def serve(self, port: int, *, is_faulty: bool = False) -> None:
        plan = None
        if is_faulty and self.each:
            plan = FaultPlan(seed=self.seed, ledger=self.ledger, each=self.each)
        service = _Sparing(journal=self.folder / "journal", plan=plan, port=port, catalog=CATALOG)
        service.start()
        service.serve_forever()

    def kept(self) -> list[ServiceRecord]:
        service = OtherService(journal=self.folder / "journal", catalog=CATALOG)
        return [_of_other(entity) for entity in service.entities.values()]


class _Sparing(OtherService):
    """Spoils no thing twice, whatever its key: three tries in doubt are one more than the relay makes by itself."""

    def reply(self, request: Received) -> Reply | BrokenReply:
        plan = _OfThing(self._plan, request) if self._plan else None
        return with_fault(plan, request, self.do)


@dataclass(frozen=True, slots=True)
class _OfThing:
    """A plan that is asked about what a request is about, in place of its key."""

    plan: Plan
    request: Received

    def draw(self, endpoint: str, key: str) -> str | None:
        body = self.request.body
        thing = digest_of(self.request.path, json.dumps(body, sort_keys=True).encode()) if body else key
        return self.plan.draw(endpoint, thing)

    def kills_before(self, endpoint: str) -> bool:
        return self.plan.kills_before(endpoint)


SERVICES: tuple[type[ServiceUnderTest], ...] = (WithKeys, WithoutKeys)


def _of_embedded(entity: Entity) -> ServiceRecord:
    holders: list[Any] = [*entity.parties.all(), *entity.share_classes.all()]
    return ServiceRecord(
        id=entity.id,
        reference=entity.client_reference or "",
        status=entity.status,
        properties=entity.properties,
        csp_data={"": entity.csp_data} | {one.id: one.csp_data for one in holders},
        parties={
            one.id: {"party_type": one.party_type, "roles": one.roles} | one.properties for one in entity.parties.all()
        },
        share_classes={one.id: one.properties for one in entity.share_classes.all()},
        shareholdings=[
            (held.party_id, held.share_class_id, held.shares_held)
            for party in entity.parties.all()
            for held in party.shareholdings.all()
        ],
        documents=[(one.party_id or "", one.document_key, one.sha256) for one in entity.documents.all()],
    )


def _of_other(entity: "other.Entity") -> ServiceRecord:
    about = {name: value for name, value in entity.created.items() if name not in _NAMED}
    return ServiceRecord(
        id=entity.id,
        reference=str(entity.created.get("client_reference", "")),
        status="",
        properties=about,
        csp_data={"": entity.csp_data} | entity.party_csp_data | entity.share_class_csp_data,
        parties={name: _without_reference(body) for name, body in entity.parties.items()},
        share_classes={name: _without_reference(body) for name, body in entity.share_classes.items()},
        shareholdings=[(one["party_id"], one["share_class_id"], one["shares_held"]) for one in entity.shareholdings],
        documents=list(_documents(entity)),
    )


_NAMED = ("jurisdiction_product_id", "client_reference")


def _without_reference(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "client_reference"}


def _documents(entity: "other.Entity") -> Iterator[tuple[str, str, str]]:
    for form, (_, _, content) in entity.documents:
        yield form.get("party_id", ""), form["document_key"], hashlib.sha256(content).hexdigest()
