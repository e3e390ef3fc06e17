"""Compares what the portal wants at the service with what the service has kept, thing by thing."""

import hashlib
from collections import Counter
from dataclasses import dataclass

from django.core.files.storage import storages

from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.core.storage import SERVICE_FILES
from formation_portal.relay.models import Delivery, DeliveryState, Reason, ResourceKind, ResourceName
from formation_portal.relay.resolution import deliveries_in
from formation_portal.service.models import Document as ServiceDocument

from .records import ServiceRecord, expected_records, text, things_there

# What a service without keys and lists leaves to an agent, where the answer to its creation was lost.
_MAY_BE_HELD = (ResourceKind.ENTITY, ResourceKind.SHARE_CLASS, ResourceKind.SHAREHOLDING, ResourceKind.DOCUMENT)
# What `probe_service` leaves behind where nothing can be removed.
_PROBES = "probe-"
# What is sent only once there is an answer of this kind.
_IF_ANSWERED = (ResourceKind.ENTITY_CSP, ResourceKind.PARTY_CSP, ResourceKind.SHARE_CLASS_CSP)
# What has no record of its own, so that there is nothing to count.
_UNCOUNTED = (*_IF_ANSWERED, ResourceKind.SUBMISSION)


@dataclass
class Findings:
    """What the comparison has counted, and a sentence for each thing that is wrong."""

    lost: int = 0
    duplicated: int = 0
    held: int = 0
    stuck: int = 0

    def __post_init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, number: str, application: Application, what: str, times: int = 1) -> None:
        setattr(self, number, getattr(self, number) + times)
        self.sentences.append(f"{number}: {application.reference} {what}")


def compare(kept: list[ServiceRecord], *, may_hold: bool) -> Findings:
    found = Findings()
    by_reference: dict[str, list[ServiceRecord]] = {}
    for one in kept:
        by_reference.setdefault(one.reference, []).append(one)
    for application in Application.objects.order_by("pk"):
        there = by_reference.pop(application.reference, [])
        rows = {row.name: row for row in application.deliveries.all()}
        _compare_one(found, open_draft(application), rows, there)
        _compare_states(found, application, rows, may_hold=may_hold)
    for reference, unknown_entities in by_reference.items():
        if reference.startswith(_PROBES):
            continue
        found.duplicated += len(unknown_entities)
        found.sentences.append(f"duplicated: {len(unknown_entities)} entities of nobody, {reference}")
    return found


def _compare_one(found: Findings, draft: Draft, rows: dict[ResourceName, Delivery], kept: list[ServiceRecord]) -> None:
    wanted = list(expected_records(draft))
    tokens = {row.remote_id: row.subject for row in rows.values() if row.remote_id}
    there = things_there(kept, tokens)
    for name, value in wanted:
        row, kind = rows.get(name), name[0]
        if row is None and kind in _IF_ANSWERED and value.endswith(("{}", "{}]")):
            continue
        has = _bound(kept, row) if row is not None and kind in _BOUND else there[kind]
        # A service that has no states was not told, which the portal says.
        is_there = has[value] or (kind is ResourceKind.SUBMISSION and has[""])
        if row is None or (_are_done(rows, kind, row) and not is_there):
            found.say("lost", draft.application, f"{name}: {value}")
    for kind, has in there.items():
        if kind not in _UNCOUNTED:
            much = has - Counter(value for name, value in wanted if name[0] is kind)
            for value, times in much.items():
                found.say("duplicated", draft.application, f"{kind}, {times} too many: {value}", times)


def _are_done(rows: dict[ResourceName, Delivery], kind: ResourceKind, row: Delivery) -> bool:
    """Whether the relay has sent all there is of it. The state of an entity follows from all its transitions."""
    saying = [one for one in rows.values() if one.is_transition] if kind.is_transition else [row]
    return all(one.state == DeliveryState.DONE for one in saying)


def _compare_states(
    found: Findings, application: Application, rows: dict[ResourceName, Delivery], *, may_hold: bool
) -> None:
    seen_by_agents = set(deliveries_in("undecided").filter(application=application).values_list("pk", flat=True))
    for row in rows.values():
        if row.state == DeliveryState.HELD:
            found.held += 1
            is_fine = may_hold and _may_be_held(row) and row.pk in seen_by_agents
        elif row.state == DeliveryState.DONE:
            # What the portal believes to be doubled was counted: either that is so, or it is wrong.
            is_fine = row.reason != Reason.DUPLICATE
        else:
            is_fine = row.state == DeliveryState.QUEUED and _is_behind_something_held(row, rows)
        if not is_fine:
            found.say("stuck", application, f"{row.kind} {row.subject}: {row.state} {row.reason}")


def _may_be_held(row: Delivery) -> bool:
    return row.resource_kind in _MAY_BE_HELD and row.reason in (Reason.UNCLEAR, Reason.AMBIGUOUS)


def _is_behind_something_held(row: Delivery, rows: dict[ResourceName, Delivery]) -> bool:
    held = {name for name, other in rows.items() if other.state == DeliveryState.HELD}
    if row.is_transition:
        return bool(held)
    needs = {(ResourceKind(kind), subject) for kind, subject in row.needs}
    return bool(needs & held) or any(_is_behind_something_held(rows[name], rows) for name in needs if name in rows)


def is_at_rest() -> bool:
    due = Delivery.objects.filter(next_at__isnull=False).exists()
    return not due and not Delivery.objects.filter(state=DeliveryState.SENDING).exists()


def broken_files() -> list[str]:
    """Return the stored files, the portal's and the service's, that can't be read whole."""
    files = [("default", str(document.file.name), document.sha256) for document in Document.objects.all()]
    files += [(SERVICE_FILES, document.path, document.sha256) for document in ServiceDocument.objects.all()]
    return [f"{alias} {name}" for alias, name, digest in files if not _is_whole(alias, name, digest)]


def _is_whole(alias: str, name: str, digest: str) -> bool:
    try:
        with storages[alias].open(name) as file:
            return hashlib.sha256(file.read()).hexdigest() == digest
    except OSError:
        return False


# What is bound to a record by its id must be that record.
_BOUND = (ResourceKind.ENTITY, ResourceKind.PARTY, ResourceKind.SHARE_CLASS)


def _bound(kept: list[ServiceRecord], row: Delivery) -> Counter[str]:
    records = {
        ResourceKind.ENTITY: {one.id: one.properties for one in kept},
        ResourceKind.PARTY: {name: body for one in kept for name, body in one.parties.items()},
        ResourceKind.SHARE_CLASS: {name: body for one in kept for name, body in one.share_classes.items()},
    }[row.resource_kind]
    return Counter([text(records[row.remote_id])] if row.remote_id in records else [])
