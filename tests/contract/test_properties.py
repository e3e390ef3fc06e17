"""What must hold for every schema and every record, whatever they say."""

import json
import random
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.canonical import raw_answers
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Holder, Record, validate
from formation_portal.contract.rules import FormState, evaluate
from formation_portal.contract.schema import FormSchema
from tests import payloads
from tests.strategies import records, schemas


@st.composite
def applications(draw: st.DrawFn) -> tuple[dict[str, Any], FormSchema, Record]:
    document = draw(schemas())
    schema = FormSchema.model_validate(document)
    return document, schema, draw(records(schema))


def activations(form_state: FormState) -> dict[Any, Any]:
    """Every verdict that can be asked for, by names that don't depend on the order."""
    schema, record = form_state.schema, form_state.record
    found: dict[Any, Any] = {}
    for section in schema.sections:
        found[section.title] = (form_state.section_activation(section), form_state.minimum_of(section))
        holders: list[Holder] = [None] if section.is_entity else []
        holders += [party for party in record.parties if section.role in party.roles]
        holders += list(record.share_classes) if section.is_share_structure else []
        for holder in holders:
            for question in form_state.questions(section, holder):
                key = (section.title, question.spec.name, holder.id if holder else None)
                found[key] = (question.activation, question.required)
    return found


@given(applications(), st.integers())
def test_the_order_of_sections_does_not_matter(application: Any, seed: int) -> None:
    document, schema, record = application
    sections = list(document["sections"])
    random.Random(seed).shuffle(sections)
    shuffled = FormSchema.model_validate({**document, "sections": sections})
    assert activations(evaluate(schema, record)) == activations(evaluate(shuffled, record))


def at_the_service(schema: FormSchema, form_state: FormState) -> Record:
    """The record as the service reads it back from what was sent."""

    def read(fields: Any, properties: Any, *holder: Any) -> Any:
        sent = (json.loads(json.dumps(body)) for body in (properties, payloads.csp_data(form_state, *holder)))
        return validate(fields, raw_answers(fields, *sent, of_entity=not holder))

    record = form_state.record
    parties = []
    for party in record.parties:
        answers = read(schema.fields_of(party.kind, party.roles), payloads.party_body(form_state, party), party)
        parties.append(replace(party, answers=answers))
    classes = []
    for one in record.share_classes:
        answers = read(schema.share_class_fields, payloads.properties(form_state, one), one)
        classes.append(replace(one, answers=answers))
    answers = read(schema.entity_fields, payloads.entity_properties(form_state))
    return replace(record, answers=answers, parties=tuple(parties), share_classes=tuple(classes))


@given(applications())
def test_what_the_portal_accepts_the_service_accepts(application: Any) -> None:
    _, schema, record = application
    form_state = evaluate(schema, record)
    theirs = at_the_service(schema, form_state)
    ours = [need for need in needs(schema, record) if need.code != "unreadable"]
    missing = [need for need in needs(schema, theirs) if need.code != "unreadable"]
    # What could not be read here was not sent, so that there it is missing; everything else is judged alike.
    unreadable = {
        (need.party_id, need.share_class_id, need.field) for need in needs(schema, record) if need.code == "unreadable"
    }
    rest = [need for need in missing if (need.party_id, need.share_class_id, need.field) not in unreadable]
    assert rest == ours


@given(applications())
def test_what_is_needed_is_never_parked(application: Any) -> None:
    _, schema, record = application
    form_state = evaluate(schema, record)
    for need in needs(schema, record):
        if need.code in ("required", "document", "minimum"):
            section = schema.section(need.section)
            assert section is not None
            assert form_state.section_activation(section).active
