"""A change that posts only what it has changed: the rest stays, and what others did meanwhile is said as ever."""

import re
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.parsing import LINE_LIMIT
from tests.portal.pages import section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def opened(client: Client, application: Application) -> dict[str, str]:
    """What a page that is opened now says of itself."""
    html = client.get(section_url(application)).content.decode()
    return dict(re.findall(r'name="(version|drawn)"[^>]*?value="([^"]+)"', html))


def change(client: Client, application: Application, page: dict[str, str], **answers: str) -> Any:
    """A part of the form, as script posts it."""
    post = page | {f"q:{name}": value for name, value in answers.items()} | {"partial": "1"}
    return client.post(section_url(application), post, headers={"HX-Request": "true"})


def raw(application: Application) -> dict[str, Any]:
    return open_draft(Application.objects.get(pk=application.pk)).entity_raw


def test_what_others_have_changed_elsewhere_on_the_page_is_said(as_owner: Client, application: Application) -> None:
    change(as_owner, application, opened(as_owner, application), name="Kestrel")
    page, other = opened(as_owner, application), opened(as_owner, application)
    change(as_owner, application, other, name="Wilgenhof")
    response = change(as_owner, application, page, activity="Trading")
    assert "“Name” was changed in another window" in response.content.decode()
    assert response.headers["Unsaved"] == "1"
    assert raw(application) == {"entity.name": "Wilgenhof", "xy.activity": "Trading"}


def test_what_is_left_out_stays_and_its_own_earlier_changes_are_nobody_elses(
    as_owner: Client, application: Application
) -> None:
    page = opened(as_owner, application)
    assert "Unsaved" not in change(as_owner, application, page, name="Kestrel").headers
    response = change(as_owner, application, page, activity="Trading")
    assert "another window" not in response.content.decode()
    assert "Unsaved" not in response.headers
    assert raw(application) == {"entity.name": "Kestrel", "xy.activity": "Trading"}


def test_an_answer_that_both_have_changed_is_written_over_by_neither(
    as_owner: Client, application: Application
) -> None:
    page, other = opened(as_owner, application), opened(as_owner, application)
    change(as_owner, application, other, name="Kestrel")
    response = change(as_owner, application, page, name="Larkfield", activity="Trading")
    words = "“Name” was changed in another window, so your answer is not saved. Your other answers are saved."
    assert words in response.content.decode()
    assert response.headers["Unsaved"] == "1"
    assert raw(application) == {"entity.name": "Kestrel", "xy.activity": "Trading"}


def test_a_page_takes_the_posts_of_the_page_that_it_replaces_for_its_own(
    as_owner: Client, application: Application
) -> None:
    page, reloaded = opened(as_owner, application), opened(as_owner, application)
    change(as_owner, application, page, name="Kestrel")
    reloaded["drawn"] += "." + page["drawn"].split(".")[1]
    response = change(as_owner, application, reloaded, name="Kestrel and Kite")
    assert "another window" not in response.content.decode()
    assert raw(application) == {"entity.name": "Kestrel and Kite"}
    # One that comes later still changes nothing.
    change(as_owner, application, page, name="Kestrel")
    assert raw(application) == {"entity.name": "Kestrel and Kite"}


@pytest.mark.parametrize("more", [".x", ".0.0", "." + "0" * 10_000])
def test_ids_of_earlier_pages_that_are_none_count_for_nothing(
    more: str, as_owner: Client, application: Application
) -> None:
    page = opened(as_owner, application)
    change(as_owner, application, page | {"drawn": page["drawn"] + more}, name="Kestrel")
    assert raw(application) == {"entity.name": "Kestrel"}


def test_an_answer_that_is_too_long_is_posted_again(as_owner: Client, application: Application) -> None:
    page = opened(as_owner, application)
    response = change(as_owner, application, page, name="x" * (LINE_LIMIT + 1))
    assert response.headers["Unsaved"] == "1"
    assert raw(application) == {}
