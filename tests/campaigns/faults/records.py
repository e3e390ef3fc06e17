"""What an application wants at the service, and what a service has kept of it, thing by thing.

The first is read from the answers by the contract's own functions, not by the relay's, so that no fault of the relay
can hide itself; the second has one shape for every make of service.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.applications.parties import PartyRow
from formation_portal.relay.models import ResourceKind, ResourceName, shareholding_subject
from tests import payloads

Json = dict[str, Any]


def expected_records(draft: Draft) -> Iterator[tuple[ResourceName, str]]:
    """Everything that should be at the service, with its values as a text; parties and classes by their tokens."""
    form_state = draft.form_state
    yield (ResourceKind.ENTITY, ""), text(payloads.entity_properties(form_state))
    yield (ResourceKind.ENTITY_CSP, ""), text(payloads.csp_data(form_state))
    for row in draft.share_classes:
        properties = {"par_value": 0} | payloads.properties(form_state, row.record)
        yield (ResourceKind.SHARE_CLASS, row.token), text(properties)
        yield (ResourceKind.SHARE_CLASS_CSP, row.token), text([row.token, payloads.csp_data(form_state, row.record)])
    for party in draft.parties:
        yield (ResourceKind.PARTY, party.token), text(payloads.party_body(form_state, party.record))
        yield (ResourceKind.PARTY_CSP, party.token), text([party.token, payloads.csp_data(form_state, party.record)])
        yield from _documents(draft, party)
    yield from _documents(draft, None)
    for (party_token, class_token), holding in draft.holdings.items():
        name = (ResourceKind.SHAREHOLDING, shareholding_subject(party_token, class_token))
        yield name, text([party_token, class_token, holding.shares])
    if not draft.application.is_open:
        yield (ResourceKind.SUBMISSION, ""), draft.application.state


def _documents(draft: Draft, party: PartyRow | None) -> Iterator[tuple[ResourceName, str]]:
    token = party.token if party else None
    for slot, document in draft.documents_of(party).items():
        yield (ResourceKind.DOCUMENT, document_subject(token, slot)), text([token or "", slot, document.sha256])


def text(value: Any) -> str:
    """Return the same for the same values, whatever their order. 1 and 1.0 are one number."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """What a service has kept of one entity, exactly as it lies there. Lists hold doubles, so that they are counted."""

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


def things_there(kept: list[ServiceRecord], tokens: dict[str, str]) -> dict[ResourceKind, Counter[str]]:
    """What the service has, by kind. What has an id that nothing here is bound to keeps that id."""

    def local(remote_id: str) -> str:
        return tokens.get(remote_id, remote_id)

    def named(answers: dict[str, Any]) -> dict[str, Any]:
        """Answers that refer to a share class do so by its id."""
        return {name: local(value) if isinstance(value, str) else value for name, value in answers.items()}

    csp = [(local(holder), named(data)) for one in kept for holder, data in one.csp_data.items() if holder]
    holder_kinds = (ResourceKind.PARTY_CSP, ResourceKind.SHARE_CLASS_CSP)
    found = {
        ResourceKind.ENTITY: (one.properties for one in kept),
        ResourceKind.ENTITY_CSP: (named(one.csp_data[""]) for one in kept),
        ResourceKind.SHARE_CLASS: (body for one in kept for body in one.share_classes.values()),
        ResourceKind.PARTY: (body for one in kept for body in one.parties.values()),
        ResourceKind.DOCUMENT: ([local(party), *more] for one in kept for party, *more in one.documents),
        ResourceKind.SHAREHOLDING: ([local(a), local(b), held] for one in kept for a, b, held in one.shareholdings),
        **{kind: ([holder, data] for holder, data in csp) for kind in holder_kinds},
    }
    counted = {kind: Counter(map(text, some)) for kind, some in found.items()}
    counted[ResourceKind.SUBMISSION] = Counter(one.status for one in kept)
    return counted
