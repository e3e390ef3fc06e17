"""What must hold for every schema and every record, whatever they say."""

import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.canonical import raw_answers
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Holder, Party, Record, ShareClass, validate
from formation_portal.contract.rules import FormState, evaluate
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.schema_check import check_schema
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

    def sent(body: Any) -> Any:
        return json.loads(json.dumps(body))

    entity = raw_answers(
        schema.entity_fields,
        sent(payloads.entity_properties(form_state)),
        sent(payloads.csp_data(form_state)),
        of_entity=True,
    )
    parties = []
    for party in form_state.record.parties:
        fields = schema.fields_of(party.kind, party.roles)
        raw = raw_answers(
            fields, sent(payloads.party_body(form_state, party)), sent(payloads.csp_data(form_state, party))
        )
        parties.append(Party(party.id, party.kind, party.roles, validate(fields, raw), party.label))
    classes = []
    for one in form_state.record.share_classes:
        raw = raw_answers(
            schema.share_class_fields,
            sent(payloads.properties(form_state, one)),
            sent(payloads.csp_data(form_state, one)),
        )
        classes.append(ShareClass(one.id, validate(schema.share_class_fields, raw), one.label))
    record = form_state.record
    return Record(
        validate(schema.entity_fields, entity),
        tuple(parties),
        tuple(classes),
        record.holdings,
        record.documents,
    )


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


@given(schemas(), st.integers(2, 8), st.randoms(use_true_random=False))
def test_a_circle_is_always_found_and_named(document: dict[str, Any], length: int, chance: random.Random) -> None:
    ring = [f"ring-{number}" for number in range(length)]
    fields = [
        {"key": key, "label": key, "depends_on": {"field": ring[(index + 1) % length], "value": "x"}}
        for index, key in enumerate(ring)
    ]
    chance.shuffle(fields)
    half = len(fields) // 2
    extra = [
        {"scope": "entity", "title": "Ring one", "fields": fields[:half]},
        {"scope": "entity", "title": "Ring two", "fields": fields[half:]},
    ]
    sections = [*document["sections"], *extra]
    chance.shuffle(sections)
    schema = FormSchema.model_validate({**document, "sections": sections})
    (fault,) = check_schema(schema).faults
    assert fault.code == "circle"
    assert all(key in fault.message for key in ring)


@given(applications())
def test_what_is_needed_is_never_parked(application: Any) -> None:
    _, schema, record = application
    form_state = evaluate(schema, record)
    for need in needs(schema, record):
        if need.code in ("required", "document", "minimum"):
            section = schema.section(need.section)
            assert section is not None
            assert form_state.section_activation(section).active
