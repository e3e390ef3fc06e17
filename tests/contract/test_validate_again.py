"""Answers that are validated after a change are what they are where all are validated anew."""

from datetime import date
from typing import Any

from formation_portal.contract.record import validate, validate_after
from formation_portal.contract.schema import FormSchema
from tests.bench.forms import product

TODAY = date(2026, 1, 1)


def test_only_what_has_changed_is_read_again_and_the_rest_is_taken_over() -> None:
    schema = FormSchema.model_validate(product(20)["schema"])
    fields, named = schema.entity_fields, schema.entity_fields_by_name
    names = [spec.name for spec in fields]
    raw: dict[str, Any] = {names[0]: "Kite", names[1]: "true", names[6]: "12x", names[3]: "Text", names[7]: " "}
    first = validate(fields, raw)
    assert first.problems
    for changed in (
        {names[0]: "Kestrel"},
        {names[6]: "12"},
        {names[1]: "perhaps"},
        {names[3]: ""},
        {names[7]: "Words"},
        {names[9]: "+41446681800"},
    ):
        now = {**raw, **changed}
        assert validate_after((raw, first), named, now) == validate(fields, now)
    left = {name: value for name, value in raw.items() if name != names[6]}
    assert validate_after((raw, first), named, left) == validate(fields, left)


def test_of_two_questions_that_share_an_answer_the_first_reads_it() -> None:
    shared = {"label": "Started", "csp_field_key": "bench.shared"}
    fields = [
        {"key": "as_date", "field_type": "date", **shared},
        {"key": "as_text", "field_type": "text", **shared},
    ]
    schema = FormSchema.model_validate({"sections": [{"scope": "entity", "title": "Questions", "fields": fields}]})
    before: dict[str, Any] = {"bench.shared": {"day": "1", "month": "2", "year": "2020"}}
    first = validate(schema.entity_fields, before)
    now = {"bench.shared": {"day": "3", "month": "2", "year": "2020"}}
    again = validate_after((before, first), schema.entity_fields_by_name, now)
    assert again == validate(schema.entity_fields, now)
    assert again.values == {"bench.shared": date(2020, 2, 3)}
