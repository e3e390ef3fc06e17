"""What the service of another make recorded, to compare with what was answered."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from tests.journeys.end_to_end.expected_record import Holder, Json
from tests.journeys.end_to_end.service_record import ServiceRecord
from tests.other_service.service import Entity

_CALL_KEYS = ("jurisdiction_product_id", "client_reference", "party_type", "roles")


def read_other_service_record(entity: Entity) -> ServiceRecord:
    """Everything of the entity exactly as it was sent; parties and classes go by their names."""
    names = {class_id: ("share class", body["name"]) for class_id, body in entity.share_classes.items()}
    # This service has no call that submits an application.
    found = ServiceRecord("", _holder(entity.created, entity.csp_data, names))
    parties, classes = {}, {}
    for party_id, body in entity.parties.items():
        party = parties[party_id] = _holder(body, entity.party_csp_data.get(party_id, {}), names)
        party.kind, party.roles = body["party_type"], set(body["roles"])
    for class_id, body in entity.share_classes.items():
        classes[class_id] = _holder(body, entity.share_class_csp_data.get(class_id, {}), names)
    for holding in entity.shareholdings:
        pair = parties[holding["party_id"]].name, classes[holding["share_class_id"]].name
        assert pair not in found.holdings, "one shareholding came twice"
        found.holdings[pair] = holding["shares_held"]
    for form, (_, _, content) in entity.documents:
        holder = parties[form["party_id"]] if form.get("scope") == "party" else found.entity
        assert form["document_key"] not in holder.documents, "one document came twice"
        holder.documents[form["document_key"]] = sha256(content).hexdigest()
    found.parties = {party.name: party for party in parties.values()}
    found.classes = {share_class.name: share_class for share_class in classes.values()}
    assert len(found.parties) == len(parties), "one party came twice"
    assert len(found.classes) == len(classes), "one class came twice"
    return found


def _holder(body: Json, csp: Json, names: Mapping[str, Any]) -> Holder:
    properties = {name: value for name, value in body.items() if name not in _CALL_KEYS}
    return Holder(properties=_named(properties, names), csp=_named(csp, names))


def _named(answers: Json, names: Mapping[str, Any]) -> Json:
    """The answers, with the name of a class where its id stands."""
    return {name: names.get(value, value) if isinstance(value, str) else value for name, value in answers.items()}
