"""Submitting: declared, complete, and once."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

DECLARED = {"declaration": "1"}


def path(draft: Draft) -> str:
    return f"{root(draft)}submission/"


def state(draft: Draft) -> State:
    return Application.objects.get(pk=draft.application.pk).status


def test_a_complete_draft_is_submitted(complete: Draft, as_owner: Client, owner: Any) -> None:
    response = as_owner.post(path(complete), DECLARED)
    assert response["Location"].endswith("/status/")
    application = Application.objects.get(pk=complete.application.pk)
    assert application.status is State.SUBMITTED_FOR_REVIEW
    assert application.submitted_by == owner
    assert application.declaration.startswith(
        "I declare that the information in this application for Larkfield Holdings"
    )


def test_the_box_must_be_ticked(complete: Draft, as_owner: Client) -> None:
    response = as_owner.post(path(complete), {})
    assert response.status_code == 422
    assert state(complete) is State.DRAFT
    assert "checked" not in Markup(response.content.decode()).one("input", id="declaration").attributes


def test_what_is_needed_is_shown_and_nothing_is_sent(draft: Draft, as_owner: Client) -> None:
    response = as_owner.post(path(draft), DECLARED)
    assert response.status_code == 422
    assert state(draft) is State.DRAFT
    markup = Markup(response.content.decode())
    assert "Not submitted. Complete the items below" in markup.one("main").text
    for need in draft.needs:
        assert any(one.text == need.text for one in markup.all("a"))
    assert "checked" in markup.one("input", id="declaration").attributes


def test_what_was_changed_after_the_page_was_read_is_not_declared(
    complete: Draft, as_owner: Client, owner: Any
) -> None:
    def declared() -> dict[str, str]:
        page = page_at(as_owner, f"{root(complete)}check/")
        return DECLARED | {"drawn": page.one("input", name="drawn").attributes["value"]}

    read = declared()
    factories.save_section(complete, "the-company", {"entity.name": "Heron Holdings"}, by=owner)
    answer = as_owner.post(path(complete), read)
    assert answer.status_code == 409
    assert state(complete) is State.DRAFT
    markup = Markup(answer.content.decode())
    alert = next(one for one in markup.all("div") if one.attributes.get("role") == "alert")
    assert "Something has changed since you opened this page" in alert.text
    assert ": Name" in alert.text
    assert "checked" not in markup.one("input", id="declaration").attributes
    again = DECLARED | {"drawn": markup.one("input", name="drawn").attributes["value"]}
    assert as_owner.post(path(complete), again)["Location"].endswith("/status/")
    assert state(complete) is State.SUBMITTED_FOR_REVIEW
