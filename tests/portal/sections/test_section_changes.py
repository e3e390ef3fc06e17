"""The answer to a change: it saves, and brings back only what the page shows wrong."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.markup import Markup

from .test_section import url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def change(client: Client, application: Application, *, shown: Any = (), set_aside: str = "", **answers: Any) -> Markup:
    """Post a change as script does, from a page that shows these regions, and the line of what was set aside."""
    version = open_draft(application).version("the-company")
    post = {"version": str(version), "shown": list(shown), "set_aside": set_aside}
    post |= {f"q:{name}": value for name, value in answers.items()}
    response = client.post(url(application), post, HTTP_HX_REQUEST="true")
    assert response.status_code == 200
    page = Markup(response.content.decode())
    assert page.faults == []
    return page


def swapped(page: Markup) -> list[str]:
    return [one.attributes["id"] for one in page.elements if "hx-swap-oob" in one.attributes]


def test_a_choice_brings_the_questions_that_it_opens(as_owner: Client, application: Application) -> None:
    page = change(as_owner, application, activity="Trading")
    region = page.one("div", id="region-q:goods")
    assert "hidden" not in region.attributes
    assert "disabled" not in page.one("input", name="shown").attributes
    assert page.one("p", id="announcer").text == "1 question added below."
    assert open_draft(application).entity_raw == {"xy.activity": "Trading"}


def test_a_region_that_the_page_shows_already_is_left_alone(as_owner: Client, application: Application) -> None:
    page = change(as_owner, application, activity="Trading", shown=("region-q:goods",))
    assert "region-q:goods" not in swapped(page)
    assert page.all("p", id="announcer") == []


def test_a_region_that_closes_says_that_its_answer_is_kept(as_owner: Client, application: Application) -> None:
    change(as_owner, application, activity="Trading", goods="Fish")
    page = change(as_owner, application, activity="Holding company", goods="Fish", shown=("region-q:goods",))
    assert "hidden" in page.one("div", id="region-q:goods").attributes
    assert page.one("p", id="announcer").text == "1 question removed. We keep your answer until you submit."
    assert open_draft(application).entity_raw["xy.goods"] == "Fish"


def test_what_is_needed_the_version_and_the_mark_follow(as_owner: Client, application: Application) -> None:
    page = change(as_owner, application, name="Larkfield")
    assert {"needs-section", "saved", "drawn-from", "q:name-mark"} <= set(swapped(page))
    assert "Enter “Name”" not in page.one("section", id="needs-section").text
    assert page.one("input", id="version").attributes["value"] == "1"


def test_typed_text_of_a_hidden_question_is_kept(as_owner: Client, application: Application) -> None:
    change(as_owner, application, activity="Holding company", goods="Typed before")
    assert open_draft(application).entity_raw["xy.goods"] == "Typed before"


def test_a_page_that_shows_everything_right_gets_an_empty_answer(as_owner: Client, application: Application) -> None:
    change(as_owner, application, name="Larkfield")
    post = {"version": "1", "q:name": "Larkfield"}
    assert as_owner.post(url(application), post, HTTP_HX_REQUEST="true").status_code == 204
    old = post | {"version": "0"}
    response = as_owner.post(url(application), old, HTTP_HX_REQUEST="true")
    assert Markup(response.content.decode()).one("input", id="version").attributes["value"] == "1"
