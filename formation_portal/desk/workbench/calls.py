"""List the calls to the formation service that would send an application, with their bodies. Makes no call."""

import json
from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.gateway.records import Record, with_placeholder
from formation_portal.relay.calls.bodies import full_body
from formation_portal.relay.models import Payload, ResourceKind, ResourceName, resolve_references
from formation_portal.relay.sync import DesiredResource, desired_state, without_unsendable

# URL paths below an entity, by kind (INTERFACE.md, "Where answers go"); others are csp-data.
_PATHS = {
    ResourceKind.SHARE_CLASS: "share-classes",
    ResourceKind.PARTY: "parties",
    ResourceKind.DOCUMENT: "documents",
    ResourceKind.SHAREHOLDING: "shareholdings",
}
# A placeholder for the id that the service would assign.
_ENTITY_ID = "{entity_id}"


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A POST: its path, the name of the party, class or step that it is about, and its body as text."""

    path: str
    about: str
    body: str
    is_multipart: bool = False


def planned_calls(draft: Draft) -> tuple[list[PlannedCall], list[str]]:
    """Return the calls that would send the application, in order, and the names of the parties and classes that
    cannot be sent, since they still lack an answer."""
    resources = sorted(desired_state(draft), key=lambda resource: (resource.kind.order, resource.position))
    sendable = frozenset(resource.name for resource in resources if resource.payload is not None)
    ids = {resource.name: _placeholder(resource.name) for resource in resources}
    labels = {row.token: row.label for row in draft.parties} | {row.token: row.label for row in draft.share_classes}
    calls = []
    waiting = []
    for resource in resources:
        about = " in ".join(labels[part] for part in resource.subject.split("/") if part in labels)
        if resource.payload is None:
            waiting.append(about)
        elif not resource.kind.is_csp or resource.payload["answers"]:
            payload = resolve_references(without_unsendable(resource.payload, sendable), ids)
            calls.append(_call(resource, payload, about or "The entity"))
    if not draft.needs:
        calls.append(PlannedCall(f"/entities/{_ENTITY_ID}/submit", "Once the customer submits", "{}"))
    return calls, waiting


def _call(resource: DesiredResource, payload: Payload, about: str) -> PlannedCall:
    kind = resource.kind
    path = "/entities"
    if kind is ResourceKind.ENTITY:
        about = "The application itself"
    else:
        path += f"/{_ENTITY_ID}/{_PATHS.get(kind, 'csp-data')}"
    if kind is ResourceKind.DOCUMENT:
        parts = [f"document_key: {payload['document_key']}"]
        if "party" in payload:
            parts += ["scope: party", f"party_id: {payload['party']}"]
        parts.append(f"file: {payload['name']} ({payload['mime_type']})")
        return PlannedCall(path, about, "\n".join(parts), is_multipart=True)
    body: Record = full_body(kind, payload)
    if kind is ResourceKind.PARTY:
        body = with_placeholder(body)
    if kind.is_csp:
        body = {"csp_form_schema_id": payload["schema_id"], "csp_data": body}
    if kind is ResourceKind.PARTY_CSP:
        body |= {"scope": "party", "party_id": _placeholder((ResourceKind.PARTY, resource.subject))}
    if kind is ResourceKind.SHARE_CLASS_CSP:
        share_class_id = _placeholder((ResourceKind.SHARE_CLASS, resource.subject))
        body |= {"scope": "share_class", "share_class_id": share_class_id}
    return PlannedCall(path, about, json.dumps(body, indent=2, ensure_ascii=False))


def _placeholder(name: ResourceName) -> str:
    kind, subject = name
    if subject:
        return f"{{id of {subject}}}"
    return f"{{{kind.value}_id}}"
