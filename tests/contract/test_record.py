"""Answers as they are validated."""

from datetime import date

from formation_portal.contract.record import validate

from .builders import entity, form, question


def test_of_two_questions_that_share_an_answer_the_first_reads_it() -> None:
    schema = form(
        entity(
            question("as_date", "date", csp_field_key="bench.shared"),
            question("as_text", "text", csp_field_key="bench.shared"),
        )
    )
    answers = validate(schema.entity_fields, {"bench.shared": {"day": "3", "month": "2", "year": "2020"}})
    assert answers.values == {"bench.shared": date(2020, 2, 3)}
    assert answers.problems == {}
