"""How a data file becomes a section on the wire (the notation's own docstring)."""

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from formation_portal.service.catalog.loader import CATALOG, read_catalog
from formation_portal.service.catalog.product_syntax import CatalogError, SharedBlocks


def words(**more: Any) -> SharedBlocks:
    blocks: dict[str, Any] = {
        "options": {"sizes": ["Small", "Large"]},
        "rules": {"is_large": {"xx.size": "Large"}},
        "fields": {
            "entity.name": {"label": "Name"},
            "xx.size": {"label": "Size", "type": "select", "options": "sizes"},
            "entity.capital": {"label": "Capital", "type": "currency_amount"},
        },
        "field_sets": {"both": ["entity.name", "xx.size"]},
        "groups": {},
        "slots": {"Passport": {"help": "The page with the photo."}, "Licence": {}},
        "slot_sets": {"papers": ["Passport", {"Licence": {"optional": True}}]},
        "sections": {"about": {"title": "About", "fields": ["both"], "validations": ["named"]}},
        "validations": {"named": {"rule": "entity.name != 'X'", "message": "Another name", "at": "entity.name"}},
    }
    return SharedBlocks(**(blocks | more))


def fields(*entries: Any, vocabulary: SharedBlocks | None = None) -> list[dict[str, Any]]:
    section = (vocabulary or words()).section({"title": "About", "fields": list(entries)})
    return list(section["fields"])


def test_a_canonical_name_and_a_providers_name_are_told_apart_by_their_prefix() -> None:
    canonical, provider = fields("both")
    assert canonical == {
        "key": "name", "canonical_field": "entity.name", "label": "Name", "field_type": "text", "required": True,
    }  # fmt: skip
    assert provider["csp_field_key"] == "xx.size"
    assert provider["options"] == ["Small", "Large"]


def test_a_condition_is_by_equality_by_includes_any_or_by_the_name_of_a_rule() -> None:
    def rule(when: Any) -> Any:
        return fields({"xx.more": {"label": "More", "when": when}})[0]["depends_on"]

    assert rule({"xx.size": "Large"}) == rule("is_large") == {"field": "xx.size", "value": "Large"}
    assert rule({"xx.size": ["Large"]}) == {"field": "xx.size", "operator": "includes_any", "value": ["Large"]}


def test_a_number_bounds_an_amount_in_each_currency_of_the_product_or_of_its_own() -> None:
    product = words().for_product(fields={}, currencies=["USD", "EUR"])
    staff, capital, fund, fee = fields(
        {"xx.staff": {"label": "Staff", "type": "number", "integer": True, "minimum": 0, "bound_message": "Count"}},
        {"entity.capital": {"minimum": 1, "decimals": 3}},
        {"xx.fund": {"label": "Fund", "type": "currency_amount", "maximum": {"EUR": 9}}},
        {"xx.fee": {"label": "Fee", "type": "currency_amount", "currencies": ["CHF"], "minimum": 4}},
        vocabulary=product,
    )
    assert (staff["integer"], staff["minimum"], staff["bound_message"]) == (True, 0, "Count")
    assert (capital["allowed_currencies"], fee["allowed_currencies"]) == (["USD", "EUR"], ["CHF"])
    assert (capital["minimum"], capital["decimals"]) == ({"USD": 1, "EUR": 1}, 3)
    assert (fund["maximum"], fee["minimum"]) == ({"EUR": 9}, 4)


def test_a_product_changes_a_shared_question_wherever_it_asks_it() -> None:
    product = words().for_product(fields={"entity.name": {"help": "Short."}}, currencies=[])
    assert product.section("about")["fields"][0]["help"] == "Short."
    assert "help" not in words().section("about")["fields"][0]


def test_a_section_takes_a_block_replaces_members_and_adds_to_lists() -> None:
    section = words().section({"use": "about", "title": "Mine", "add": {"fields": ["entity.capital"]}})
    assert section["title"] == "Mine"
    assert [field["key"] for field in section["fields"]] == ["name", "size", "capital"]


def test_a_role_asks_nothing_of_kinds_of_party_that_it_does_not_allow() -> None:
    role = {
        "scope": "role:director",
        "title": "Directors",
        "allows": ["corporate"],
        "person_fields": ["entity.name"],
        "corporate_fields": ["xx.size"],
        "foundation_fields": ["xx.size"],
        "documents": {"person": ["papers"], "entity": [], "foundation": ["papers"]},
        "at_least": {"minimum": 2, "when": {"xx.size": ["Large"]}},
        "maximum": 5,
        "total": {"field": "name", "equals": 100},
        "bound_message": "Five at most",
    }
    section = words().section(role)
    assert (section["allows_corporate"], section["allows_foundation"]) == (True, False)
    assert (section["maximum"], section["total"]) == (5, {"field": "name", "equals": 100})
    assert section["bound_message"] == "Five at most"
    assert "foundation_fields" not in section
    assert section["documents"] == {
        "person": [
            {"name": "Passport", "required": True, "help": "The page with the photo."},
            {"name": "Licence", "required": False},
        ],
        "entity": [],
    }
    assert section["conditional_min"] == {"field": "xx.size", "value_in": ["Large"], "minimum": 2}


def test_validations_of_sections_come_before_those_of_the_product_and_stand_at_a_question_or_a_section() -> None:
    product = {
        "sections": [
            "about",
            {
                "use": "about",
                "title": "Again",
                "add": {"validations": [{"rule": "a\n  || b", "message": "M", "at": "x.y"}]},
            },
            {"title": "Without", "fields": []},
        ],
        "validations": [
            {"rule": "c", "message": "N", "at": "role:director", "level": "advice"},
            {"rule": "d", "message": "O", "at": "share_structure"},
            "named",
        ],
    }
    named = {"rule": "entity.name != 'X'", "message": "Another name", "level": "error", "field": "entity.name"}
    assert words().all_validations(product) == [
        named,
        named,
        {"rule": "a || b", "message": "M", "level": "error", "field": "x.y"},
        {"rule": "c", "message": "N", "level": "advice", "section": "role:director"},
        {"rule": "d", "message": "O", "level": "error", "section": "share_structure"},
        named,
    ]
    assert words().all_validations({"sections": []}) == []


def test_a_validation_that_stands_nowhere_is_refused() -> None:
    with pytest.raises(CatalogError, match="no validation is called other"):
        words().all_validations({"sections": [], "validations": ["other"]})


@pytest.mark.parametrize("entry", ["entity.nothing", "nobody"])
def test_a_name_that_stands_nowhere_is_refused(entry: str) -> None:
    with pytest.raises(CatalogError, match=entry):
        fields(entry)
    with pytest.raises(CatalogError, match=entry):
        words().section(entry)


def test_a_fault_in_a_file_is_told_with_the_files_name(tmp_path: Path) -> None:
    copytree(CATALOG, tmp_path, dirs_exist_ok=True)
    (tmp_path / "products" / "odd.yaml").write_text("{jurisdiction: atlantis, currencies: []}")
    with pytest.raises(CatalogError, match=r"odd\.yaml: 'atlantis'"):
        read_catalog(root=tmp_path)
