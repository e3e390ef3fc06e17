"""The calls that an application would make at the formation service, with their bodies; none of them is made."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.relay.calls.bodies import full_body
from formation_portal.relay.models import Payload, ResourceKind, ResourceName, resolve_references
from formation_portal.relay.payload_answers import without_unsendable
from formation_portal.relay.sync import DesiredResource, desired_state

# Below an entity, by kind (interface, "Endpoints").
_PATHS = {
    ResourceKind.ENTITY_CSP: "csp-data",
    ResourceKind.SHARE_CLASS: "share-classes",
    ResourceKind.SHARE_CLASS_CSP: "csp-data",
    ResourceKind.PARTY: "parties",
    ResourceKind.PARTY_CSP: "csp-data",
    ResourceKind.DOCUMENT: "documents",
    ResourceKind.SHAREHOLDING: "shareholdings",
}
# Stands for an id that the service would have given.
_ENTITY_ID = "{entity_id}"


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call: method and path, what it is about, and its body as text."""

    path: str
    about: str
    body: str
    is_multipart: bool = False

    method = "POST"


def planned_calls(draft: Draft) -> tuple[PlannedCall, ...]:
    """Every call that would bring the application to the service, in the order of sending. No query."""
    wanted = sorted(desired_state(draft), key=lambda one: (one.kind.order, one.position))
    sendable = frozenset(one.name for one in wanted if one.payload is not None)
    ids = {one.name: _placeholder(one.name) for one in wanted}
    labels = _labels(draft)
    calls = []
    for one in wanted:
        if one.payload is None or (one.kind.is_csp and not one.payload["answers"]):
            continue
        payload = resolve_references(without_unsendable(one.payload, sendable), ids)
        if one.kind is ResourceKind.SHAREHOLDING:
            held = [labels[token] for token in one.subject.split("/")]
            about = " in ".join(held)
        else:
            about = labels.get(one.subject.partition("/")[0], "")
        calls.append(_call(one, payload, about))
    if not draft.needs:
        calls.append(PlannedCall(f"/entities/{_ENTITY_ID}/submit", "Once the customer submits", "{}"))
    return tuple(calls)


def not_yet_sendable(draft: Draft) -> tuple[str, ...]:
    """Whoever and whatever waits for an answer without which the service takes nothing of it."""
    labels = _labels(draft)
    waiting = (one for one in desired_state(draft) if one.payload is None)
    return tuple(" in ".join(labels[token] for token in one.subject.split("/")) for one in waiting)


def _labels(draft: Draft) -> dict[str, str]:
    """What parties and classes of shares are called, by token."""
    return {row.token: row.label for row in draft.parties} | {row.token: row.label for row in draft.share_classes}


def _call(one: DesiredResource, payload: Payload, about: str) -> PlannedCall:
    if one.kind is ResourceKind.ENTITY:
        return PlannedCall("/entities", "The application itself", _as_text(full_body(one.kind, payload)))
    path = f"/entities/{_ENTITY_ID}/{_PATHS[one.kind]}"
    if one.kind is ResourceKind.DOCUMENT:
        return PlannedCall(path, about, "\n".join(_parts(payload)), is_multipart=True)
    body: dict[str, Any] = full_body(one.kind, payload)
    if one.kind.is_csp:
        body = {"csp_form_schema_id": payload["schema_id"], "csp_data": body, **_scope(one)}
    return PlannedCall(path, about or "The entity", _as_text(body))


def _scope(one: DesiredResource) -> dict[str, str]:
    """Whose answers they are, where they aren't the entity's."""
    if one.kind is ResourceKind.PARTY_CSP:
        return {"scope": "party", "party_id": _placeholder((ResourceKind.PARTY, one.subject))}
    if one.kind is ResourceKind.SHARE_CLASS_CSP:
        name = (ResourceKind.SHARE_CLASS, one.subject)
        return {"scope": "share_class", "share_class_id": _placeholder(name)}
    return {}


def _parts(payload: Payload) -> Iterator[str]:
    """The parts of a multipart body, a line each."""
    yield f"document_key: {payload['document_key']}"
    if "party" in payload:
        yield "scope: party"
        yield f"party_id: {payload['party']}"
    yield f"file: {payload['name']} ({payload['mime_type']})"


def _placeholder(name: ResourceName) -> str:
    """Stands for the id of a thing that the service doesn't have."""
    kind, subject = name
    return f"{{id of {subject}}}" if subject else f"{{{kind.value}_id}}"


def _as_text(body: Any) -> str:
    return json.dumps(body, indent=2, ensure_ascii=False)
