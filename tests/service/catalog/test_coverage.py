"""Over the whole catalog everything that the contract knows occurs, so that the forms themselves exercise it."""

from tests.field_types import FIELD_TYPES

from .conftest import Json, asked_in, name_of, sections_of


def entity_names(item: Json) -> set[str]:
    return {name_of(a.field) for a in asked_in(item) if a.group == "entity"}


def test_every_field_type_occurs(catalog: list[Json]) -> None:
    asked = {name for name, field_type in FIELD_TYPES.items() if field_type.is_in_catalog}
    assert {a.field["field_type"] for item in catalog for a in asked_in(item)} == asked


def test_rules_by_equality_and_by_includes_any_occur_on_fields_and_on_sections(catalog: list[Json]) -> None:
    on_fields = [a.field["depends_on"] for item in catalog for a in asked_in(item) if "depends_on" in a.field]
    on_sections = [s["depends_on"] for item in catalog for s in sections_of(item) if "depends_on" in s]
    for rules in (on_fields, on_sections):
        assert {rule.get("operator") for rule in rules} == {None, "includes_any"}


def test_conditional_minimums_occur_with_one_value_and_with_several(catalog: list[Json]) -> None:
    rules = [s["conditional_min"] for item in catalog for s in sections_of(item) if "conditional_min" in s]
    assert any("value" in rule for rule in rules)
    assert any("value_in" in rule for rule in rules)


def test_rules_reach_across_sections_within_the_entity(catalog: list[Json]) -> None:
    def reaches(item: Json) -> bool:
        return any(
            a.group == "entity"
            and a.field.get("depends_on", {}).get("field") in entity_names(item)
            and a.field["depends_on"]["field"] not in {name_of(field) for field in a.section["fields"]}
            for a in asked_in(item)
        )

    assert any(map(reaches, catalog))


def test_a_partys_question_depends_on_an_answer_about_the_entity(catalog: list[Json]) -> None:
    def reaches(item: Json) -> bool:
        return any(
            a.group == "person" and a.field.get("depends_on", {}).get("field") in entity_names(item)
            for a in asked_in(item)
        )

    assert any(map(reaches, catalog))


def test_questions_of_the_provider_are_asked_of_entities_parties_and_classes(catalog: list[Json]) -> None:
    groups = {a.group for item in catalog for a in asked_in(item) if "csp_field_key" in a.field}
    assert groups == {"entity", "person", "corporate", "share_class"}


def test_amounts_with_one_and_with_several_currencies_occur(catalog: list[Json]) -> None:
    counts = {
        len(a.field["allowed_currencies"]) for i in catalog for a in asked_in(i) if "allowed_currencies" in a.field
    }
    assert 1 in counts
    assert max(counts) > 1
    assert 0 not in counts


def test_required_and_optional_slots_occur_for_every_kind_of_holder(catalog: list[Json]) -> None:
    found = {
        (section["scope"] == "entity", kind, slot["required"])
        for item in catalog
        for section in sections_of(item)
        for kind, slots in section.get("documents", {}).items()
        for slot in slots
    }
    roles = {(False, kind, required) for kind in ("person", "entity", "foundation") for required in (True, False)}
    assert found == roles | {(True, "entity", True), (True, "entity", False)}


def test_declarations_are_one_tick_box(catalog: list[Json]) -> None:
    declared = [a.field for i in catalog for a in asked_in(i) if name_of(a.field) == "entity.truth_declaration"]
    assert len(declared) == 32
    assert {(field["field_type"], len(field["options"]), field["required"]) for field in declared} == {
        ("multi_select", 1, True)
    }


def test_countries_are_offered_as_all_codes(catalog: list[Json]) -> None:
    offered = [
        a.field["options"] for i in catalog for a in asked_in(i) if name_of(a.field) == "entity.countries_of_operation"
    ]
    assert len(offered) == 32
    assert all(len(options) == 249 and {"NO", "GB", "VG"} <= set(options) for options in offered)
