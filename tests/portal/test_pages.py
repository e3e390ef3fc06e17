"""A page that cannot be changed says why."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.portal.pages import read_only_reason

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


@pytest.mark.parametrize("state", ["draft", "returned_for_changes"])
def test_what_is_open_can_be_changed_but_for_what_was_accepted(
    application: Application, owner: Any, state: str
) -> None:
    Application.objects.update(state=state, submitted_at=timezone.now())
    found = Application.objects.visible_to(owner).get()
    assert read_only_reason(found) == ""
    assert read_only_reason(found, is_accepted=True) == (
        "Our reviewer has accepted this. You can’t change it while you correct the rest."
    )
