"""A page that cannot be changed says why."""

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("sections/the-company/", "You can’t change these answers"),
        ("people/", "You can’t change this"),
        ("people/ada/", "You can’t change these answers"),
        ("people/ada/invitation/", "You can’t invite anyone"),
        ("people/spreadsheet/", "You can’t change this"),
        ("shares/", "You can’t change this"),
        ("shares/classes/ordinary/", "You can’t change these answers"),
        ("documents/", "You can’t change this"),
    ],
)
def test_every_page_of_what_was_submitted_says_that_it_cannot_be_changed(
    as_owner: Client, submitted: Draft, path: str, title: str
) -> None:
    text = page_at(as_owner, f"{root(submitted)}{path}").one("main").text
    assert title in text
    assert "It is waiting for review. If something needs to change, we will return it to you." in text
    assert "These are the current answers." in text
