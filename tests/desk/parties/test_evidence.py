"""What a document says at a fact of a party under review: noted about the page in the viewer, shown, removed."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.models import Evidence
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.parties.test_pages import address, fact, page, submitted, words
from tests.documents import sample_files
from tests.reviews.deciding import decide

__all__ = ["submitted"]
pytestmark = pytest.mark.django_db

NAME = Target.of_field("ada", "person.first_name")


@pytest.fixture
def two_pages(submitted: Draft, owner: Any, agent: Any) -> int:
    """Ada's passport with two pages; gives its number."""
    decide(submitted, RETURN, text="Both pages", by=agent, version=current_version(submitted.application))
    document = services.add_document(
        submitted, submitted.party("ada"), "Passport", factories.upload(sample_files.pdf(2), "both.pdf"), by=owner
    )
    services.submit(submitted, by=owner)
    return document.pk


def post(client: Client, draft: Draft, document: int, **more: str) -> Any:
    back, sight = f"{address(draft)}?document={document}&page=2", str(current_version(draft.application))
    return client.post(f"{address(draft)}evidence/", {"place": str(NAME), "sight": sight, "back": back} | more)


def test_the_page_in_the_viewer_is_noted_with_what_it_says(submitted: Draft, two_pages: int, as_agent: Client) -> None:
    answer = post(as_agent, submitted, two_pages, says="ADA AUGUSTA")
    assert answer["Location"].startswith(f"{address(submitted)}?document={two_pages}&page=2#at:")
    markup = page(as_agent, submitted)
    assert "Passport, page 2: ADA AUGUSTA noted by" in words(fact(markup, "First name"))
    [link] = [one.attributes for one in markup.all("a") if one.text == "Passport, page 2"]
    page_url = f"{address(submitted)}?open=1&document={two_pages}&page=2"
    assert (link["href"], link["hx-get"]) == (f"{page_url}#viewer", page_url)


def test_it_is_removed_at_its_fact(submitted: Draft, two_pages: int, as_agent: Client) -> None:
    post(as_agent, submitted, two_pages)
    button = page(as_agent, submitted).one("button", name="remove").attributes
    assert (button["value"], button["form"]) == (str(NAME), "evidence-removal")
    post(as_agent, submitted, two_pages, remove=str(NAME), place="")
    assert "Passport, page" not in words(fact(page(as_agent, submitted), "First name"))
    assert Evidence.objects.get().removed_at


def test_what_cannot_be_saved_is_kept_to_be_copied(submitted: Draft, as_agent: Client, owner: Any) -> None:
    answer = post(as_agent, submitted, 0, says="ADA AUGUSTA")
    assert answer.status_code == 422
    assert "This document was removed or replaced." in answer.content.decode()
    assert "ADA AUGUSTA" in answer.content.decode()
    theirs = submitted.documents_of(submitted.party("ingrid"))["Passport"].pk
    assert post(as_agent, submitted, 0, back=f"{address(submitted)}?document={theirs}").status_code == 422
    services.withdraw(submitted, by=owner)
    answer = post(as_agent, submitted, 0, says="ADA AUGUSTA")
    assert (answer.status_code, "ADA AUGUSTA" in answer.content.decode()) == (409, True)
    assert "evidence" not in [one.attributes.get("id") for one in page(as_agent, submitted).all("form")]


def test_only_agents_note_anything_and_only_of_a_party_of_the_case(
    submitted: Draft, as_agent: Client, as_owner: Client, as_nobody: Client
) -> None:
    assert post(as_owner, submitted, 0).status_code == 403
    assert post(as_nobody, submitted, 0).status_code == 302
    assert post(as_agent, submitted, 0, place=str(Target.of_field("ingrid", "person.first_name"))).status_code == 404
    assert as_agent.post(f"{address(submitted, 'nobody')}evidence/").status_code == 404
    assert as_agent.get(f"{address(submitted)}evidence/")["Location"] == address(submitted)
    assert not Evidence.objects.exists()


def test_an_accepted_fact_whose_document_was_replaced_says_so(
    submitted: Draft, two_pages: int, as_agent: Client, agent: Any, owner: Any
) -> None:
    post(as_agent, submitted, two_pages, says="ADA")
    accept(factories.again(submitted), [NAME], by=agent, version=current_version(submitted.application))
    assert fact(page(as_agent, submitted), "First name").inside("details")
    there = factories.again(submitted)
    decide(there, RETURN, text="Newer", by=agent, version=current_version(there.application))
    upload = factories.upload(sample_files.pdf(3), "newer.pdf")
    services.add_document(there, there.party("ada"), "Passport", upload, by=owner)
    services.submit(there, by=owner)
    markup = page(as_agent, submitted)
    row = fact(markup, "First name")
    assert "Passport was replaced after page 2 was noted: ADA" in words(row)
    assert markup.all("a", data_shows="page") == []
    assert not row.inside("details")
