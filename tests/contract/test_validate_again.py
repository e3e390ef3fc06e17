"""Answers that are validated after a change are what they are where all are validated anew."""

from datetime import date
from typing import Any

from formation_portal.contract.record import validate
from formation_portal.contract.schema import FormSchema
from tests.bench.forms import product

TODAY = date(2026, 1, 1)


def test_only_what_has_changed_is_read_again_and_the_rest_is_taken_over() -> None:
    fields = FormSchema.model_validate(product(20)["schema"]).entity_fields
    names = [spec.name for spec in fields]
    raw: dict[str, Any] = {names[0]: "Kite", names[1]: "true", names[6]: "12x", names[3]: "Text", names[7]: " "}
    first = validate(fields, raw, today=TODAY)
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
        assert validate(fields, now, today=TODAY, before=(raw, first)) == validate(fields, now, today=TODAY)
    left = {name: value for name, value in raw.items() if name != names[6]}
    assert validate(fields, left, today=TODAY, before=(raw, first)) == validate(fields, left, today=TODAY)
