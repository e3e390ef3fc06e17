"""List the calls that an application would make at the formation service, with their bodies, without making any."""

import json
from collections.abc import Iterator, Mapping
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
# A placeholder for the id that the service would assign.
_ENTITY_ID = "{entity_id}"


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call: method and path, the name of its subject, and its body as text."""

    path: str
    about: str
    body: str
    is_multipart: bool = False

    method = "POST"


def planned_calls(draft: Draft) -> tuple[PlannedCall, ...]:
    """Return all calls that would send the application, in the order of sending. Makes no query."""
    resources = sorted(desired_state(draft), key=lambda resource: (resource.kind.order, resource.position))
    sendable = frozenset(resource.name for resource in resources if resource.payload is not None)
    ids = {resource.name: _placeholder(resource.name) for resource in resources}
    labels = _labels(draft)
    calls = []
    for resource in resources:
        if resource.payload is None or (resource.kind.is_csp and not resource.payload["answers"]):
            continue
        payload = resolve_references(without_unsendable(resource.payload, sendable), ids)
        if resource.kind is ResourceKind.SHAREHOLDING:
            about = _subject_words(resource, labels)
        else:
            about = labels.get(resource.subject.partition("/")[0], "")
        calls.append(_call(resource, payload, about))
    if not draft.needs:
        calls.append(PlannedCall(f"/entities/{_ENTITY_ID}/submit", "Once the customer submits", "{}"))
    return tuple(calls)


def not_yet_sendable(draft: Draft) -> tuple[str, ...]:
    """Name the resources that lack an answer without which the service refuses them."""
    labels = _labels(draft)
    return tuple(_subject_words(resource, labels) for resource in desired_state(draft) if resource.payload is None)


def _subject_words(resource: DesiredResource, labels: Mapping[str, str]) -> str:
    return " in ".join(labels[token] for token in resource.subject.split("/"))


def _labels(draft: Draft) -> dict[str, str]:
    """Return the names of parties and share classes, by token."""
    return {row.token: row.label for row in draft.parties} | {row.token: row.label for row in draft.share_classes}


def _call(resource: DesiredResource, payload: Payload, about: str) -> PlannedCall:
    kind = resource.kind
    if kind is ResourceKind.ENTITY:
        return PlannedCall("/entities", "The application itself", _as_text(full_body(kind, payload)))
    path = f"/entities/{_ENTITY_ID}/{_PATHS[kind]}"
    if kind is ResourceKind.DOCUMENT:
        return PlannedCall(path, about, "\n".join(_parts(payload)), is_multipart=True)
    body: dict[str, Any] = full_body(kind, payload)
    if kind.is_csp:
        body = {"csp_form_schema_id": payload["schema_id"], "csp_data": body}
    if kind is ResourceKind.PARTY_CSP:
        body |= {"scope": "party", "party_id": _placeholder((ResourceKind.PARTY, resource.subject))}
    if kind is ResourceKind.SHARE_CLASS_CSP:
        share_class_id = _placeholder((ResourceKind.SHARE_CLASS, resource.subject))
        body |= {"scope": "share_class", "share_class_id": share_class_id}
    return PlannedCall(path, about or "The entity", _as_text(body))


def _parts(payload: Payload) -> Iterator[str]:
    """Yield the parts of a multipart body, a line each."""
    yield f"document_key: {payload['document_key']}"
    if "party" in payload:
        yield "scope: party"
        yield f"party_id: {payload['party']}"
    yield f"file: {payload['name']} ({payload['mime_type']})"


def _placeholder(name: ResourceName) -> str:
    """Return a placeholder for the id of a resource that the service doesn't have."""
    kind, subject = name
    return f"{{id of {subject}}}" if subject else f"{{{kind.value}_id}}"


def _as_text(body: Any) -> str:
    return json.dumps(body, indent=2, ensure_ascii=False)
