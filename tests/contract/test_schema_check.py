"""What a schema may get wrong, and what follows (INTERFACE.md, "Faults in a schema")."""

from typing import Any

import pytest

from formation_portal.contract.catalog import BrokenItem, CatalogItem, parse_catalog
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Record
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.schema_check import check_schema
from tests.contract.builders import entity, form, person, question, record, role

FINE = entity(question("a"))
LIKE = {"field": "a", "operator": "like", "value": 1}
NOBODY = {"field": "q", "value": 1, "minimum": 1}


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        (form(FINE, id=""), "no_id"),
        (form(), "no_sections"),
        (FormSchema.model_validate({"id": "1", "sections": [7, None]}), "no_sections"),
        (form(entity(question("a"), question("a"))), "repeated_key"),
        (form(entity(question("a", depends_on={"field": "a", "value": 1}))), "circle"),
        (form(entity(question("a"), depends_on={"field": "a", "value": 1})), "circle"),
    ],
)
def test_a_fault_makes_the_product_unavailable(schema: FormSchema, code: str) -> None:
    report = check_schema(schema)
    assert [finding.code for finding in report.faults] == [code]


@pytest.mark.parametrize(
    ("schema", "code"),
    [
(form(FINE, entity(question("b", depends_on={"field": "zz", "value": 1}), title="B")), "rule_names_no_field"),
(form(entity(question("a"), question("b", depends_on=LIKE))), "unknown_operator"),
(form(entity(question("a", "hologram"))), "unknown_type"),
(form(FINE, {"scope": "galaxy", "title": "G"}), "unknown_scope"),
(form(FINE, entity(title="Empty")), "empty_section"),
(form(entity(question("a", "select"))), "not_answerable"),
(form(entity(question("a", "multi_select", options=["A"], exclusive_options=["B"]))), "exclusive_options"),
(form(entity(question("a", "select", options=["A"], exclusive_options=["A"]))), "exclusive_options"),
(form(FINE, role("director", minimum=-1)), "bad_minimum"),
(form(FINE, role("director", conditional_min={"field": "a", "value": 1, "minimum": 1.5})), "bad_minimum"),
(form(FINE, role("director", conditional_min=NOBODY)), "minimum_names_no_field"),
],
)  # fmt: skip
def test_a_warning_leaves_the_product_usable(schema: FormSchema, code: str) -> None:
    report = check_schema(schema)
    assert not report.faults
    assert [finding.code for finding in report.warnings] == [code]


def test_a_role_that_the_interface_does_not_name_is_noted() -> None:
    report = check_schema(form(FINE, role("wizard"), role("director"), role("manager"), role("officer")))
    assert not report.faults
    assert report.warnings == ()
    [note] = report.notes
    assert note.code == "unknown_role"
    assert "the role “wizard”, which the interface doesn't name" in note.message


@pytest.mark.parametrize("field_type", ["select", "share_class_ref"])
def test_what_cannot_be_answered_is_not_required(field_type: str) -> None:
    schema = form(entity(question("a", field_type, required=True)))
    assert needs(schema, Record()) == ()


def test_a_circle_is_named_member_by_member_and_rules_a_hundred_and_one_deep_are_refused() -> None:
    ring = [
        question(key, depends_on={"field": after, "value": 1}) for key, after in (("a", "b"), ("b", "c"), ("c", "a"))
    ]
    (fault,) = check_schema(form(entity(*ring[1:]), entity(ring[0], title="Other"))).faults
    members = "entity / entity / b → entity / entity / c → other / entity / a → entity / entity / b"
    assert fault.message == f"The rules form a circle: {members}"

    def chain(length: int) -> FormSchema:
        fields = [question("q0", "boolean")]
        fields += [
            question(f"q{n}", "boolean", depends_on={"field": f"q{n - 1}", "value": True}) for n in range(1, length)
        ]
        return form(entity(*reversed(fields)))

    deep = chain(50)
    assert not check_schema(deep).faults
    full = record(deep, **{f"q{n}": True for n in range(50)})
    assert needs(deep, full) == ()
    assert [fault.code for fault in check_schema(chain(150)).faults] == ["too_deep"]


def test_one_broken_item_does_not_take_the_catalog_with_it() -> None:
    fine: dict[str, Any] = {"jurisdiction_product_id": "1", "schema": {"id": "1", "sections": [FINE]}}
    broken = {"jurisdiction_product_id": "2", "product": {"name": "Odd"}, "schema": {"sections": [{"fields": [{}]}]}}
    items = parse_catalog([fine, broken, "nonsense", {**fine, "schema": None}])
    assert isinstance(items[0], CatalogItem)
    assert isinstance(items[1], BrokenItem)
    assert items[1].name == "Odd"
    assert isinstance(items[2], BrokenItem)
    assert isinstance(items[3], CatalogItem)
    assert check_schema(items[3].form).faults


def test_section_keys_are_unique_and_fit_for_an_address() -> None:
    schema = form(
        *(entity(question("a"), title=title) for title in ("Ñame & Co", "Name Co", "Name Co 2", "Name Co", "<b>", "株"))
    )
    keys = [section.key for section in schema.sections]
    assert len(set(keys)) == len(keys)
    assert all(key.replace("-", "").isalnum() and key.isascii() for key in keys)


def test_a_persons_names_and_mail_are_asked_even_where_not_listed() -> None:
    schema = form(role("director", question("first_name", canonical_field="person.first_name")))
    ada = person(schema, "director")
    assert [spec.name for spec in schema.fields_of("person", ada.roles)] == [
        "person.last_name",
        "person.email",
        "person.first_name",
    ]


def test_from_outside_a_role_a_rule_means_the_best_of_the_fields_of_its_name_alone() -> None:
    # Only what the wizard's says of x would close the circle.
    schema = form(
        entity(question("a", depends_on={"field": "x", "value": "yes"})),
        role("director", question("x")),
        role("wizard", question("x", depends_on={"field": "a", "value": "yes"})),
    )
    assert "circle" not in [finding.code for finding in check_schema(schema).faults]
