"""A page that cannot be changed says why."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.portal.pages import read_only_reason
from tests.markup import Markup

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (
            "submitted_for_review",
            "It is waiting for review. If something needs to change, we will return it to you.",
        ),
        ("in_review", "It is being reviewed. If something needs to change, we will return it to you."),
        ("submitted_to_csp", "It has been approved and is with the registry."),
        ("incorporated", "It has been incorporated."),
        ("rejected", "It was declined."),
        ("withdrawn", "It was withdrawn."),
    ],
)
def test_what_was_submitted_says_when_and_where_it_is(
    application: Application, owner: Any, state: str, reason: str
) -> None:
    Application.objects.update(state=state, submitted_at=timezone.now())
    words = read_only_reason(Application.objects.visible_to(owner).get())
    assert words.startswith("You submitted this application on ")
    assert words.endswith(f". {reason} These are the current answers.")


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
    answer = as_owner.get(f"/applications/{submitted.application.reference}/{path}")
    text = Markup(answer.content.decode()).one("main").text
    assert title in text
    assert "It is waiting for review. If something needs to change, we will return it to you." in text
