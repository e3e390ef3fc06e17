"""The catalog: what is offered, what a filter leaves, and what is said when nothing fits."""

from dataclasses import replace
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from formation_portal.portal.catalog import views
from formation_portal.portal.catalog.filters import CatalogFilter, PriceCeiling
from formation_portal.portal.catalog.pages import CatalogPage
from formation_portal.portal.pages import Link
from tests.markup import Markup

from .offered import item, offered


def priced(slug: str, region: str, country: str, price: int, currency: str, **product: Any) -> dict[str, Any]:
    place = {"region": region, "slug": country.lower(), "name": country}
    amounts = {"one_off": price, "annual": 100, "currency": currency}
    return item(slug, place=place, product=product, price=amounts)


ITEMS = [
    priced("gmbh", "Europe", "Zug", 3900, "CHF"),
    priced("verein", "Europe", "Zug", 2400, "CHF", type="Foundation"),
    priced("limited", "Europe", "Malta", 2400, "EUR"),
    priced("ibc", "Caribbean", "Nevis", 1450, "USD"),
    priced("llc", "America", "Delaware", 590, "USD"),
]


def page(query: str = "", items: list[Any] = ITEMS) -> CatalogPage:
    return CatalogPage(offered(items), CatalogFilter.from_query(QueryDict(query)), ())


def names(shown: CatalogPage) -> list[str]:
    return [row.product.name for places in shown.regions.values() for rows in places.values() for row in rows]


def test_everything_stands_under_its_region_and_place() -> None:
    shown = page()
    assert [(region, list(places)) for region, places in shown.regions.items()] == [
        ("America", ["Delaware"]),
        ("Caribbean", ["Nevis"]),
        ("Europe", ["Malta", "Zug"]),
    ]
    assert names(shown) == ["Llc", "Ibc", "Limited", "Gmbh", "Verein"]
    assert shown.announcement == "5 of 5 company types"


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("region=Caribbean", ["Ibc"]),
        ("country=zug", ["Gmbh", "Verein"]),
        ("type=Foundation", ["Verein"]),
        ("price=CHF-2400", ["Verein"]),
        ("price=USD-1450", ["Llc", "Ibc"]),
        ("region=Europe&type=Corporation&price=CHF-5000", ["Gmbh"]),
        ("price=nonsense", ["Llc", "Ibc", "Limited", "Gmbh", "Verein"]),
        ("unknown=1", ["Llc", "Ibc", "Limited", "Gmbh", "Verein"]),
    ],
)
def test_a_filter_leaves_what_fits(query: str, left: list[str]) -> None:
    assert names(page(query)) == left


def test_ceilings_are_offered_per_currency_and_leave_out_prices_in_others() -> None:
    assert page("price=USD-5000").left_out == "Only prices in USD are compared. 3 priced in CHF, EUR are not shown."
    control = next(one for one in page().controls if one.name == "price")
    offered = [choice.value for choice in control.choices if choice.value]
    assert {"CHF-3000", "CHF-3900", "USD-1000", "USD-1450", "EUR-2400"} <= set(offered)
    assert "EUR-5000" not in offered, "it would leave everything in its currency"
    assert "CHF-500" not in offered, "it would leave nothing in its currency"


@pytest.mark.parametrize("query", ["", "region=Europe", "days=10", "price=CHF-3000&type=Foundation", "search=zug"])
def test_each_option_says_how_many_it_would_leave(query: str) -> None:
    items = [one | {"estimated_timeline": f"{3 + 4 * at}-{5 * at} working days"} for at, one in enumerate(ITEMS, 1)]
    items[0]["estimated_timeline"] = "5 working days"
    shown = page(query, items)
    counted = 0
    for control in shown.controls:
        for option in control.choices:
            if option.value:
                chosen = QueryDict(query, mutable=True)
                chosen[control.name] = option.value
                left = len(names(page(chosen.urlencode(), items)))
                assert option.label.endswith(f" ({left})"), (control.name, option.value)
                counted += 1
    assert counted > 10


@pytest.mark.parametrize(
    ("query", "words", "url"),
    [
        ("country=nevis&price=CHF-5000", "Without “Country: Nevis”, 2 company types match", "/?price=CHF-5000"),
        (
            "region=Europe&price=USD-1450",
            "Without “Set-up fee up to USD\u00a01,450.00”, 3 company types match",
            "/?region=Europe",
        ),
        (
            "country=zug&type=Foundation&price=CHF-500",
            "Without “Set-up fee up to CHF\u00a0500.00”, 1 company type matches",
            "/?country=zug&type=Foundation",
        ),
    ],
)
def test_of_several_filters_the_one_that_helps_most_is_named(query: str, words: str, url: str) -> None:
    shown = page(query)
    assert names(shown) == []
    assert shown.wider == Link(words, url)


def test_a_faulty_product_is_shown_with_its_reason_and_one_that_cannot_be_read_stands_last() -> None:
    faulty = item("circle", schema={"sections": []})
    shown = page(items=[{"product": {"name": "Riddle"}}, *ITEMS, faulty])
    assert "no id" in next(product for product in shown.products if product.name == "Circle").reason
    assert len(shown.products) == 7
    assert names(shown)[-1] == "Riddle"
    assert "Riddle" not in names(page("region=Europe", items=[{"product": {"name": "Riddle"}}, *ITEMS]))


@pytest.mark.parametrize("text", ["", "USD", "-5", "USD--5", "USD-NaN", "USD-Infinity", "USD-1e"])
def test_what_is_no_ceiling_is_none(text: str) -> None:
    assert PriceCeiling.parse(text) is None


@pytest.mark.parametrize("path", ["/", "/compare/?product=llc", "/products/llc/", "/products/llc/checklist/"])
def test_an_old_catalog_carries_its_note(path: str, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = offered(ITEMS)
    old = replace(fresh, is_stale=True, note="Prices of yesterday.")
    for catalog, count in ((fresh, 0), (old, 1)):
        monkeypatch.setattr(views, "current_catalog", lambda catalog=catalog: catalog)
        assert Client().get(path).content.decode().count("Prices of yesterday.") == count


@pytest.mark.django_db(databases=["default", "service"])
def test_htmx_gets_results_count_and_announcement_only_and_what_is_ticked_stays_ticked(full_catalog: None) -> None:
    query = "/?country=usa&region=&product=bvi-limited-company&product=texas-llc&product=no"
    response = Client().get(query, HTTP_HX_REQUEST="true")
    markup = Markup(response.content.decode())
    assert not markup.all("html")
    assert markup.one("p", id="announcer").text == "7 of 32 company types"
    assert {"catalog-results", "catalog-count"} <= {one.attributes.get("id") for one in markup.elements}
    # What was chosen from and typed in stays as it is.
    assert {one.attributes["name"] for one in markup.controls} == {"product", "region", "type", "price", "days"}
    assert "HX-Request" in response["Vary"]
    ticked = [one.attributes["value"] for one in markup.controls if "checked" in one.attributes]
    assert sorted(ticked) == ["bvi-limited-company", "texas-llc"]
    assert "Not in this list" in response.content.decode()
    assert response["HX-Push-Url"].startswith("/?country=usa&product=bvi-limited-company&product=texas-llc")


@pytest.mark.django_db(databases=["default", "service"])
def test_no_query_and_no_call_is_made_for_a_visitor(full_catalog: None, django_assert_num_queries: Any) -> None:
    Client().get("/")
    with django_assert_num_queries(0), django_assert_num_queries(0, using="service"):
        Client().get("/")
