"""The queue narrows by jurisdiction and product, and offers those of which there is a case."""

from typing import Any

import pytest
from django.test import Client

from formation_portal import workflow
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.desk.models import Case, Offer
from tests.desk.factories import page, references, submitted_ones

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def moved_to(application: Application, *, place: str, product: str) -> None:
    """As an application for another product elsewhere."""
    product_document = application.product | {
        "jurisdiction": {"name": place},
        "product": {"name": f"{product} of {place}"},
    }
    Application.objects.filter(pk=application.pk).update(product=product_document, product_id=f"{product}-{place}")
    Case.objects.filter(pk=application.pk).delete()
    workflow.application_changed(open_draft(Application.objects.get(pk=application.pk)))


@pytest.fixture
def cases(owner: Any) -> list[Application]:
    """Two companies and a trust in Nevis, and a company in Zug; the longest waiting first."""
    made = submitted_ones(owner, 4)[::-1]
    for one, product, place in zip(made, ("Co", "Co", "Trust", "Co"), ("Nevis", "Nevis", "Nevis", "Zug"), strict=True):
        moved_to(one, place=place, product=product)
    return made


def options(client: Client, name: str, query: str = "") -> list[str]:
    return [one.text for one in page(client, query).all("option") if one.ancestors[-1].attributes["name"] == name]


def test_a_place_and_a_product_narrow_the_queue_and_are_removed(cases: list[Application], as_agent: Client) -> None:
    named = [one.reference for one in cases]
    assert references(as_agent, "?place=Nevis") == named[:3]
    assert references(as_agent, "?product=Co-Nevis") == named[:2]
    assert references(as_agent, "?place=Zug&view=unclaimed&q=ingrid") == named[3:]
    assert references(as_agent, "?place=Zug&product=Co-Nevis") == []
    chips = page(as_agent, "?place=Nevis&product=Trust-Nevis").all("a", class_="chip")
    assert [(one.text, one.attributes["href"]) for one in chips] == [
        ("Nevis, remove", "/desk/?product=Trust-Nevis"),
        ("Trust of Nevis, remove", "/desk/?place=Nevis"),
    ]


@pytest.mark.parametrize("view", ["mine", "unclaimed", "answered", "overdue", "all"])
def test_every_view_narrows_by_them(cases: list[Application], as_agent: Client, view: str) -> None:
    assert len(references(as_agent, f"?view={view}&place=Nevis&product=Trust-Nevis")) == (view in ("unclaimed", "all"))


def test_only_what_there_is_a_case_of_is_offered(cases: list[Application], as_agent: Client) -> None:
    Offer.objects.filter(place="British Virgin Islands").delete()
    assert options(as_agent, "place") == ["Any", "Nevis", "Zug"]
    everything = ["Any", "Co of Nevis, Nevis", "Trust of Nevis, Nevis", "Co of Zug, Zug"]
    assert options(as_agent, "product") == everything
    assert options(as_agent, "product", "?place=Zug") == ["Any", "Co of Zug, Zug"]
    assert options(as_agent, "product", "?place=Zug&product=Co-Nevis") == [
        "Any",
        "Co of Nevis, Nevis",
        "Co of Zug, Zug",
    ]


def test_a_place_that_nobody_knows_finds_nothing(cases: list[Application], as_agent: Client) -> None:
    assert references(as_agent, "?place=Atlantis%00") == []
    assert "Atlantis, remove" in as_agent.get("/desk/?place=Atlantis").content.decode()
