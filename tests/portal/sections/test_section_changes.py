"""The answer to a change: it saves, and brings back only what the page shows wrong."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.markup import Markup
from tests.portal.pages import section_url, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def change(client: Client, application: Application, *, shown: Any = (), set_aside: str = "", **answers: Any) -> Markup:
    """Post a change as script does, from a page that shows these regions, and the line of what was set aside."""
    version = open_draft(application).version("the-company")
    post = {"version": str(version), "shown": list(shown), "set_aside": set_aside}
    post |= {f"q:{name}": value for name, value in answers.items()}
    response = client.post(section_url(application), post, HTTP_HX_REQUEST="true")
    assert response.status_code == 200
    page = Markup(response.content.decode())
    assert page.faults == []
    return page


def swapped(page: Markup) -> list[str]:
    return [one.attributes["id"] for one in page.elements if "hx-swap-oob" in one.attributes]


def test_a_choice_brings_the_questions_that_the_page_lacks_and_closes_others_with_their_answers(
    as_owner: Client, application: Application
) -> None:
    page = change(as_owner, application, activity="Trading")
    region = page.one("div", id="region-q:goods")
    assert "hidden" not in region.attributes
    assert "disabled" not in page.one("input", name="shown").attributes
    assert page.one("p", id="announcer").text == "1 question added below."
    assert open_draft(application).entity_raw == {"xy.activity": "Trading"}
    # What it shows already is left alone.
    page = change(as_owner, application, activity="Trading", goods="Fish", shown=("region-q:goods",))
    assert "region-q:goods" not in swapped(page)
    assert page.all("p", id="announcer") == []
    page = change(as_owner, application, activity="Holding company", goods="Cold fish", shown=("region-q:goods",))
    assert "hidden" in page.one("div", id="region-q:goods").attributes
    assert page.one("p", id="announcer").text == "1 question removed. We keep your answer until you submit."
    assert open_draft(application).entity_raw["xy.goods"] == "Cold fish"


def test_what_is_needed_the_version_and_the_mark_follow(as_owner: Client, application: Application) -> None:
    page = change(as_owner, application, name="Larkfield")
    assert {"needs-section", "saved", "drawn-from", "q:name-mark"} <= set(swapped(page))
    assert "Enter “Name”" not in page.one("section", id="needs-section").text
    assert page.one("input", id="version").attributes["value"] == "1"


def test_a_page_that_shows_everything_right_gets_an_empty_answer(as_owner: Client, application: Application) -> None:
    change(as_owner, application, name="Larkfield")
    post = {"version": "1", "q:name": "Larkfield"}
    assert as_owner.post(section_url(application), post, HTTP_HX_REQUEST="true").status_code == 204
    old = post | {"version": "0"}
    response = as_owner.post(section_url(application), old, HTTP_HX_REQUEST="true")
    assert Markup(response.content.decode()).one("input", id="version").attributes["value"] == "1"


DATE = {"q:started_on:day": "1", "q:started_on:month": "2", "q:started_on:year": "2024"}


def clash(client: Client, application: Application, **more: Any) -> Any:
    """The answer to a stale save: theirs is "Kestrel", mine is "Larkfield"."""
    client.post(section_url(application), {"version": "0", "q:name": "Kestrel", "q:activity": "Trading"})
    return client.post(
        section_url(application), {"version": "0", "q:name": "Larkfield", "q:activity": "Trading", **DATE}, **more
    )


def again(page: Markup, **keep: str) -> dict[str, list[str]]:
    """The form of the page, as a browser posts it, with these sides chosen."""
    post: dict[str, list[str]] = {}
    for one in page.all("input", type="hidden"):
        if one.attributes["name"] != "csrfmiddlewaretoken" and "disabled" not in one.attributes:
            post.setdefault(one.attributes["name"], []).append(one.attributes["value"])
    return post | {f"keep:q:{name}": [side] for name, side in keep.items()}


def test_both_texts_stand_beside_each_other_and_taking_theirs_saves_the_rest(
    as_owner: Client, application: Application
) -> None:
    page = sound(clash(as_owner, application), 409)
    assert [one.text.strip() for one in page.all("legend")] == ["Name", "Started on"]
    choices = [one.text for one in page.all("label", _class="choice")]
    assert [text.split(" ")[0] for text in choices] == ["Larkfield", "Kestrel", "1\u00a0February\u00a02024", "No"]
    assert open_draft(application).entity_raw == {"entity.name": "Kestrel", "xy.activity": "Trading"}
    as_owner.post(section_url(application), again(page, name="theirs", started_on="mine"))
    raw = open_draft(application).entity_raw
    assert raw["entity.name"] == "Kestrel"
    assert raw["xy.started_on"] == {"day": "1", "month": "2", "year": "2024"}


def test_a_third_change_meanwhile_is_not_overwritten_either(as_owner: Client, application: Application) -> None:
    page = Markup(clash(as_owner, application).content.decode())
    as_owner.post(section_url(application), {"version": "1", "q:name": "Wilgenhof"})
    assert as_owner.post(section_url(application), again(page, name="mine")).status_code == 409
    assert open_draft(application).entity_raw["entity.name"] == "Wilgenhof"


@pytest.mark.parametrize("version", ["", "-1", "x", "9" * 40, "²"])
def test_a_version_that_cannot_be_read_is_old_but_no_conflict_where_nothing_changes(
    as_owner: Client, application: Application, version: str
) -> None:
    as_owner.post(section_url(application), {"version": "0", "q:name": "Kestrel"})
    assert as_owner.post(section_url(application), {"version": version, "q:name": "Kestrel"}).status_code == 302
    assert as_owner.post(section_url(application), {"version": version, "q:name": "Larkfield"}).status_code == 409
