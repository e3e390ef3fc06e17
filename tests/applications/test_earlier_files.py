"""Files that were uploaded before are offered again: one's own, of the same person, for the same slot; and copied."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles, can_serve
from formation_portal.applications.draft import Draft
from tests import factories
from tests.applications.test_documents import files


@pytest.fixture
def earlier(owner: Any) -> Draft:
    """Another application of the owner's, with Ada's passport."""
    other = factories.new_draft(owner)
    named = factories.ADA | {"person.last_name": "LOVELACE"}
    party = services.add_party(other, "person", ["shareholder"], named, by=owner)
    services.add_document(other, party, "Passport", factories.upload(name="ada.pdf"), by=owner)
    return other


def offered(draft: Draft, user: Any, slot: str = "Passport") -> list[str]:
    earlier = EarlierFiles(draft, user)
    return [file.name for file in earlier.fitting(draft.parties[0], slot)]


def test_the_passport_of_the_same_person_is_offered(draft: Draft, owner: Any, ada: Any, earlier: Draft) -> None:
    assert offered(draft, owner) == ["ada.pdf"]
    assert offered(draft, owner, "Letter") == []
    [source] = EarlierFiles(draft, owner).fitting(draft.parties[0], "Passport")
    assert EarlierFiles(draft, owner).about(source) == "Ada LOVELACE"
    services.add_document(
        earlier, earlier.parties[0], "Passport", factories.upload(factories.JPEG, "newer.jpg"), by=owner
    )
    assert offered(draft, owner) == ["newer.jpg"], "and none that was replaced"
    services.delete_draft(earlier.application, by=owner)
    assert offered(draft, owner) == []


def test_nobody_is_offered_the_files_of_others_or_of_another_person_of_that_name(
    draft: Draft, owner: Any, other_customer: Any, ada: Any, earlier: Draft
) -> None:
    assert offered(draft, other_customer) == []
    theirs = factories.new_draft(other_customer)
    services.add_party(theirs, "person", ["director"], factories.ADA, by=other_customer)
    assert offered(theirs, other_customer) == []
    assert offered(theirs, owner) == []
    namesake = factories.ADA | {"person.date_of_birth": {"day": "1", "month": "1", "year": "1970"}}
    another = factories.new_draft(owner)
    services.add_party(another, "person", ["director"], namesake, by=owner)
    assert offered(another, owner) == []


def test_a_document_of_the_company_is_offered_where_the_company_is_the_same(draft: Draft, owner: Any) -> None:
    other = factories.new_draft(owner)
    services.add_document(other, None, "Business plan", factories.upload(name="plan.pdf"), by=owner)
    for company, name in ((draft, "Larkfield Holdings"), (other, "larkfield  HOLDINGS")):
        assert EarlierFiles(draft, owner).fitting(None, "Business plan") == ()
        factories.save_section(company, "the-company", {"entity.name": name}, by=owner)
    assert [file.name for file in EarlierFiles(draft, owner).fitting(None, "Business plan")] == ["plan.pdf"]


@pytest.mark.parametrize(
    ("name", "slot", "does"),
    [
        ("Passport", "passport", True),
        ("Passport, certified copy", "Passport", True),
        ("Passport", "Passport, certified copy", False),
        ("Curriculum vitae", "Passport", False),
        ("护照", "护照", True),
        ("", "", False),
    ],
)
def test_a_document_serves_where_it_is_what_is_asked_for(name: str, slot: str, does: bool) -> None:
    assert can_serve(name, slot) is does


def test_a_file_that_is_used_again_is_a_copy_and_outlives_the_first(
    draft: Draft, owner: Any, ada: Any, earlier: Draft, django_capture_on_commit_callbacks: Any
) -> None:
    [source] = earlier.documents
    used = services.reuse_document(draft, ada, "Passport", source, by=owner)
    assert (used.name, used.sha256, used.size) == (source.name, source.sha256, source.size)
    assert used.file.name != source.file.name
    with django_capture_on_commit_callbacks(execute=True):
        services.remove_document(earlier, source, by=owner)
    with used.file.open() as kept:
        assert kept.read() == factories.PDF
    with django_capture_on_commit_callbacks(execute=True):
        services.remove_document(draft, used, by=owner)
    assert files() == []


def test_many_files_cost_as_many_queries_as_one_and_bring_nothing_large_along(
    draft: Draft, owner: Any, ada: Any, earlier: Draft
) -> None:
    def read() -> list[str]:
        with CaptureQueriesContext(connection) as seen:
            offers = EarlierFiles(draft, owner)
            fitting = [*offers.fitting(draft.parties[0], "Passport"), *offers.fitting(None, "Business plan")]
            assert all(offers.about(file) for file in fitting)
        return [query["sql"] for query in seen]

    # What is read of the application itself is no matter of these.
    assert draft.parties
    assert draft.documents is not None
    few = read()
    [source] = earlier.parties
    for number in range(8):
        about, slot = (source, "Passport") if number % 2 else (None, "Business plan")
        content = factories.upload(factories.PDF + str(number).encode())
        services.add_document(earlier, about, slot, content, by=owner)
    many = read()
    assert len(few) <= len(many) <= 4
    assert not any("snapshot_id" in query for query in many), "whole applications are read"
