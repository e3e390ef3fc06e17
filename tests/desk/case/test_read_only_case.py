"""A submitted application is only read at the desk, and its documents are saved."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.desk.decision_setup import case_page, path

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_application_itself_cannot_be_changed(submitted: Draft, as_agent: Client) -> None:
    markup = case_page(as_agent, submitted)
    forms = {one.attributes["action"] for one in markup.all("form", method="post") if one.inside("main")}
    own = {f"{path(submitted)}{one}/" for one in ("claim", "acceptances", "notes", "ruling")}
    assert forms == own | {"/desk/next-case/"}
    assert as_agent.post(path(submitted)).status_code == 405


def test_a_document_is_saved_and_not_shown(submitted: Draft, as_agent: Client) -> None:
    markup = case_page(as_agent, submitted)
    [link] = [one.attributes["href"] for one in markup.all("a") if one.text == "passport.pdf"]
    response = as_agent.get(link)
    assert b"".join(response) == factories.PDF  # type: ignore[arg-type]  # a stream of bytes
    assert response["Content-Disposition"] == f'attachment; filename="{submitted.application.reference}-passport.pdf"'
    assert response["Content-Type"] == "application/pdf"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_document_of_another_case_is_not_found(submitted: Draft, owner: Any, as_agent: Client) -> None:
    other = factories.new_draft(owner)
    upload = factories.upload(name="plan.pdf")
    document = services.add_document(other, None, "Business plan", upload, by=owner)
    assert as_agent.get(f"{path(submitted)}documents/{document.pk}/").status_code == 404
    assert as_agent.get(f"{path(other)}documents/{document.pk}/").status_code == 404, "it is a draft"
    assert as_agent.get(path(other)).status_code == 404
