"""One submitted application, whole, for reading only."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def path(draft: Draft) -> str:
    return f"/desk/{draft.application.reference}/"


def test_it_shows_everything(submitted: Draft, as_agent: Client) -> None:
    html = as_agent.get(path(submitted)).content.decode()
    markup = Markup(html)
    assert markup.faults == []
    headings = [one.text for one in markup.all("h2")]
    for heading in ("The company", "Funds", "People and companies", "Shares", "Documents"):
        assert heading in headings
    assert "History" in [one.text for one in markup.all("summary")]
    assert "Ordinary" in [one.text for one in markup.all("h3")]
    assert "USD\u00a050,000.00" in html
    assert "10,000" in html
    assert "Director, shareholder" in html
    assert "Submitted the application for review" in html
    assert "Saved" in html or "Sending" in html
    assert markup.one("h1").text == "Larkfield Holdings"


def test_the_application_itself_cannot_be_changed(submitted: Draft, as_agent: Client) -> None:
    markup = Markup(as_agent.get(path(submitted)).content.decode())
    forms = {one.attributes["action"] for one in markup.all("form", method="post") if one.inside("main")}
    own = {f"{path(submitted)}{one}/" for one in ("claim", "acceptances", "notes", "ruling")}
    assert forms == own | {"/desk/next-case/"}
    assert as_agent.post(path(submitted)).status_code == 405


def test_a_document_is_saved_and_not_shown(submitted: Draft, as_agent: Client) -> None:
    markup = Markup(as_agent.get(path(submitted)).content.decode())
    [link] = [one.attributes["href"] for one in markup.all("a") if one.text == "passport.pdf"]
    response = as_agent.get(link)
    assert b"".join(response) == factories.PDF  # type: ignore[arg-type]  # a stream of bytes
    assert response["Content-Disposition"] == f'attachment; filename="{submitted.application.reference}-passport.pdf"'
    assert response["Content-Type"] == "application/pdf"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_document_of_another_case_is_not_found(submitted: Draft, owner: Any, as_agent: Client) -> None:
    from formation_portal.applications import services

    other = factories.new_draft(owner)
    upload = factories.upload(name="plan.pdf")
    document = services.add_document(other, None, "Business plan", upload, by=owner)
    assert as_agent.get(f"{path(submitted)}documents/{document.pk}/").status_code == 404
    assert as_agent.get(f"{path(other)}documents/{document.pk}/").status_code == 404, "it is a draft"


def test_a_draft_is_not_found(draft: Draft, as_agent: Client) -> None:
    assert as_agent.get(path(draft)).status_code == 404
