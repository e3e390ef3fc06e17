"""The receipt, the progress, and withdrawing an application."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from tests.markup import Markup
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_what_was_decided_since_is_told_before_it_is_taken_back(submitted: Draft, as_owner: Client, agent: Any) -> None:
    asked = page_at(as_owner, f"{root(submitted)}withdrawal/")
    read = {"drawn": asked.one("input", name="drawn").attributes["value"]}
    services.advance(submitted, "begin_review", by=agent)
    services.advance(submitted, "approve", by=agent)
    answer = as_owner.post(f"{root(submitted)}withdrawal/", read)
    assert answer.status_code == 409
    page = Markup(answer.content.decode())
    assert f"changed to “{State.SUBMITTED_TO_CSP.words}” after you opened" in page.one("main").text
    assert Application.objects.get(pk=submitted.application.pk).status is State.SUBMITTED_TO_CSP
    as_owner.post(f"{root(submitted)}withdrawal/", {"drawn": page.one("input", name="drawn").attributes["value"]})
    assert Application.objects.get(pk=submitted.application.pk).status is State.WITHDRAWN


@pytest.mark.parametrize("state", [State.INCORPORATED, State.REJECTED, State.WITHDRAWN])
def test_what_is_final_stays(state: State, submitted: Draft, as_owner: Client) -> None:
    Application.objects.update(state=state)
    assert "Withdraw this application" not in as_owner.get(f"{root(submitted)}status/").content.decode()
    as_owner.post(f"{root(submitted)}withdrawal/")
    assert Application.objects.get(pk=submitted.application.pk).status is state


def test_a_draft_is_deleted_instead_of_taken_back(draft: Draft, as_owner: Client) -> None:
    assert as_owner.post(f"{root(draft)}withdrawal/")["Location"] == f"{root(draft)}removal/"
