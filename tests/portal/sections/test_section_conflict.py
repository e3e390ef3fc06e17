"""A save from a page that was older than what stands there: nothing is lost, and there is a way out."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.markup import Markup
from tests.portal.pages import sound

from .test_section import url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

DATE = {"q:started_on:day": "1", "q:started_on:month": "2", "q:started_on:year": "2024"}


def clash(client: Client, application: Application, **more: Any) -> Any:
    """The answer to a stale save: theirs is "Kestrel", mine is "Larkfield"."""
    client.post(url(application), {"version": "0", "q:name": "Kestrel", "q:activity": "Trading"})
    return client.post(
        url(application), {"version": "0", "q:name": "Larkfield", "q:activity": "Trading", **DATE}, **more
    )


def again(page: Markup, **keep: str) -> dict[str, list[str]]:
    """The form of the page, as a browser posts it, with these sides chosen."""
    post: dict[str, list[str]] = {}
    for one in page.all("input", type="hidden"):
        if one.attributes["name"] != "csrfmiddlewaretoken" and "disabled" not in one.attributes:
            post.setdefault(one.attributes["name"], []).append(one.attributes["value"])
    return post | {f"keep:q:{name}": [side] for name, side in keep.items()}


def test_both_texts_stand_beside_each_other(as_owner: Client, application: Application) -> None:
    page = sound(clash(as_owner, application), 409)
    assert [one.text.strip() for one in page.all("legend")] == ["Name", "Started on"]
    choices = [one.text for one in page.all("label", _class="choice")]
    assert [text.split(" ")[0] for text in choices] == ["Larkfield", "Kestrel", "1\u00a0February\u00a02024", "No"]
    assert open_draft(application).entity_raw == {"entity.name": "Kestrel", "xy.activity": "Trading"}


def test_taking_theirs_leaves_that_answer_and_saves_the_rest(as_owner: Client, application: Application) -> None:
    page = Markup(clash(as_owner, application).content.decode())
    as_owner.post(url(application), again(page, name="theirs", started_on="mine"))
    raw = open_draft(application).entity_raw
    assert raw["entity.name"] == "Kestrel"
    assert raw["xy.started_on"] == {"day": "1", "month": "2", "year": "2024"}


def test_a_third_change_meanwhile_is_not_overwritten_either(as_owner: Client, application: Application) -> None:
    page = Markup(clash(as_owner, application).content.decode())
    as_owner.post(url(application), {"version": "1", "q:name": "Wilgenhof"})
    assert as_owner.post(url(application), again(page, name="mine")).status_code == 409
    assert open_draft(application).entity_raw["entity.name"] == "Wilgenhof"


def test_a_post_that_changes_nothing_is_no_conflict(as_owner: Client, application: Application) -> None:
    as_owner.post(url(application), {"version": "0", "q:name": "Kestrel"})
    assert as_owner.post(url(application), {"version": "0", "q:name": "Kestrel"}).status_code == 302


@pytest.mark.parametrize("version", ["", "-1", "x", "9" * 40, "²"])
def test_a_version_that_cannot_be_read_is_old(as_owner: Client, application: Application, version: str) -> None:
    as_owner.post(url(application), {"version": "0", "q:name": "Kestrel"})
    assert as_owner.post(url(application), {"version": version, "q:name": "Larkfield"}).status_code == 409
