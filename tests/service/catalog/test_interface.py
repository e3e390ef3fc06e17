"""The catalog against the interface's own tables and shapes (interface, "What the service does", "Resources")."""

from uuid import UUID

from .conftest import Json, asked_in

FIVE_PROPERTIES = {
    "share_class.name": "text",
    "share_class.currency": "select",
    "share_class.par_value": "number",
    "share_class.voting_rights": "boolean",
    "share_class.dividend_rights": "boolean",
}


def test_every_item_has_exactly_the_members_of_the_interface(catalog: list[Json]) -> None:
    for item in catalog:
        assert set(item) == {
            "jurisdiction_product_id", "jurisdiction", "product", "price", "schema", "estimated_timeline",
        }  # fmt: skip
        assert set(item["jurisdiction"]) == {"id", "name", "slug", "iso_code", "region"}
        assert set(item["product"]) == {"id", "name", "slug", "type", "description"}
        assert set(item["price"]) == {"one_off", "annual", "currency"}
        assert set(item["schema"]) == {
            "id", "csp_name", "form_name", "version", "agent_address", "sections", "validations",
        }  # fmt: skip
        for stated in item["schema"]["validations"]:
            assert set(stated) in ({"rule", "message", "level", "field"}, {"rule", "message", "level", "section"})
        assert set(item["schema"]["agent_address"]) == {"street1", "city", "country", "postcode"}


def test_ids_are_uuids_of_their_own_and_stay_the_same(by_slug: dict[str, Json]) -> None:
    for ids in (
        [item["jurisdiction_product_id"] for item in by_slug.values()],
        [item["schema"]["id"] for item in by_slug.values()],
        [item["product"]["id"] for item in by_slug.values()],
    ):
        assert len({UUID(one) for one in ids}) == 32
    bvi = by_slug["bvi-limited-company"]
    assert bvi["jurisdiction_product_id"] == "986cfc92-84c4-5363-a585-02a4cd0f94ba"
    assert bvi["schema"]["id"] == "17c74624-ecc5-5423-a93c-3f8876467591"


def test_the_bvi_company_alone_has_share_classes_and_asks_their_five_properties(catalog: list[Json]) -> None:
    asked = [(item, a.field) for item in catalog for a in asked_in(item) if a.group == "share_class"]
    assert {item["product"]["slug"] for item, _ in asked} == {"bvi-limited-company"}
    types = {field.get("canonical_field"): field["field_type"] for _, field in asked}
    assert types | FIVE_PROPERTIES == types
