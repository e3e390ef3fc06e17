"""The catalog's search: words of the product in any order, and the trade's other words for them."""

import pytest
from django.test import Client

from formation_portal.contract.catalog import CatalogItem
from formation_portal.portal.catalog.filters import CatalogFilter, _day_limits
from formation_portal.portal.catalog.search import matches_search
from tests import factories
from tests.markup import Markup

ITEM = CatalogItem.model_validate(
    {
        "jurisdiction_product_id": "1",
        "jurisdiction": {"name": "Curaçao", "slug": "curacao", "iso_code": "CW", "region": "Caribbean"},
        "product": {
            "name": "Sociedad (S.R.L.), Colón",
            "type": "Corporation",
            "description": "A limited liability company for trading abroad.",
        },
        "schema": {},
    }
)


def test_it_is_found_by_its_words_in_any_order_and_the_trades_other_words_for_them() -> None:
    for search in (
        "",
        "CURACAO",
        "cura",
        "S.R.L.",
        "colon sociedad",
        "caribbean company",
        "cw",
        "offshore",
        "LLC",
        "…",
    ):
        assert matches_search(search, ITEM), search
    for search in ("foundation", "trust", "uraçao", "caribbean trust", "ltd", "cwx", "<b>", "liability_"):
        assert not matches_search(search, ITEM), search


def test_what_is_typed_is_kept_to_a_length_and_without_what_no_database_takes() -> None:
    assert CatalogFilter.from_query({"search": "  a\0b " + "x" * 500}).search == "ab " + "x" * 97


@pytest.mark.django_db(databases=["default", "service"])
@pytest.mark.parametrize(
    ("search", "products"),
    [
        ("trust", ["ch-foundation", "panama-foundation", "caymans-foundation-company"]),
        ("delaware", ["delaware-llc", "delaware-c-corp"]),
        ("swiss foundation", ["ch-foundation"]),
        ("spv", ["adgm-spv"]),
    ],
)
def test_words_of_the_trade_find_products(full_catalog: None, search: str, products: list[str]) -> None:
    markup = Markup(Client().get("/", {"search": search}).content.decode())
    links = [one.attributes["href"] for one in markup.all("a")]
    assert {link.split("/")[2] for link in links if link.startswith("/products/")} == set(products)
    assert markup.one("input", name="search").attributes["value"] == search


@pytest.mark.django_db(databases=["default", "service"])
def test_a_search_for_nothing_says_what_to_remove_and_keeps_what_was_typed(full_catalog: None) -> None:
    html = Client().get("/?search=%3Cb%3Emoon&region=Europe").content.decode()
    markup = Markup(html)
    assert "<b>moon" not in html
    assert markup.one("input", name="search").attributes["value"] == "<b>moon"
    [wider] = [one for one in markup.all("a") if one.text.startswith("Without")]
    assert wider.text == "Without “Search: <b>moon”, 8 company types match"
    assert wider.attributes["href"] == "/?region=Europe"


@pytest.mark.parametrize(
    ("timelines", "limits"),
    [
        (("5 working days", "12 working days", "20 working days"), [5, 10, 15]),
        (("4 working days", "21 working days", "soon"), [5, 10, 15, 20]),
        (("10 working days",), []),
        (("soon",), []),
    ],
)
def test_a_limit_of_days_lets_some_products_through_and_not_all(timelines: tuple[str, ...], limits: list[int]) -> None:
    items = tuple(factories.product(estimated_timeline=words) for words in timelines)
    assert _day_limits(items, 0) == limits
    assert _day_limits(items, 7) == sorted([*limits, 7])
