"""Documents: every slot by whom it is about, uploads that are taken or refused, downloads for their owner alone."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Document, Party
from formation_portal.portal.pages import need_url
from formation_portal.ui.forms.controls import slot_id
from tests import factories
from tests.portal.pages import page_at, root, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def ada(draft: Draft, owner: Any) -> Party:
    return services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner, token="ada")


def url(draft: Draft, more: str = "") -> str:
    return f"{root(draft)}documents/{more}"


def upload(client: Client, draft: Draft, key: str, file: Any = None) -> Any:
    return client.post(url(draft), {"slot": key, "file": file or factories.upload()})


def test_whoever_uploads_agrees_that_files_are_kept_as_they_are(as_owner: Client, draft: Draft, owner: Any) -> None:
    words = "By uploading a file you agree that we keep it as it is"
    assert words in as_owner.get(url(draft)).content.decode()
    factories.fill_in(draft, by=owner)
    services.submit(draft, by=owner)
    assert words not in as_owner.get(url(draft)).content.decode()


def test_a_file_is_taken_into_its_slot(as_owner: Client, draft: Draft, ada: Party) -> None:
    response = upload(as_owner, draft, "ada/Passport")
    assert response["Location"] == f"{url(draft)}#slot:ada/Passport-slot"
    [document] = open_draft(draft.application).documents
    assert (document.slot, document.name, document.party) == ("Passport", "passport.pdf", ada)
    page = page_at(as_owner, url(draft))
    assert "“Passport” was uploaded." in page.one("div", id="messages").text
    assert "passport.pdf" in page.one("li", id="slot:ada/Passport-slot").text


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (SimpleUploadedFile("empty.pdf", b""), "This one is empty"),
        (SimpleUploadedFile("letter.pdf", b"PK\x03\x04 a Word document"), "The file must be a PDF, JPEG or PNG"),
        (
            SimpleUploadedFile("IMG_1.heic", b"\0\0\0\x18ftypheic" + b"\0" * 200),
            "This picture is HEIC, which we can’t open. Save it as JPEG, or on the iPhone choose Settings > Camera >",
        ),
        (SimpleUploadedFile("big.pdf", factories.PDF + b"0" * 10_000_000), "must be 10\u00a0MB"),
        ("", "Choose a file first"),
    ],
)
def test_a_file_that_cannot_be_taken_says_so_at_its_slot(
    as_owner: Client, draft: Draft, ada: Party, file: Any, words: str
) -> None:
    upload(as_owner, draft, "/Business plan")
    key = "ada/Passport"
    page = sound(as_owner.post(url(draft), {"slot": key, "file": file}), 422)
    assert page.one("title").text.startswith("Error: ")
    assert words in page.one("p", id=f"slot:{key}-error").text
    assert words in page.one("div", role="alert", tabindex="-1").text
    [kept] = open_draft(draft.application).documents
    assert kept.slot == "Business plan"


@pytest.mark.parametrize("key", ["", "/", "/Nothing", "0000000000/Passport", "Passport"])
def test_a_slot_that_nobody_asks_is_not_found(as_owner: Client, draft: Draft, ada: Party, key: str) -> None:
    assert upload(as_owner, draft, key).status_code == 404


def test_a_document_of_another_application_is_not_found(as_owner: Client, complete: Draft, owner: Any) -> None:
    other = factories.new_draft(owner)
    [document] = complete.documents
    assert as_owner.get(url(other, f"{document.pk}/")).status_code == 404
    assert as_owner.get(url(other, "999999999999999999999/")).status_code == 404


def test_the_day_of_an_upload_is_that_of_the_time_zone(complete: Draft, as_owner: Client) -> None:
    [document] = complete.documents
    # There it is 00:15 of the next day.
    Document.objects.update(uploaded_at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    slot = page_at(as_owner, url(complete)).one("li", id=f"slot:{document.subject}-slot")
    assert "25 November 2026" in slot.text.replace("\u00a0", " ")


def test_of_more_than_50_people_each_document_is_led_to_on_its_page(as_owner: Client, draft: Draft, owner: Any) -> None:
    for number in range(51):
        services.add_party(draft, "person", ["director"], {"person.first_name": f"Ada {number}"}, by=owner)
    last = draft.parties[-1]
    slot = slot_id(f"{last.token}/Passport")
    first = page_at(as_owner, url(draft))
    names = [one.text for one in first.all("h2", _class="name")]
    assert len(set(names)) == 50
    assert not first.all("li", id=f"{slot}-slot")
    (need,) = [need for need in draft.needs if need.party_id == last.token and need.slot == "Passport"]
    link = need_url(draft, need, back_to="check")
    assert link == f"{url(draft)}?party={last.token}&next=check#{slot}"
    there = page_at(as_owner, link)
    assert there.one("li", id=f"{slot}-slot")
    # The company's own documents are the first of the 52.
    assert len({*names, *(one.text for one in there.all("h2", _class="name"))}) == 52
    links = {one.text: one.attributes.get("href") for one in there.all("a")}
    assert links["1"] == "?next=check&page=1"
    # What is missing of others is told, and where.
    assert links["49 to upload"] == "?next=check&page=1"
    assert "2 to upload" in [one.text for one in first.all("a") if one.attributes.get("href") == "?page=2"]
    answer = upload(as_owner, draft, f"{last.token}/Passport")
    assert answer["Location"] == f"{url(draft)}?party={last.token}#{slot}-slot"
    refused = upload(as_owner, draft, f"{last.token}/Passport", SimpleUploadedFile("a.txt", b"text"))
    assert "The file must be" in sound(refused, 422).one("li", id=f"{slot}-slot").text
