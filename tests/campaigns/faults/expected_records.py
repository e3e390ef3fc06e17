"""What an application wants at the service, thing by thing.

It is read from the answers by the contract's own functions, not by the relay's, so that no fault of the relay can hide
itself.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.relay.models import ResourceKind, ResourceName, shareholding_subject
from tests import payloads


@dataclass(frozen=True, slots=True)
class ExpectedRecord:
    """One thing that should be at the service, with its values as a text; parties and classes by their tokens."""

    name: ResourceName
    value: str


def expected_records(draft: Draft) -> Iterator[ExpectedRecord]:
    """Everything that should be at the service."""
    form_state = draft.form_state
    yield ExpectedRecord((ResourceKind.ENTITY, ""), text(payloads.entity_properties(form_state)))
    yield ExpectedRecord((ResourceKind.ENTITY_CSP, ""), text(payloads.csp_data(form_state)))
    for share_class in draft.share_classes:
        yield from _of_share_class(draft, share_class)
    for party in draft.parties:
        yield from _of_party(draft, party)
    yield from _documents(draft, None)
    for (party_token, class_token), holding in draft.holdings.items():
        name = (ResourceKind.SHAREHOLDING, shareholding_subject(party_token, class_token))
        yield ExpectedRecord(name, text([party_token, class_token, holding.shares]))
    if not draft.application.is_open:
        yield ExpectedRecord((ResourceKind.SUBMISSION, ""), draft.application.state)


def _of_share_class(draft: Draft, row: ShareClassRow) -> Iterator[ExpectedRecord]:
    yield ExpectedRecord(
        (ResourceKind.SHARE_CLASS, row.token),
        text({"par_value": 0} | payloads.properties(draft.form_state, row.record)),
    )
    yield ExpectedRecord(
        (ResourceKind.SHARE_CLASS_CSP, row.token), text([row.token, payloads.csp_data(draft.form_state, row.record)])
    )


def _of_party(draft: Draft, row: PartyRow) -> Iterator[ExpectedRecord]:
    yield ExpectedRecord((ResourceKind.PARTY, row.token), text(payloads.party_body(draft.form_state, row.record)))
    yield ExpectedRecord(
        (ResourceKind.PARTY_CSP, row.token), text([row.token, payloads.csp_data(draft.form_state, row.record)])
    )
    yield from _documents(draft, row)


def _documents(draft: Draft, row: PartyRow | None) -> Iterator[ExpectedRecord]:
    token = row.token if row else None
    for slot, document in draft.documents_of(row).items():
        yield ExpectedRecord(
            (ResourceKind.DOCUMENT, document_subject(token, slot)), text([token or "", slot, document.sha256])
        )


def text(value: Any) -> str:
    """The same for the same values, whatever their order. 1 and 1.0 are one number."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
