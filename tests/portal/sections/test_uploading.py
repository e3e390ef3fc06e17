"""Files in the form of a section or a party: taken with the answers typed beside them; neither is lost to the other."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document, Party
from tests import factories
from tests.markup import Markup
from tests.portal.pages import people_url, section_url, sound

pytestmark = pytest.mark.django_db(databases=["default", "service"])

LETTER = b"PK\x03\x04 a Word document"
KING = {"version": "1", "q:person.last_name": "King"}


@pytest.fixture
def ada(draft: Draft, owner: Any) -> Party:
    return services.add_party(draft, "person", ["director"], factories.ADA, by=owner)


@pytest.fixture
def page(application: Application, ada: Party) -> str:
    return people_url(application, f"{ada.token}/")


def stored(application: Application) -> list[tuple[str, str]]:
    return sorted((one.slot, one.name) for one in open_draft(application).documents)


def answer(application: Application, name: str) -> Any:
    [row] = open_draft(application).parties
    return row.raw.get(name)


def message(response: Any) -> str:
    return Markup(response.content.decode()).one("div", id="messages").text


def test_upload_saves_what_is_typed_and_comes_back_to_the_slot(
    as_owner: Client, application: Application, ada: Party, page: str
) -> None:
    key = f"{ada.token}/Passport"
    post = KING | {f"slot:{key}": factories.upload(), "slot": key}
    response = as_owner.post(f"{page}?next=check", post)
    assert response["Location"] == f"{page}?next=check&open=1#slot:{key}-slot"
    assert answer(application, "person.last_name") == "King"
    assert stored(application) == [("Passport", "passport.pdf")]
    assert "“Passport” was uploaded." in message(as_owner.get(page))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LETTER, "The file must be a PDF, JPEG or PNG"),
        (factories.PDF + b"0" * 10_000_000, "must be 10\u00a0MB"),
    ],
)
def test_a_refused_file_says_so_at_its_slot_and_loses_nothing_else(
    as_owner: Client, application: Application, ada: Party, page: str, content: bytes, words: str
) -> None:
    key = f"{ada.token}/Passport"
    post = KING | {
        f"slot:{key}": SimpleUploadedFile("pass.pdf", content),
        f"slot:{ada.token}/Letter": factories.upload(name="letter.pdf"),
    }
    html = sound(as_owner.post(page, post), 422)
    assert html.one("title").text.startswith("Error: ")
    assert words in html.one("p", id=f"slot:{key}-error").text
    summary = html.one("div", role="alert", tabindex="-1")
    assert summary.text.split("Everything")[0].strip() == "1 file could not be uploaded"
    assert "Choose the file again" in summary.text
    assert f"Passport: {html.one('p', id=f'slot:{key}-error').text.removeprefix('Error: ')}" in summary.text
    assert [one.attributes["href"] for one in html.all("a") if summary in one.ancestors] == [f"#slot:{key}"]
    assert html.one("input", name="q:person.last_name").attributes["value"] == "King"
    assert answer(application, "person.last_name") == "King"
    assert stored(application) == [("Letter", "letter.pdf")]


def test_an_answer_that_cannot_be_read_does_not_lose_the_file(
    as_owner: Client, application: Application, ada: Party, page: str
) -> None:
    key = f"{ada.token}/Passport"
    born = {"q:person.date_of_birth:day": "31", "q:person.date_of_birth:month": "2", "q:person.date_of_birth:year": "1"}
    html = sound(as_owner.post(page, {"version": "1", **born, f"slot:{key}": factories.upload(), "slot": key}), 422)
    assert html.one("input", name="q:person.date_of_birth:day").attributes["value"] == "31"
    assert "passport.pdf" in html.one("li", id=f"slot:{key}-slot").text
    assert stored(application) == [("Passport", "passport.pdf")]


def test_a_stale_page_still_takes_the_file_and_carries_the_answers(
    as_owner: Client, application: Application, ada: Party, page: str
) -> None:
    as_owner.post(page, {"version": "1", "q:person.last_name": "Byron"})
    key = f"{ada.token}/Passport"
    post = KING | {f"slot:{key}": factories.upload(), "slot": key}
    response = as_owner.post(page, post)
    assert response.status_code == 409
    assert "“Passport” was uploaded." in message(response)
    assert stored(application) == [("Passport", "passport.pdf")]
    hidden = Markup(response.content.decode()).all("input", type="hidden")
    again = {one.attributes["name"]: one.attributes["value"] for one in hidden} | {"keep:q:person.last_name": "mine"}
    assert again["q:person.last_name"] == "King"
    assert as_owner.post(page, again)["Location"] == f"{page}?open=1"
    assert answer(application, "person.last_name") == "King"


def test_a_page_that_can_no_longer_be_changed_says_that_the_file_was_not_taken(
    as_owner: Client, submitted: Draft
) -> None:
    before, post = (
        stored(submitted.application),
        {"version": "1", "slot:ada/Passport": factories.upload(name="new.pdf")},
    )
    response = as_owner.post(people_url(submitted, "ada/"), post)
    assert response.status_code == 409
    assert "“Passport” was not uploaded. The application is" in message(response)
    assert stored(submitted.application) == before


def test_a_file_for_a_role_that_is_given_up_is_said_to_be_lost(
    as_owner: Client, application: Application, ada: Party, page: str
) -> None:
    post = {"version": "1", "roles": ["", "manager"], f"slot:{ada.token}/Letter": factories.upload(name="letter.pdf")}
    response = as_owner.post(page, post, follow=True)
    assert "“Letter” was not uploaded, because it is no longer needed." in message(response)
    assert stored(application) == []


def test_remove_saves_what_is_typed_and_asks_once_more(
    as_owner: Client, application: Application, ada: Party, page: str, owner: Any
) -> None:
    services.add_document(open_draft(application), ada, "Passport", factories.upload(), by=owner)
    key = f"{ada.token}/Passport"
    response = as_owner.post(page, KING | {"removal": key})
    assert answer(application, "person.last_name") == "King"
    assert stored(application) == [("Passport", "passport.pdf")]
    question = response["Location"]
    assert as_owner.get(question).status_code == 200
    assert as_owner.post(question)["Location"] == page
    assert stored(application) == []
    assert as_owner.post(page, {"version": "2", "removal": key}).status_code == 302


def test_a_slot_of_somebody_else_and_a_change_that_script_posts_take_no_file(
    as_owner: Client, application: Application, ada: Party, page: str
) -> None:
    post = {"version": "0", f"slot:{ada.token}/Passport": factories.upload(), "slot": f"{ada.token}/Passport"}
    as_owner.post(section_url(application), post)
    assert Document.objects.count() == 0
    post = KING | {f"slot:{ada.token}/Passport": "[object File]"}
    response = as_owner.post(page, post, HTTP_HX_REQUEST="true")
    assert response.status_code == 200
    assert stored(application) == []
    assert answer(application, "person.last_name") == "King"


def test_after_a_session_has_ended_the_answers_are_sent_again_and_the_file_is_asked_for(
    as_nobody: Client, application: Application, ada: Party, page: str, owner: Any
) -> None:
    key = f"{ada.token}/Passport"
    post = KING | {f"slot:{key}": factories.upload(), "slot": key}
    as_nobody.post(page, post)
    as_nobody.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    html = Markup(as_nobody.get("/unsent/").content.decode())
    assert "Choose your file again" in html.one("main").text
    assert "Send again" in [one.text for one in html.all("button")]
    again = {one.attributes["name"]: one.text.removeprefix("\n") for one in html.all("textarea")}
    response = as_nobody.post(page, again)
    assert response.status_code == 422
    assert "Choose a file first" in Markup(response.content.decode()).one("p", id=f"slot:{key}-error").text
    assert answer(application, "person.last_name") == "King"
