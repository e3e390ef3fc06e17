"""The columns come from the schema alone, and each can be told from every other by its heading in any language."""

import pytest
from django.utils import translation

from formation_portal.applications.imports.columns import columns, keys_by_heading, normalized_heading
from formation_portal.contract.schema import FormSchema
from tests import factories
from tests.contract.builders import form, question, role
from tests.embedded_catalog import catalog_items

SCHEMAS = {item["product"]["slug"]: FormSchema.model_validate(item["schema"]) for item in catalog_items()}


def test_the_kind_comes_first_then_the_roles_then_every_question() -> None:
    schema = FormSchema.model_validate(factories.SCHEMA)
    assert [column.marked for column in columns(schema)][:11] == [
        "Kind *",
        "Role: director",
        "Role: shareholder",
        "Role: manager",
        "First name *",
        "Last name *",
        "Name (Company) *",
        "E-mail address (Person) *",
        "Date of birth *",
        "Is pep *",
        "Pep office",
    ]


@pytest.mark.parametrize("slug", SCHEMAS)
def test_every_question_of_every_product_has_its_columns_and_no_two_are_headed_alike(slug: str) -> None:
    schema = SCHEMAS[slug]
    found = columns(schema)
    plain_heads = [normalized_heading(column.heading) for column in found]
    assert len(set(plain_heads)) == len(plain_heads)
    asked = {
        (spec.name, part)
        for section in schema.role_sections
        for kind, specs in section.groups.items()
        if section.allows(kind)
        for spec in specs
        for part in spec.cell_parts
    }
    assert {(column.name, column.part) for column in found if column.name} == asked


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_headings_are_known_whatever_language_they_were_written_in(language: str) -> None:
    schema = SCHEMAS["caymans-foundation-company"]
    known = keys_by_heading(schema)
    with translation.override(language):
        found = columns(schema)
    assert [known[normalized_heading(column.marked)] for column in found] == [column.key for column in found]


def test_what_the_agent_gives_or_nobody_can_answer_has_no_column() -> None:
    hidden = (
        question("given", "address", provided_by_agent=True),
        question("nothing", "select"),
        question("class", "share_class_ref"),
    )
    shown = [column.heading for column in columns(form(role("director", *hidden)))]
    assert shown[2:] == ["First name", "Last name", "E-mail address"]


def test_only_what_is_needed_without_a_condition_is_marked() -> None:
    sometimes = question("sometimes", required=True, depends_on={"field": "always", "value": "x"})
    schema = form(role("director", question("always", required=True), sometimes, question("never")))
    marked = {column.heading: column.marked.endswith("*") for column in columns(schema)}
    assert [marked[name] for name in ("always", "sometimes", "never")] == [True, False, False]
