"""Removed people on the page of people: restored in one press until the application is submitted."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.markup import Markup
from tests.portal.pages import people_page, people_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def removed(complete: Draft, owner: Any) -> Draft:
    services.remove_party(complete, complete.parties[0], by=owner)
    return complete


def restoration(draft: Draft) -> str:
    return people_url(draft, f"{draft.removed_parties[0].token}/restoration/")


def test_whoever_was_removed_is_listed_apart(as_owner: Client, removed: Draft) -> None:
    page = people_page(as_owner, removed)
    row = page.one("li", id=f"removed-{removed.removed_parties[0].token}")
    assert "Ada Lovelace" in row.text
    assert "Director, shareholder. Removed" in row.text
    assert "You have not added anyone yet" in page.one("main").text
    assert "1 needed" in page.one("div", id="role-directors").text


def test_one_press_restores_all_of_it(as_owner: Client, removed: Draft) -> None:
    page = people_page(as_owner, removed)
    [form] = [one for one in page.all("form") if one.attributes.get("action", "").endswith("/restoration/")]
    response = as_owner.post(form.attributes["action"], follow=True)
    assert factories.again(removed).needs == ()
    message = Markup(response.content.decode()).one("div", id="messages").text
    assert message.strip() == "Ada Lovelace was restored."
    assert "Removed" not in [one.text for one in people_page(as_owner, removed).all("h2")]


def test_the_pages_of_a_removed_party_are_gone(as_owner: Client, removed: Draft) -> None:
    [model] = removed.removed_party_models
    document = model.documents.get()
    for page in (
        people_url(removed, f"{model.token}/"),
        f"/applications/{removed.application.reference}/documents/{document.pk}/",
    ):
        assert as_owner.get(page).status_code == 404
