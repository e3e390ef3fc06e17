"""Slots in every state, with advice that stands in nobody's way, earlier files, and files to be used again."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document, Party
from formation_portal.applications.services.upload_checks import _PDF_REFUSALS, _PICTURE_REFUSALS
from formation_portal.documents.findings import REFUSED, FindingCode
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.ui.documents import _WORDS
from tests import factories
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def ada(draft: Draft, owner: Any) -> Party:
    return services.add_party(draft, "person", ["director"], factories.ADA, by=owner)


def url(application: Application, more: str = "") -> str:
    return f"/applications/{application.reference}/{more}"


def page_at(client: Client, path: str) -> Markup:
    page = Markup(client.get(path).content.decode())
    assert page.faults == []
    assert page.unlabelled() == []
    return page


def slot(client: Client, application: Application, key: str) -> Element:
    return page_at(client, url(application, "documents/")).one("li", id=f"slot:{key}-slot")


def test_a_slot_says_why_its_file_came_back(as_owner: Client, complete: Draft) -> None:
    [document] = complete.documents
    trouble = {"field": "", "code": "cut", "message": "The page with the photo is cut off"}
    rows = Delivery.objects.filter(application=complete.application, kind="document", subject=document.subject)
    update_each(rows, state=DeliveryState.REFUSED, problems=[trouble])
    text = slot(as_owner, complete.application, document.subject).text
    assert "Returned to you" in text
    assert "The page with the photo is cut off" in text


def test_a_replaced_file_is_listed_with_both_dates_and_can_be_had_and_removed(
    as_owner: Client, draft: Draft, owner: Any, ada: Party
) -> None:
    services.add_document(draft, ada, "Passport", factories.upload(name="old.pdf"), by=owner)
    services.add_document(draft, ada, "Passport", factories.upload(name="new.pdf"), by=owner)
    [earlier] = draft.replaced_in(ada, "Passport")
    text = slot(as_owner, draft.application, f"{ada.token}/Passport").text
    assert "1 earlier file" in text
    assert text.index("new.pdf") < text.index("old.pdf")
    assert "replaced on" in text
    file = as_owner.get(url(draft.application, f"documents/{earlier.pk}/"))
    assert b"".join(file.streaming_content) == factories.PDF  # type: ignore[attr-defined]
    question = url(draft.application, f"documents/{earlier.pk}/removal/")
    assert "The current file is kept." in Markup(as_owner.get(question).content.decode()).one("main").text
    as_owner.post(question)
    assert [one.name for one in Document.objects.all()] == ["new.pdf"]


def test_advice_stands_at_the_slot_and_on_the_check_page_and_in_nobodys_way(
    as_owner: Client, complete: Draft, owner: Any
) -> None:
    [ada] = complete.parties
    small = factories.upload(sample_files.jpeg(640, 480), "scan.jpg")
    response = as_owner.post(
        url(complete.application, "documents/"), {"slot": f"{ada.token}/Passport", "file": small}, follow=True
    )
    page = Markup(response.content.decode())
    assert "was uploaded. Check the note below." in page.one("div", id="messages").text
    words = "This picture is 640 × 480 pixels. Small print may be hard to read. Upload a larger one, or keep it."
    assert words in page.one("ul", id=f"slot:{ada.token}/Passport-advice").text
    assert page.one("input", id=f"slot:{ada.token}/Passport").attributes["aria-describedby"].endswith("-advice")
    assert words in page_at(as_owner, url(complete.application, "check/")).one("main").text
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
        advice = page_at(as_owner, url(draft.application, "documents/")).one("ul", _class="slot-advice").text
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

    def changed_to(day: date) -> str:
        parts = {"day": day.day, "month": day.month, "year": day.year}
        post = {f"q:person.passport_expiry:{part}": str(number) for part, number in parts.items()}
        version = open_draft(draft.application).parties[0].version
        page = url(draft.application, f"people/{party.token}/")
        return as_owner.post(page, post | {"version": str(version)}, HTTP_HX_REQUEST="true").content.decode()

    for days, is_past in ((-40, True), (40, False), (-10, True)):
        answer = Markup(changed_to(date.today() + timedelta(days=days)))
        assert ("which is in the past" in answer.one("div", id="slots").text) is is_past
        key = f"{party.token}/Passport"
        assert ("which is in the past" in slot(as_owner, draft.application, key).text) is is_past
        assert "which is in the past" not in slot(as_owner, draft.application, f"{party.token}/Letter").text


class TestUsingAgain:
    """One press puts a file into a slot that was uploaded before."""

    @pytest.fixture
    def source(self, owner: Any) -> Document:
        other = factories.new_draft(owner)
        party = services.add_party(other, "person", ["director"], factories.ADA, by=owner)
        return services.add_document(other, party, "Passport", factories.upload(name="ada.pdf"), by=owner)

    def test_the_page_of_a_person_offers_it_and_saves_what_is_typed(
        self, as_owner: Client, draft: Draft, ada: Party, source: Document
    ) -> None:
        path = url(draft.application, f"people/{ada.token}/")
        value = page_at(as_owner, path).one("button", name="again").attributes["value"]
        response = as_owner.post(path, {"version": "1", "q:person.email": "ada@example.org", "again": value})
        assert response["Location"] == f"{path}?open=1#slot:{ada.token}/Passport-slot"
        after = open_draft(draft.application)
        assert [one.name for one in after.documents] == ["ada.pdf"]
        assert after.parties[0].raw["person.email"] == "ada@example.org"

    @pytest.mark.parametrize("number", ["0", "x", "", "99999999999999999999"])
    def test_a_file_that_is_none_of_theirs_is_refused_at_the_slot(
        self, as_owner: Client, draft: Draft, ada: Party, number: str
    ) -> None:
        key = f"{ada.token}/Passport"
        response = as_owner.post(url(draft.application, "documents/"), {"again": f"{number}/{key}"})
        assert response.status_code == 422
        assert Markup(response.content.decode()).one("p", id=f"slot:{key}-error").text != ""
        assert open_draft(draft.application).documents == []

    def test_another_customer_cannot_have_it(
        self, as_other_customer: Client, other_customer: Any, owner: Any, source: Document
    ) -> None:
        theirs = factories.new_draft(other_customer)
        party = services.add_party(theirs, "person", ["director"], factories.ADA, by=other_customer)
        path = url(theirs.application, "documents/")
        assert page_at(as_other_customer, path).all("button", name="again") == []
        assert as_other_customer.post(path, {"again": f"{source.pk}/{party.token}/Passport"}).status_code == 422
        assert (
            as_other_customer.post(url(source.application, "documents/"), {"again": f"{source.pk}/x"}).status_code
            == 404
        )
        assert open_draft(theirs.application).documents == []
