"""Slots in every state, with advice that stands in nobody's way, earlier files, and files to be used again."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Document, Party
from formation_portal.applications.services.upload_checks import _PDF_REFUSALS, _PICTURE_REFUSALS
from formation_portal.documents.findings import REFUSED, FindingCode
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.ui.documents import _WORDS
from tests import factories
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup
from tests.portal.pages import page_at, people_url, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def ada(draft: Draft, owner: Any) -> Party:
    return services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="ada")


def documents_url(draft: Draft, more: str = "") -> str:
    return f"{root(draft)}documents/{more}"


def slot(client: Client, draft: Draft, key: str) -> Element:
    return page_at(client, documents_url(draft)).one("li", id=f"slot:{key}-slot")


def test_a_slot_says_why_its_file_came_back(as_owner: Client, complete: Draft) -> None:
    trouble = {"field": "", "code": "cut", "message": "The page with the photo is cut off"}
    rows = Delivery.objects.filter(application=complete.application, kind="document", subject="ada/Passport")
    update_each(rows, state=DeliveryState.REFUSED, problems=[trouble])
    text = slot(as_owner, complete, "ada/Passport").text
    assert "Returned to you" in text
    assert "The page with the photo is cut off" in text


def test_a_replaced_file_is_listed_with_both_dates_and_can_be_had_and_removed(
    as_owner: Client, draft: Draft, owner: Any, ada: Party
) -> None:
    services.add_document(draft, ada, "Passport", factories.upload(name="old.pdf"), by=owner)
    services.add_document(draft, ada, "Passport", factories.upload(name="new.pdf"), by=owner)
    [earlier] = draft.replaced_in(ada, "Passport")
    text = slot(as_owner, draft, "ada/Passport").text
    assert "1 earlier file" in text
    assert text.index("new.pdf") < text.index("old.pdf")
    assert "replaced on" in text
    file = as_owner.get(documents_url(draft, f"{earlier.pk}/"))
    assert b"".join(file.streaming_content) == factories.PDF  # type: ignore[attr-defined]
    question = documents_url(draft, f"{earlier.pk}/removal/")
    assert "The current file is kept." in page_at(as_owner, question).one("main").text
    as_owner.post(question)
    assert [one.name for one in Document.objects.all()] == ["new.pdf"]


def test_advice_stands_at_the_slot_and_on_the_check_page_and_in_nobodys_way(
    as_owner: Client, complete: Draft, owner: Any
) -> None:
    small = factories.upload(sample_files.jpeg(640, 480), "scan.jpg")
    page = sound(as_owner.post(documents_url(complete), {"slot": "ada/Passport", "file": small}, follow=True))
    assert "was uploaded. Check the note below." in page.one("div", id="messages").text
    words = "This picture is 640 × 480 pixels. Small print may be hard to read. Upload a larger one, or keep it."
    assert words in page.one("ul", id="slot:ada/Passport-advice").text
    assert page.one("input", id="slot:ada/Passport").attributes["aria-describedby"].endswith("-advice")
    assert words in page_at(as_owner, f"{root(complete)}check/").one("main").text
    draft = open_draft(complete.application)
    assert draft.needs == ()
    services.submit(draft, by=owner)


ADVICE = {
    "unreadable": "We can’t open this file",
    "protected": "This PDF needs a password",
    "no_pages": "This PDF has no pages",
    "too_large": "640 × 480 pixels, too many to show",
    "too_heavy": "took too long to open",
    "misnamed": "ends in “.pdf”, but the file is a PDF",
    "few_pixels": "640 × 480 pixels. Small print",
    "blurred": "looks blurred",
    "blank": "The first page looks nearly blank",
    "many_pages": "This file has 300 pages",
    "location": "the location where it was taken",
}


def test_every_code_has_its_words_and_says_what_to_do(as_owner: Client, draft: Draft, owner: Any, ada: Party) -> None:
    document = services.add_document(draft, ada, "Passport", factories.upload(), by=owner)
    for code in ADVICE:
        findings = {"pages": 300, "width": 640, "height": 480, "codes": [code]}
        Document.objects.filter(pk=document.pk).update(findings=findings)
        advice = page_at(as_owner, documents_url(draft)).one("ul", _class="slot-advice").text
        assert [key for key, words in ADVICE.items() if words in advice] == [code]
        assert "keep it" in advice
        assert "%" not in advice


def test_every_code_has_words_where_it_is_kept_or_where_it_is_refused() -> None:
    refused = {*_PDF_REFUSALS, *_PICTURE_REFUSALS}
    assert refused == set(REFUSED)
    assert {*_WORDS, *refused, FindingCode.MANY_PAGES} == set(FindingCode)


def test_advice_about_a_date_stands_at_its_document_and_goes_with_its_correction(as_owner: Client, owner: Any) -> None:
    asked = factories.field("good_until", "date", canonical_field="person.passport_expiry", label="Passport expires on")
    sections = [dict(section) for section in factories.SCHEMA["sections"]]
    sections[2]["person_fields"] = [*sections[2]["person_fields"], asked]
    draft = factories.new_draft(owner, schema={**factories.SCHEMA, "sections": sections})
    party = services.add_party(draft, "person", ["director"], {}, by=owner)
    for name in ("Passport", "Letter"):
        services.add_document(draft, party, name, factories.upload(), by=owner)

    def changed_to(day: date) -> Markup:
        parts = {"day": day.day, "month": day.month, "year": day.year}
        post = {f"q:person.passport_expiry:{part}": str(number) for part, number in parts.items()}
        post["version"] = str(open_draft(draft.application).parties[0].version)
        return sound(as_owner.post(people_url(draft, f"{party.token}/"), post, HTTP_HX_REQUEST="true"))

    for days, is_past in ((-40, True), (40, False), (-10, True)):
        answer = changed_to(date.today() + timedelta(days=days))
        assert ("which is in the past" in answer.one("div", id="slots").text) is is_past
        key = f"{party.token}/Passport"
        assert ("which is in the past" in slot(as_owner, draft, key).text) is is_past
        assert "which is in the past" not in slot(as_owner, draft, f"{party.token}/Letter").text


@pytest.fixture
def source(owner: Any) -> Document:
    """Ada's passport in another application of the owner's."""
    other = factories.new_draft(owner)
    party = services.add_party(other, "person", ["director"], factories.ADA, by=owner)
    return services.add_document(other, party, "Passport", factories.upload(name="ada.pdf"), by=owner)


@pytest.mark.usefixtures("ada", "source")
def test_a_file_of_another_application_is_used_again_in_one_press_that_saves_what_is_typed(
    as_owner: Client, draft: Draft
) -> None:
    path = people_url(draft, "ada/")
    value = page_at(as_owner, path).one("button", name="again").attributes["value"]
    response = as_owner.post(path, {"version": "1", "q:person.email": "ada@example.org", "again": value})
    assert response["Location"] == f"{path}?open=1#slot:ada/Passport-slot"
    after = open_draft(draft.application)
    assert [document.name for document in after.documents] == ["ada.pdf"]
    assert after.parties[0].raw["person.email"] == "ada@example.org"


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("number", ["0", "x", "", "99999999999999999999"])
def test_a_file_that_is_none_of_theirs_is_refused_at_the_slot(as_owner: Client, draft: Draft, number: str) -> None:
    page = sound(as_owner.post(documents_url(draft), {"again": f"{number}/ada/Passport"}), 422)
    assert page.one("p", id="slot:ada/Passport-error").text != ""
    assert open_draft(draft.application).documents == []


def test_another_customer_cannot_use_a_file_again(
    as_other_customer: Client, other_customer: Any, source: Document
) -> None:
    theirs = factories.new_draft(other_customer)
    party = services.add_party(theirs, "person", ["director"], factories.ADA, by=other_customer)
    path = documents_url(theirs)
    assert page_at(as_other_customer, path).all("button", name="again") == []
    assert as_other_customer.post(path, {"again": f"{source.pk}/{party.token}/Passport"}).status_code == 422
    address = f"{root(source.application)}documents/"
    assert as_other_customer.post(address, {"again": f"{source.pk}/x"}).status_code == 404
    assert open_draft(theirs.application).documents == []
