"""Every item of a catalog becomes a product with an address of its own; a faulty one takes no other with it."""

from typing import Any

from formation_portal.gateway.products import CatalogProduct, read_products
from tests.other_service.schema_builders import NAME, Json, entity, item, same_id, schema
from tests.other_service.schemas import BROKEN, CATALOG, FAULTY, USABLE

SOUND = schema("Form", entity("The company", NAME))


def reasons(*items: Any) -> list[str]:
    return [product.reason for product in read_products(items)]


def test_the_catalog_of_another_make_is_read_whole() -> None:
    products = read_products(CATALOG)
    assert [product.is_available for product in products] == [True] * len(USABLE) + [False] * len(FAULTY + BROKEN)
    assert len({product.key for product in products}) == len(CATALOG)
    assert all(product.name for product in products)


def test_a_product_is_addressed_by_its_slug() -> None:
    [product] = read_products([item("larkland-company", "Company", SOUND)])
    assert product.key == "larkland-company"


def test_products_of_one_slug_are_addressed_by_their_ids() -> None:
    first, second = item("a", "A", SOUND), item("b", "B", SOUND)
    for one in (first, second):
        one["product"] = one["product"] | {"slug": "same"}
    assert [product.key for product in read_products([first, second])] == [same_id("a"), same_id("b")]


def test_what_is_unfit_for_an_address_gets_a_key_of_our_own_that_stays() -> None:
    odd = item("../odd slug?", "Odd", SOUND, jurisdiction_product_id="also odd/")
    [product] = read_products([odd])
    assert product.key.isalnum()
    assert read_products([odd])[0].key == product.key


def test_the_same_id_twice_leaves_the_second_out() -> None:
    one = item("a", "A", SOUND)
    assert reasons(one, one)[0] == ""
    assert "jurisdiction_product_id" in reasons(one, one)[1]


def test_an_item_without_an_id_is_unavailable() -> None:
    assert "jurisdiction_product_id" in reasons(item("a", "A", SOUND, jurisdiction_product_id=""))[0]


def test_a_fault_is_the_reason_in_words() -> None:
    circle = next(one for one in FAULTY if one["product"]["slug"] == "circle")
    assert "circle" in reasons(circle)[0]


def test_hostile_shapes_are_unavailable_and_harm_nothing() -> None:
    sound = item("sound", "Sound", SOUND)
    hostile: list[Any] = [
        7,
        "text",
        [],
        [sound],
        {},
        {"jurisdiction_product_id": "x"},
        item("a", "A", {"id": "s", "sections": {"scope": "entity"}}),
        item("b", "B", {"id": "s", "sections": "entity"}),
        item("c", "C", {"id": "s", "sections": [None, 7, {"scope": 5, "fields": 3}]}),
        item("d", "D", {"id": "s", "sections": [{"scope": "entity", "fields": [{"field_type": "text"}]}]}),
        item("e", "E", {"id": "s", "sections": [{"scope": "entity", "fields": [{"key": "k", "depends_on": 3}]}]}),
        item("f", "F", "not even an object"),
        item("g", "G", SOUND, product="no object"),
        item("h", "H", SOUND, price={"one_off": "NaN"}),
        _nested(400),
    ]
    products = read_products([*hostile, sound])
    assert products[-1].is_available
    assert len({product.key for product in products}) == len(products)


def _nested(depth: int) -> Json:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    field = {"key": "k", "label": "K", "depends_on": {"field": "k", "value": value}, "options": value}
    return item("nested", "Nested", schema("Form", entity("The company", field)))


def test_a_product_is_available_only_with_an_item_and_without_a_reason() -> None:
    assert not CatalogProduct("key", "name", None).is_available
