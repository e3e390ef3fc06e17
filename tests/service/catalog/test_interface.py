"""The catalog against the interface's own tables and shapes (interface, "What the service does", "Resources")."""

from uuid import UUID

import pytest

from formation_portal.contract.fields.iso_codes import is_country, is_currency
from tests.field_types import FIELD_TYPES

from .conftest import Json, asked_in, sections_of

JURISDICTIONS = {
    "panama", "belize", "caymans", "hong-kong", "nevis", "seychelles", "switzerland", "the-bahamas", "bvi",
    "the-netherlands", "usa", "uae", "malta", "ireland", "curacao", "singapore", "anjouan", "cyprus", "spain",
    "costa-rica",
}  # fmt: skip

# Product slug, product type, jurisdiction slug.
PRODUCTS = """
panama-corporation-sociedad-anonima   Corporation  panama
belize-international-llc              Corporation  belize
caymans-foundation-company            Foundation   caymans
hk-limited-company                    Corporation  hong-kong
nevis-ibc                             Corporation  nevis
seychelles-ibc                        Corporation  seychelles
gmbh-zug                              Corporation  switzerland
ch-foundation                         Foundation   switzerland
bahamas-ibc                           Corporation  the-bahamas
panama-foundation                     Foundation   panama
bvi-limited-company                   Corporation  bvi
besloten-vennootschap                 Corporation  the-netherlands
delaware-llc                          Corporation  usa
wyoming-c-corp                        Corporation  usa
delaware-c-corp                       Corporation  usa
wyoming-llc                           Corporation  usa
exempted-limited-company              Corporation  caymans
meydan-fz-commercial                  Corporation  uae
rak-icc-holding                       Corporation  uae
adgm-spv                              Corporation  uae
new-york-llc                          Corporation  usa
malta-ltd                             Corporation  malta
irish-limited                         Corporation  ireland
curacao-bv                            Corporation  curacao
singapore-pte-ltd                     Corporation  singapore
anjouan-ibc                           Corporation  anjouan
cyprus-ltd                            Corporation  cyprus
spanish-sociedad-limitada-sl          Corporation  spain
florida-llc                           Corporation  usa
texas-llc                             Corporation  usa
costa-rica-s-r-l                      Corporation  costa-rica
association                           Foundation   switzerland
"""

SCOPES = {"entity", "share_structure"} | {
    f"role:{role}" for role in ("director", "shareholder", "member", "supervisor", "manager", "ubo")
}


def test_every_product_of_the_table_is_there_and_no_other(catalog: list[Json]) -> None:
    table = {tuple(line.split()) for line in PRODUCTS.strip().splitlines()}
    found = [(i["product"]["slug"], i["product"]["type"], i["jurisdiction"]["slug"]) for i in catalog]
    assert len(found) == 32
    assert set(found) == table


def test_every_jurisdiction_of_the_list_is_there(catalog: list[Json]) -> None:
    assert {item["jurisdiction"]["slug"] for item in catalog} == JURISDICTIONS


def test_a_jurisdiction_is_the_same_in_all_its_products(catalog: list[Json]) -> None:
    seen = {item["jurisdiction"]["slug"]: item["jurisdiction"] for item in catalog}
    assert all(item["jurisdiction"] == seen[item["jurisdiction"]["slug"]] for item in catalog)
    assert all(is_country(place["iso_code"]) and place["name"] and place["region"] for place in seen.values())


def test_every_item_has_exactly_the_members_of_the_interface(catalog: list[Json]) -> None:
    for item in catalog:
        assert set(item) == {
            "jurisdiction_product_id", "jurisdiction", "product", "price", "schema", "estimated_timeline",
        }  # fmt: skip
        assert set(item["jurisdiction"]) == {"id", "name", "slug", "iso_code", "region"}
        assert set(item["product"]) == {"id", "name", "slug", "type", "description"}
        assert set(item["price"]) == {"one_off", "annual", "currency"}
        assert set(item["schema"]) == {"id", "csp_name", "form_name", "version", "agent_address", "sections"}
        assert set(item["schema"]["agent_address"]) == {"street1", "city", "country", "postcode"}


def test_every_text_of_an_item_says_something(catalog: list[Json]) -> None:
    for item in catalog:
        address, schema = item["schema"]["agent_address"], item["schema"]
        assert all(isinstance(part, str) and part for part in address.values())
        assert address["country"] == item["jurisdiction"]["iso_code"]
        assert all(isinstance(schema[name], str) and schema[name] for name in ("csp_name", "form_name", "version"))
        assert all(isinstance(text, str) and text for text in item["product"].values())
        assert is_currency(item["price"]["currency"])


def test_ids_are_uuids_of_their_own(catalog: list[Json]) -> None:
    for ids in (
        [item["jurisdiction_product_id"] for item in catalog],
        [item["schema"]["id"] for item in catalog],
        [item["product"]["id"] for item in catalog],
    ):
        assert len({UUID(one) for one in ids}) == 32
    assert len({UUID(item["jurisdiction"]["id"]) for item in catalog}) == 20


def test_ids_stay_the_same(by_slug: dict[str, Json]) -> None:
    bvi = by_slug["bvi-limited-company"]
    assert bvi["jurisdiction_product_id"] == "986cfc92-84c4-5363-a585-02a4cd0f94ba"
    assert bvi["schema"]["id"] == "17c74624-ecc5-5423-a93c-3f8876467591"


def test_scopes_and_field_types_are_those_of_the_interface(catalog: list[Json]) -> None:
    for item in catalog:
        assert {section["scope"] for section in sections_of(item)} <= SCOPES
        assert {asked.field["field_type"] for asked in asked_in(item)} <= FIELD_TYPES.keys()


def test_only_the_bvi_company_has_share_classes(catalog: list[Json]) -> None:
    with_shares = {
        item["product"]["slug"]
        for item in catalog
        for section in sections_of(item)
        if section["scope"] == "share_structure"
    }
    assert with_shares == {"bvi-limited-company"}


@pytest.mark.parametrize(
    ("name", "field_type"),
    [
        ("share_class.name", "text"),
        ("share_class.currency", "select"),
        ("share_class.par_value", "number"),
        ("share_class.voting_rights", "boolean"),
        ("share_class.dividend_rights", "boolean"),
    ],
)
def test_a_bvi_class_asks_the_five_properties(by_slug: dict[str, Json], name: str, field_type: str) -> None:
    asked = {a.field.get("canonical_field"): a for a in asked_in(by_slug["bvi-limited-company"])}
    assert asked[name].group == "share_class"
    assert asked[name].field["field_type"] == field_type


def test_only_addresses_are_provided_by_the_agent(catalog: list[Json]) -> None:
    provided = [a.field for item in catalog for a in asked_in(item) if a.field.get("provided_by_agent")]
    assert len(provided) == 32
    assert {field["field_type"] for field in provided} == {"address"}
