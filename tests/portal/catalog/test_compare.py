"""Products side by side: what each row says, what is left out and in which words, and the way back."""

import pytest
from django.test import Client

from formation_portal.portal.catalog.filters import CatalogFilter
from formation_portal.portal.catalog.pages import ComparePage
from tests import factories
from tests.markup import Markup

from .offered import item, offered

BODIES = {
    "scope": "entity",
    "title": "Bodies",
    "fields": [
        factories.field("bodies", "select", options=["One", "Two"]),
        factories.field("name_of_second", depends_on={"field": "bodies", "value": "Two"}),
    ],
}
MEMBERS = {
    "scope": "role:member",
    "title": "Members",
    "minimum": 1,
    "conditional_min": {"field": "bodies", "value": "Two", "minimum": 3},
    "allows_foundation": True,
    "documents": {"person": [{"name": "Passport", "required": True}, {"name": "Letter", "required": False}]},
}
SECRETARY = {"scope": "role:secretary", "title": "Company secretary", "minimum": 1}


ITEMS = [
    item("one", BODIES, MEMBERS),
    item("two", SECRETARY, price=None),
    item("three", BODIES),
    item("four", BODIES),
    item("faulty", schema={"sections": []}),
]


def page(*keys: str) -> ComparePage:
    return ComparePage(offered(ITEMS), CatalogFilter(region="Caribbean"), keys)


def names(shown: ComparePage) -> list[str]:
    return [product.name for product, _ in shown.columns]


def rows(shown: ComparePage) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {row.title: row.cells for _, group in shown.groups for row in group}


def test_each_row_says_what_a_product_has_and_each_role_how_many_who_and_when_that_changes() -> None:
    found = rows(page("one", "two"))
    assert found["Set-up fee, paid once"] == (("USD\u00a01,200.00",), ())
    assert found["Annual fee"] == (("USD\u00a0900.00",), ())
    assert found["Time"] == (("5 days",), ("5 days",))
    assert found["Member"] == (
        ("At least 1: a person or a foundation", "At least 3 if you answer Two to “Bodies”."),
        (),
    )
    assert found["Secretary"] == ((), ("At least 1: a person",))


def test_a_fourth_is_refused_in_words_until_one_is_removed() -> None:
    shown = page("one", "two", "three", "four")
    assert names(shown) == ["One", "Two", "Three"]
    assert list(shown.notes) == ["You can compare up to 3. Remove one to see Four."]
    (_, url_without), *_ = shown.columns
    assert url_without == "/compare/?region=Caribbean&product=two&product=three&product=four"


def test_what_is_unknown_or_not_offered_is_left_out_with_a_word_and_the_way_back_keeps_filters_and_ticks() -> None:
    shown = page("one", "atlantis", "faulty")
    assert names(shown) == ["One"]
    assert list(shown.notes) == [
        "A company type in this link is not in the catalog and is not shown.",
        "Faulty is not available at the moment and is not shown.",
    ]
    assert page("one", "two", "atlantis").catalog_url == "/?region=Caribbean&product=one&product=two"


@pytest.mark.django_db(databases=["default", "service"])
@pytest.mark.parametrize("query", ["", "?product=", "?product=atlantis", "?price=nonsense&product=%00"])
def test_with_nothing_to_compare_it_says_what_to_do(full_catalog: None, query: str) -> None:
    response = Client().get(f"/compare/{query}", follow=True)
    assert response.status_code == 200
    markup = Markup(response.content.decode())
    assert not markup.all("table")
    assert markup.one("h1").text == "Nothing to compare yet"
