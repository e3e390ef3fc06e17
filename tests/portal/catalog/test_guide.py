"""The guide: which questions tell a catalog's products apart, what fits the answers and why, and what to loosen."""

from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from formation_portal.portal.catalog.guide import GuidePage
from formation_portal.portal.pages import Link
from tests import factories
from tests.embedded_catalog import catalog_items
from tests.markup import Markup

from .offered import item, offered

HTMX = {"HTTP_HX_REQUEST": "true"}


def manned(slug: str, region: str, price: Any, time: str, roles: dict[str, int], kind: str = "Corporation") -> Any:
    name = {"scope": "entity", "title": "Name", "fields": [factories.field("name")]}
    people = [{"scope": f"role:{role}", "title": role.capitalize(), "minimum": count} for role, count in roles.items()]
    return item(
        slug,
        name,
        *people,
        place={"region": region, "slug": f"in-{slug}", "name": f"Land of {slug}"},
        product={"type": kind},
        price=price and {"one_off": price[0], "annual": 10, "currency": price[1]},
        estimated_timeline=time,
    )


# Of another make: types, roles, currencies and times that the embedded catalog doesn't have.
ODD = [
    manned("trust", "North", (80, "XTS"), "2 weeks", {"trustee": 1, "settlor": 1}, "Trust"),
    manned("guild", "North", (900, "XTS"), "20 working days", {"warden": 4}, "Guild"),
    manned("barge", "South", (70, "XXX"), "1 week", {"shareholder": 1}, "Guild"),
    manned("mill", "South", (300, "XTS"), "3-4 working days", {"shareholder": 2, "director": 1}, "Guild"),
    manned("ark", "", None, "when it floats", {}, "Ark"),
]


def page(query: str = "", items: list[Any] = ODD) -> GuidePage:
    return GuidePage(offered(items), QueryDict(query))


def names(candidates: Any) -> list[str]:
    return [one.product.name for one in candidates]


def options(shown: GuidePage) -> dict[str, list[str]]:
    return {one.name: [option.label for option in one.options if option.value] for one in shown.questions}


def test_questions_and_options_come_from_the_catalog() -> None:
    assert options(page()) == {
        "form": ["Ark", "Guild with shareholders", "Guild without shareholders", "Trust"],
        "region": ["North", "South"],
        "people": ["1", "2", "4 or more"],
        "days": ["5", "10"],
        "price": ["XTS\u00a0100.00", "XTS\u00a0500.00"],
    }


def test_what_fits_says_why_and_how_it_is_otherwise() -> None:
    shown = page("people=2&days=5")
    assert names(shown.fitting) == ["Mill", "Barge"], "the one that is ready soonest first"
    assert shown.fitting[0].reasons == [
        (True, "At least 2 people: 2 shareholders"),
        (True, "Ready in 3–4 working days"),
    ]
    facts = "Guild with shareholders · South · Set-up fee XTS\u00a0300.00, annual fee XTS\u00a010.00"
    assert shown.fitting[0].other_facts == facts


def test_what_does_not_fit_says_so_and_what_cannot_be_told_is_told_apart() -> None:
    shown = page("form=Guild&region=North&price=XTS-100&people=1&days=10")
    assert shown.fitting == []
    reasons = {one.product.name: one.reasons for one in shown.ranked}
    assert (False, "Not “Guild without shareholders”: Trust (1 trustee and 1 settlor)") in reasons["Trust"]
    assert (False, "Not “1 person”: At least 4 people: 4 wardens") in reasons["Guild"]
    assert (False, "Not “Within 10 working days”: Ready in 20 working days") in reasons["Guild"]
    assert (
        False,
        "“Up to XTS\u00a0100.00” can’t be checked: Set-up fee XXX\u00a070.00, annual fee XXX\u00a010.00",
    ) in reasons["Barge"]
    assert (False, "“North” can’t be checked: Not stated") in reasons["Ark"]
    assert names(shown.shortlist)[0] == "Trust", "it misses the fewest"


def test_the_answer_to_loosen_is_the_one_without_which_the_most_fit() -> None:
    shown = page("region=South&people=2&price=XTS-100")
    assert shown.fitting == []
    text = "Without “Up to XTS\u00a0100.00”, 2 company types match"
    assert shown.loosened == Link(text, "/guide/?region=South&people=2")
    assert names(page("region=South&people=2").fitting) == ["Mill", "Barge"]


def test_a_shortlist_is_short_and_what_it_has_no_room_for_is_not_lost() -> None:
    shown = GuidePage(offered(catalog_items()), {"people": "1"})
    assert len(shown.shortlist) == 5
    assert len(shown.shortlist) + len(shown.more) == len(shown.fitting) > 5
    assert shown.compare_url.count("product=") == 3


@pytest.mark.parametrize(
    "query",
    ["people=x", "people=99", "days=-1", "price=USD-9e9", "region=\0", "form=%F0%9F%90%88", "days=&people=", "x=1"],
)
def test_what_is_no_answer_is_ignored(query: str) -> None:
    shown = page(query)
    assert (shown.answers, shown.shortlist, shown.url) == ({}, [], "/guide/")


def test_what_cannot_be_formed_is_neither_listed_nor_asked_for() -> None:
    faulty = item("faulty", place={"region": "East"}, schema={"sections": []})
    shown = page("region=South", [*ODD, faulty, {"product": {"name": "Riddle"}}])
    assert "Faulty" not in names(shown.ranked)
    assert options(shown) == options(page())


@pytest.mark.django_db(databases=["default", "service"])
def test_a_plain_submit_leads_to_an_address_with_what_was_chosen(full_catalog: None) -> None:
    response = Client().get("/guide/?form=&region=&people=1&days=5&price=")
    assert response["Location"] == "/guide/?people=1&days=5"
    html = Client().get(response["Location"]).content.decode()
    markup = Markup(html)
    checked = [one.attributes["value"] for one in markup.all("input", type="radio") if "checked" in one.attributes]
    assert checked == ["", "", "1", "5", ""]
    assert len(markup.all("li", class_="task")) == 5
    assert "One person can fill every required role" in html


@pytest.mark.django_db(databases=["default", "service"])
def test_htmx_gets_the_shortlist_alone(full_catalog: None) -> None:
    response = Client().get("/guide/?people=1&days=&region=Europe", **HTMX)
    markup = Markup(response.content.decode())
    assert not markup.all("html")
    assert not markup.all("input")
    assert markup.one("p", id="announcer").text == "6 company types match all your answers"
    assert response["HX-Replace-Url"] == "/guide/?region=Europe&people=1"
    assert "HX-Request" in response["Vary"]
    whole = Client().get("/guide/?people=1", **HTMX, HTTP_HX_HISTORY_RESTORE_REQUEST="true").content.decode()
    assert Markup(whole).all("html")
