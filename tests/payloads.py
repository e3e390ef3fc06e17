"""What should be at the service, from the answers alone: a second opinion on the bodies that the relay makes."""

from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.record import Holder, Party, ShareClass
from formation_portal.contract.rules import FormState


def csp_data(form_state: FormState, holder: Holder = None) -> dict[str, Any]:
    """The answers to the provider's own questions, by their keys."""
    answers = form_state.active_answers(holder)
    return {spec.name: spec.payload(value) for spec, value in answers if not spec.canonical_field}


def entity_properties(form_state: FormState) -> dict[str, Any]:
    """The canonical answers about the entity: `entity.x` is x, another prefix an object of that name."""
    properties: dict[str, Any] = {}
    for spec, value in form_state.active_answers():
        if spec.canonical_field:
            *outer, last = canonical.path_of(spec.canonical_field)
            inner = properties
            for step in outer:
                # Where a schema uses one word as a property and as a prefix, the object takes its place.
                if not isinstance(inner.get(step), dict):
                    inner[step] = {}
                inner = inner[step]
            inner[last] = spec.payload(value)
    return properties


def properties(form_state: FormState, holder: Party | ShareClass) -> dict[str, Any]:
    """The canonical answers of a party or class, by the last part of the name."""
    answers = form_state.active_answers(holder)
    return {
        canonical.property_of(spec.canonical_field): spec.payload(value)
        for spec, value in answers
        if spec.canonical_field
    }


def party_body(form_state: FormState, party: Party) -> dict[str, Any]:
    roles = list(form_state.active_roles(party))
    return {"party_type": party.kind, "roles": roles, **properties(form_state, party)}
