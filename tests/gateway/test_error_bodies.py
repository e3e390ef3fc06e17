"""Every shape of error answer is read: field, code and words, and nothing that could harm a page."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.gateway.error_bodies import read_error_body
from formation_portal.gateway.errors import ErrorBody, FieldProblem

PROBLEM = {
    "type": "https://example.test/problems/validation_failed",
    "title": "Validation failed",
    "status": 422,
    "detail": "Two answers are wrong",
    "code": "validation_failed",
    "errors": [
        {"pointer": "/csp_data/bvi.activity", "field": "bvi.activity", "code": "required", "detail": "Enter it"},
        {"pointer": "/csp_data/a~1b.c/currency", "code": "currency_not_allowed", "detail": "Choose another"},
    ],
    "request_id": "r-1",
}


def read(answer: Any) -> ErrorBody:
    return read_error_body(json.dumps(answer).encode(), content_type="application/json")


TAKEN, ODD = (FieldProblem("email", "invalid", text) for text in ("is taken", "is odd"))


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (
            PROBLEM,
            ErrorBody(
                "validation_failed",
                "Two answers are wrong",
                (
                    FieldProblem("bvi.activity", "required", "Enter it"),
                    FieldProblem("a/b.c", "currency_not_allowed", "Choose another"),
                ),
            ),
        ),
        ({"error": "Who are you?"}, ErrorBody(message="Who are you?")),
        ({"detail": "Not today"}, ErrorBody(message="Not today")),
        ({"errors": {"email": ["is taken", "is odd"]}}, ErrorBody(problems=(TAKEN, ODD))),
        (
            {"error": {"code": "bad_answers", "message": "Look again", "details": {"email": ["is taken"]}}},
            ErrorBody("bad_answers", "Look again", (TAKEN,)),
        ),
        (
            {"detail": [{"loc": ["body", "person", "email"], "msg": "is missing", "type": "missing"}]},
            ErrorBody(problems=(FieldProblem("person.email", "missing", "is missing"),)),
        ),
        # The field of the inner object goes before that of the outer.
        (
            {"field": "name", "error": {"field": "email", "message": "is taken"}},
            ErrorBody(message="is taken", problems=(TAKEN,)),
        ),
    ],
)
def test_the_usual_shapes_are_read_whole(answer: Any, body: ErrorBody) -> None:
    assert read(answer) == body


def test_a_requirement_keeps_its_place() -> None:
    error = {"code": "document", "detail": "Upload it", "section": "directors", "party_id": "pty_1", "slot": "Passport"}
    [objection] = read({"code": "requirements_not_met", "errors": [error]}).problems
    assert (objection.section, objection.party_id, objection.slot) == ("directors", "pty_1", "Passport")


def test_plain_text_is_the_message_and_a_page_of_mark_up_says_nothing() -> None:
    assert read_error_body(b"There is no such thing.\n", content_type="text/plain").message == "There is no such thing."
    for content_type in ("text/html", ""):
        assert read_error_body(b"<h1>Bad gateway</h1>", content_type=content_type) == ErrorBody()


SHORT = "Alternate name is too short"
SHAPES: dict[str, Any] = {
    "details with a field": {"error": {"code": "invalid", "message": SHORT, "details": {"field": "lagoon.alternate"}}},
    "details with a path": {"error": {"message": SHORT, "details": {"path": "csp_data.lagoon.alternate", "min": 3}}},
    "details with a pointer": {"error": {"message": SHORT, "details": {"pointer": "/csp_data/lagoon.alternate"}}},
    "an error with a param": {"error": {"type": "invalid", "message": SHORT, "param": "lagoon.alternate"}},
    "errors within csp_data": {"errors": {"csp_data": {"lagoon.alternate": [SHORT]}}},
    "errors by a path with dots": {"message": "Look again", "errors": {"csp_data.lagoon.alternate": [SHORT]}},
    "errors by a pointer": {"errors": {"/csp_data/lagoon.alternate": {"message": SHORT}}},
    "errors with a source": {
        "errors": [{"status": "422", "source": {"pointer": "/data/csp_data/lagoon.alternate"}, "detail": SHORT}]
    },
    "a detail by field": {"detail": {"csp_data": {"lagoon.alternate": [SHORT]}}},
    "violations": {"title": "Bad Request", "violations": [{"field": "lagoon.alternate", "description": SHORT}]},
    "invalid params": {"title": "Bad", "invalid-params": [{"name": "lagoon.alternate", "reason": SHORT}]},
    "field violations": {
        "error": {"message": "Bad", "details": [{"fieldViolations": [{"field": "lagoon.alternate", "message": SHORT}]}]}
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_shape_a_refusal_has_its_words_stand_at_its_field(shape: str) -> None:
    problems = read(SHAPES[shape]).problems
    assert [(problem.field, problem.message) for problem in problems] == [("lagoon.alternate", SHORT)]


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": SHORT, "details": {"min_length": 3, "retry": False}}},
        {"error": {"message": SHORT, "details": [7, None]}},
        {"error": "validation_failed", "message": SHORT},
        {"error": {"message": SHORT, "type": "VALIDATION_FAILED", "meta": {"seen": [1]}}},
        {"errors": [SHORT]},
        {"errors": {"__all__": [SHORT]}},
        {"errors": [{"code": "too_short", "message": SHORT, "value": "A b"}]},
    ],
)
def test_what_names_no_field_is_said_of_the_whole(answer: Any) -> None:
    complaint = read(answer)
    messages = [(one.field, one.message) for one in complaint.problems] or [("", complaint.message)]
    assert messages == [("", SHORT)]


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": "invalid", "details": {"field": "lagoon.alternate"}}},
        {"errors": {"lagoon.alternate": ["invalid_format"]}},
        {"error": "invalid_request", "details": {"pointer": "/csp_data/lagoon.alternate"}},
        {"errors": [{"field": "lagoon.alternate", "message": "errors.too_short"}]},
    ],
)
def test_a_name_is_never_taken_for_a_sentence(answer: Any) -> None:
    complaint = read(answer)
    assert [(one.field, one.message) for one in complaint.problems] == [("lagoon.alternate", "")]
    assert complaint.message == ""


def test_long_texts_and_long_lists_end_and_control_characters_become_spaces() -> None:
    found = read({"detail": "x" * 10_000, "errors": [{"field": "f", "detail": "y"}] * 1_000})
    assert len(found.message) == 500
    assert len(found.problems) == 200
    assert read({"error": "a" + "_-" * 200 + "!"}).message.startswith("a_-"), "without end, in no time"
    assert read({"detail": "one\x00two\u202ethree\nfour"}).message == "one two three four"


NAMES = st.sampled_from(["error", "errors", "detail", "details", "code", "field", "pointer", "loc", "source", "other"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["/csp_data", "#/a~1b", "/"])
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)


@given(JSON, st.binary())
def test_no_json_no_bytes_and_no_depth_break_the_reading(answer: Any, body: bytes) -> None:
    complaint = read(answer)
    complaint.message.encode()
    assert all(isinstance(objection.field, str) for objection in complaint.problems)
    read_error_body(body).message.encode()
    assert read_error_body(b"[" * 100_000) == ErrorBody(message=("[" * 500))


@pytest.mark.parametrize(("depth", "fields"), [(6, ["email"]), (60, [])])
def test_fields_are_read_some_levels_deep_and_not_for_ever(depth: int, fields: list[str]) -> None:
    details: Any = {"email": "is taken"}
    for _ in range(depth):
        details = {"data": details}
    problems = read({"errors": details}).problems
    assert [problem.field.rpartition(".")[2] for problem in problems] == fields


@pytest.mark.parametrize("named", [7, {"id": "7"}, "x" * 201, "ent_1\n", " ent_1", "ent\x00_1"])
def test_a_conflict_names_the_record_that_stands_by_what_can_be_an_id(named: Any) -> None:
    longest = "x" * 200
    assert read({"code": "conflict", "existing_id": longest}).existing_id == longest
    assert read({"error": {"code": "conflict", "existing_id": "ent_1"}}).existing_id == "ent_1"
    assert read({"existing_id": named}).existing_id == read({"error": {"existing_id": named}}).existing_id == ""


@pytest.mark.parametrize("code", [7, ["conflict"], "x" * 41, "Ada Lovelace is known already", "a\nb"])
def test_what_can_be_no_code_is_none(code: Any) -> None:
    assert read({"code": code}).code == read({"error": {"code": code}}).code == ""
