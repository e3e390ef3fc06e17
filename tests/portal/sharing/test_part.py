"""One's own part: by link and code, without an account; what is theirs, and nothing else."""

import logging
import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change, Party
from formation_portal.applications.parties import PartyRow
from formation_portal.audit.models import Actor, AuditAction, Entry
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage, current_stage
from formation_portal.mail.models import Email
from tests import factories
from tests.encrypted_rows import rows_with
from tests.invitations import mailbox
from tests.markup import Markup
from tests.portal.pages import page_at, sound
from tests.portal.sharing.test_overtaking_posts import version_fields
from tests.words_shown import words_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# What belongs to the application, and to nobody who was invited to a part of it.
SECRETS = ("Larkfield", "Ingrid", "Solheim", "Ada", "Bob", "Lovelace", "Ordinary", "business-plan.pdf")
REFERENCE = re.compile(r"\bFP-\w{4}-")


@pytest.fixture
def company(draft: Draft, owner: Any) -> Draft:
    """A company with a name, two people, a class of shares and a file of its own."""
    factories.save_section(draft, "the-company", factories.COMPANY, by=owner)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="ada")
    bob = {"person.first_name": "Bob", "person.last_name": "Byron"}
    services.add_party(draft, "person", ["director", "shareholder"], bob, by=owner)
    services.add_share_class(draft, factories.ORDINARY, by=owner)
    services.add_document(draft, None, "Business plan", factories.upload(name="business-plan.pdf"), by=owner)
    services.add_document(draft, draft.parties[1], "Passport", factories.upload(name="bob.pdf"), by=owner)
    return draft


@pytest.fixture
def invitation(company: Draft, owner: Any) -> Invitation:
    return parts.invite(company, company.parties[0], email="ada@example.com", by=owner, language="en")


@pytest.fixture
def visitor(invitation: Invitation, as_nobody: Client) -> Client:
    """The browser of somebody who has the link, and not the code."""
    as_nobody.get(mailbox.latest_link("invitation"))
    return as_nobody


@pytest.fixture
def guest(invitation: Invitation) -> Client:
    """Ada's browser, after link and code."""
    return let_in(Client(), invitation)


def let_in(browser: Client, invitation: Invitation) -> Client:
    browser.get(mailbox.latest_link("invitation"))
    browser.post(url(invitation, "code/"))
    assert browser.post(url(invitation, "code/"), {"code": mailbox.latest_code()})["Location"] == url(invitation)
    return browser


def url(invitation: Invitation, more: str = "") -> str:
    return f"/part/{invitation.reference}/{more}"


def stage(invitation: Invitation) -> InvitationStage:
    invitation.refresh_from_db()
    return current_stage(invitation, now=timezone.now())[0]


def stored(invitation: Invitation) -> PartyRow:
    row = open_draft(Application.objects.get(pk=invitation.application_id)).party(invitation.party.token)
    assert row is not None
    return row


def fill_in(browser: Client, invitation: Invitation, answers: dict[str, str], **more: Any) -> Any:
    """Post the part with these answers by field name."""
    posted = {"version": str(stored(invitation).version)} | {f"q:{name}": value for name, value in answers.items()}
    return browser.post(url(invitation), posted | more)


def test_the_link_leads_on_without_its_key(invitation: Invitation, as_nobody: Client) -> None:
    response = as_nobody.get(mailbox.latest_link("invitation"))
    assert response.status_code == 302
    assert response["Location"] == url(invitation)
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Cache-Control"] == "no-store"
    cookie = response.cookies["part"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (url(invitation), True, "Lax")


def test_no_page_before_the_code_names_anybody(invitation: Invitation, visitor: Client) -> None:
    assert visitor.get(url(invitation))["Location"] == url(invitation, "code/")
    code = url(invitation, "code/")
    for response in (visitor.get(code), visitor.post(code, follow=True), visitor.post(code, {"code": "000000"})):
        text = response.content.decode()
        assert words_in(text, (*SECRETS, "ada@example.com")) == []
        assert not REFERENCE.search(text)
        assert Markup(text).faults == []


def test_the_code_goes_to_the_address_of_the_invitation_once_it_is_asked_for(
    invitation: Invitation, visitor: Client
) -> None:
    visitor.get(url(invitation, "code/"))
    assert stage(invitation) is InvitationStage.SENT
    assert not Email.objects.filter(kind="code").exists()
    visitor.post(url(invitation, "code/"), {"email": "thief@example.com"})
    assert mailbox.latest_mail("code").to == "ada@example.com"
    assert stage(invitation) is InvitationStage.OPENED


@pytest.mark.usefixtures("guest")
def test_a_forwarded_link_alone_opens_nothing(invitation: Invitation, visitor: Client) -> None:
    for more in ("", "completion/", "documents/1/", "documents/1/removal/"):
        assert visitor.get(url(invitation, more))["Location"] == url(invitation, "code/")
        assert visitor.post(url(invitation, more), {"q:person.last_name": "King"}).status_code in (302, 405)
    assert stored(invitation).raw["person.last_name"] == "Lovelace"


def test_a_code_cannot_be_guessed_at_the_page(invitation: Invitation, visitor: Client) -> None:
    code = url(invitation, "code/")
    visitor.post(code)
    wrong = f"{(int(mailbox.latest_code()) + 1) % 1_000_000:06}"
    for _ in range(5):
        assert visitor.post(code, {"code": wrong}).status_code == 422
    page = sound(visitor.post(code, {"code": mailbox.latest_code()}), 422)
    assert "This code has expired" in page.one("main").text
    assert visitor.get(url(invitation))["Location"] == code


def test_too_many_codes_are_refused_at_the_button(invitation: Invitation, visitor: Client) -> None:
    Invitation.objects.update(codes_since=timezone.now(), codes_sent=10)
    assert visitor.post(url(invitation, "code/")).status_code == 429
    assert not Email.objects.filter(kind="code").exists()


def test_the_part_shows_what_is_theirs_and_nothing_else(invitation: Invitation, guest: Client) -> None:
    page = page_at(guest, url(invitation))
    assert page.one("h1").text == "Ada Lovelace"
    assert page.one("input", name="q:person.first_name").attributes["value"] == "Ada"
    text = guest.get(url(invitation)).content.decode()
    assert words_in(text, ("Bob", "Byron", "bob.pdf", "business-plan.pdf", "Ordinary", "owner@example.com")) == []
    assert "/applications/" not in text
    assert "Larkfield Holdings" in text
    assert "Ingrid Solheim" in text
    assert page.all("input", name="q:xy.person.appointed_by") == []


def test_what_is_saved_is_the_partys(invitation: Invitation, guest: Client) -> None:
    response = fill_in(guest, invitation, {"xy.person.is_pep": "true", "xy.person.pep_office": "Mayor"})
    assert response["Location"] == url(invitation)
    assert stored(invitation).raw["xy.person.pep_office"] == "Mayor"
    assert stage(invitation) is InvitationStage.IN_PROGRESS
    change = Change.objects.latest("pk")
    assert (change.who, change.what) == (None, "Changed Ada Lovelace")


def test_nothing_but_their_own_can_be_posted(invitation: Invitation, guest: Client) -> None:
    before = stored(invitation)
    answers = {"person.last_name": "King", "entity.name": "Mine Ltd", "xy.person.appointed_by": "x"}
    fill_in(guest, invitation, answers, roles=["", "shareholder"])
    after = stored(invitation)
    assert after.roles == before.roles == ("director",)
    assert dict(after.raw) == dict(before.raw) | {"person.last_name": "King"}
    assert open_draft(Application.objects.get()).title == "Larkfield Holdings"


def test_no_button_leads_out_of_the_part(invitation: Invitation, guest: Client) -> None:
    for query, more in (("", {"later": "1"}), ("?next=check", {}), ("?next=overview", {"later": "1"})):
        posted = {"version": str(stored(invitation).version), "q:person.last_name": "King"}
        assert guest.post(url(invitation) + query, posted | more)["Location"] == url(invitation)


def test_an_unreadable_answer_is_kept_and_said(invitation: Invitation, guest: Client) -> None:
    born = {f"person.date_of_birth:{part}": value for part, value in (("day", "31"), ("month", "2"), ("year", "1985"))}
    page = sound(fill_in(guest, invitation, born, done="1"), 422)
    assert page.one("p", id="q:person.date_of_birth-error").text.startswith("Error: ")
    assert page.one("input", name="q:person.date_of_birth:month").attributes["value"] == "2"
    assert stored(invitation).raw["person.date_of_birth"]["day"] == "31"
    assert stage(invitation) is InvitationStage.IN_PROGRESS


def test_nobody_is_told_who_else_works_on_it(invitation: Invitation, guest: Client, company: Draft, owner: Any) -> None:
    fields = version_fields(guest, url(invitation))
    services.save_party(company, company.parties[0], {"person.last_name": "Byron"}, version=1, by=owner)
    response = guest.post(url(invitation), fields | {"q:person.last_name": "King"})
    assert (response.status_code, "Byron" in response.content.decode()) == (409, True)
    assert "Solheim" not in response.content.decode()


def test_a_file_goes_into_their_slot_and_can_be_had_and_removed(invitation: Invitation, guest: Client) -> None:
    for file in (factories.upload(factories.PDF + b"first", name="first.pdf"), factories.upload(name="ada.pdf")):
        assert fill_in(guest, invitation, {}, **{"slot:ada/Passport": file}).status_code == 302
    text = guest.get(url(invitation)).content.decode()
    assert "ada.pdf" in text
    assert "first.pdf" not in text, "a file that was replaced is not shown"
    assert "/applications/" not in text
    [document] = rows_with(Application.objects.get().documents, name="ada.pdf")
    assert document.uploaded_by is None
    assert b"".join(guest.get(url(invitation, f"documents/{document.pk}/")).streaming_content) == factories.PDF
    look = Entry.objects.get(action=AuditAction.LOOK)
    assert (look.actor, look.account, look.subject) == (Actor.GUEST, 0, str(document.pk))
    response = fill_in(guest, invitation, {}, removal="ada/Passport")
    assert response["Location"] == url(invitation, f"documents/{document.pk}/removal/")
    page = guest.get(response["Location"]).content.decode()
    assert "/applications/" not in page
    assert words_in(page, ["Bob"]) == []
    assert guest.post(response["Location"])["Location"] == url(invitation)
    assert "ada.pdf was removed." in guest.get(url(invitation)).content.decode()
    assert "ada.pdf" not in guest.get(url(invitation)).content.decode()


def test_being_done_is_said_and_can_be_taken_back(
    invitation: Invitation, guest: Client, company: Draft, owner: Any
) -> None:
    services.add_document(company, company.parties[0], "Passport", factories.upload(), by=owner)
    response = fill_in(guest, invitation, {"person.last_name": "King"}, done="1")
    assert response["Location"] == url(invitation, "completion/")
    assert stage(invitation) is InvitationStage.DONE
    assert stored(invitation).raw["person.last_name"] == "King"
    page = page_at(guest, url(invitation, "completion/"))
    assert page.one("h1").text == "You have finished"
    assert guest.get(url(invitation))["Location"] == url(invitation, "completion/")
    assert page_at(guest, url(invitation, "?again=1")).one("h1").text == "Ada King"
    fill_in(guest, invitation, {"person.last_name": "Lovelace"})
    assert stage(invitation) is InvitationStage.IN_PROGRESS


def test_a_guest_with_something_missing_stays_on_the_form_and_sees_it(invitation: Invitation, guest: Client) -> None:
    empty = {f"person.date_of_birth:{part}": "" for part in ("day", "month", "year")}
    response = fill_in(guest, invitation, empty | {"person.last_name": "King"}, done="1")
    assert response["Location"] == url(invitation, "?finishing=1")
    page = page_at(guest, response["Location"])
    assert page.one("h2", id="missing").text == "1 answer and 1 document are missing. Complete them to finish."
    message = page.one("div", role="alert", aria_labelledby="missing")
    assert (message.attributes["tabindex"], "autofocus" in message.attributes) == ("-1", True)
    links = {link.attributes["href"]: link.text for link in page.all("a") if message in link.ancestors}
    assert links == {"#q:person.date_of_birth": "Enter “Date of birth”", "#slot:ada/Passport": "Upload “Passport”"}
    assert {address.removeprefix("#") for address in links} <= {
        control.attributes.get("id") for control in page.controls
    }
    assert stage(invitation) is InvitationStage.IN_PROGRESS
    assert stored(invitation).raw["person.last_name"] == "King"
    assert guest.get(url(invitation, "completion/"))["Location"] == url(invitation)
    assert "You have finished" not in guest.get(url(invitation, "completion/"), follow=True).content.decode()


PAST = datetime(2025, 3, 2, 9, tzinfo=UTC)
ENDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "expired": (Invitation, {"expires_at": PAST}),
    "withdrawn": (Invitation, {"withdrawn_at": PAST}),
    "removed": (Party, {"removed_at": PAST}),
    "submitted": (Application, {"state": "submitted_for_review"}),
    "sent again": (Invitation, {"round": 9, "key_digest": "x"}),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_is_over_opens_nothing_and_names_nobody(
    invitation: Invitation, guest: Client, visitor: Client, end: str
) -> None:
    model, changes = ENDS[end]
    model.objects.update(**changes)
    for more in ("", "code/", "completion/", "documents/1/", "documents/1/removal/"):
        for ask in (guest.get, guest.post, visitor.get, visitor.post):
            response = ask(url(invitation, more), {"q:person.last_name": "King", "code": "1"})
            assert response.status_code in (404, 405)
            text = response.content.decode().replace("King", "")
            assert words_in(text, SECRETS) == []
            assert not REFERENCE.search(text)
    [ada] = Party.objects.filter(pk=invitation.party_id)
    assert ada.raw["person.last_name"] == "Lovelace"


def test_the_page_of_a_wrong_link_is_the_same_for_every_name(invitation: Invitation, as_nobody: Client) -> None:
    answers = as_nobody.get(url(invitation)), as_nobody.get("/part/0000000000/")
    assert [answer.status_code for answer in answers] == [404, 404]
    pages = [re.sub(rb"nonce=[\w-]{22}", b"", answer.content) for answer in answers]
    assert pages[0].replace(invitation.reference.encode(), b"") == pages[1].replace(b"0000000000", b"")
    answer = as_nobody.get("/invitation/", {"key": "wrong"})
    right = Client().get(mailbox.latest_link("invitation"))
    assert answer.status_code == right.status_code == 302
    assert len(answer["Location"]) == len(right["Location"])
    assert as_nobody.get(answer["Location"]).status_code == 404


@pytest.mark.parametrize("key", ["x", "A" * 43, "\x00", "' or 1=1 --"])
def test_hostile_keys_open_nothing(invitation: Invitation, as_nobody: Client, key: str) -> None:
    response = as_nobody.get("/invitation/", {"key": key}, follow=True)
    assert response.status_code == 404


@pytest.mark.parametrize("value", ["x", "{reference}:1:known", "{reference}:1:known:0:0", "9" * 4_000])
def test_a_forged_pass_opens_nothing(invitation: Invitation, as_nobody: Client, value: str) -> None:
    as_nobody.cookies["part"] = value.format(reference=invitation.reference)
    assert as_nobody.get(url(invitation)).status_code == 404


def test_the_pass_of_one_part_opens_no_other(invitation: Invitation, guest: Client, company: Draft, owner: Any) -> None:
    other = parts.invite(company, company.parties[1], email="bob@example.com", by=owner, language="en")
    assert guest.get(url(other)).status_code == 404
    # Nor where a browser were to send it there.
    stolen = Client()
    stolen.cookies["part"] = guest.cookies["part"].value
    assert stolen.get(url(other)).status_code == 404


def test_a_pass_lasts_for_half_a_day(invitation: Invitation, guest: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    for seconds, status in ((-60, 200), (60, 404)):
        moment = now + 12 * 3600 + seconds
        monkeypatch.setattr("django.core.signing.time.time", lambda moment=moment: moment)
        assert guest.get(url(invitation)).status_code == status


def test_what_was_typed_when_the_pass_had_ended_can_be_sent_again(invitation: Invitation, as_nobody: Client) -> None:
    response = as_nobody.post(url(invitation), {"version": "1", "q:person.last_name": "King & Queen"})
    assert response.status_code == 404
    page = Markup(response.content.decode())
    assert page.faults == []
    assert page.one("textarea", name="q:person.last_name").text.strip() == "King & Queen"
    assert "King & Queen" in page.one("dl", _class="summary").text


def test_a_new_link_is_asked_for_in_one_press(invitation: Invitation, guest: Client, as_owner: Client) -> None:
    Invitation.objects.update(expires_at=PAST)
    action = url(invitation, "renewal/")
    assert sound(guest.get(url(invitation)), 404).all("form", action=action)
    guest.post(action)
    invitation.refresh_from_db()
    assert invitation.wanted_at is not None
    people = as_owner.get(f"/applications/{invitation.application.reference}/people/").content.decode()
    assert "They have asked for a new link" in people


def test_leaving_ends_the_session_on_the_server_and_the_link_opens_another(
    invitation: Invitation, guest: Client
) -> None:
    copy = Client()
    copy.cookies["part"] = guest.cookies["part"].value
    assert copy.get(url(invitation)).status_code == 200
    assert guest.post(url(invitation, "leave/")).status_code == 200
    for browser in (guest, copy):
        assert browser.get(url(invitation)).status_code == 404
        assert browser.post(url(invitation), {"q:person.last_name": "King"}).status_code == 404
    assert stored(invitation).raw["person.last_name"] == "Lovelace"
    let_in(guest, invitation)
    assert guest.get(url(invitation)).status_code == 200
    assert copy.post(url(invitation, "leave/")).status_code == 200
    assert guest.get(url(invitation)).status_code == 200, "a session that is over ends no other"


def test_leaving_before_the_code_ends_nobody_elses_session(invitation: Invitation, guest: Client) -> None:
    forwarded = Client()
    forwarded.get(mailbox.latest_link("invitation"))
    assert forwarded.post(url(invitation, "leave/")).status_code == 200
    assert forwarded.get(url(invitation, "code/")).status_code == 404
    assert guest.get(url(invitation)).status_code == 200


def test_a_save_that_comes_after_submitting_is_shown_to_be_copied(
    invitation: Invitation, guest: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The application is submitted between finding the part and saving it."""
    save_answers = services.save_answers

    def overtaken(*args: Any, **more: Any) -> Any:
        Application.objects.update(state="submitted_for_review")
        return save_answers(*args, **more)

    monkeypatch.setattr(services, "save_answers", overtaken)
    response = fill_in(guest, invitation, {"person.last_name": "King"})
    assert response.status_code == 409
    text = response.content.decode()
    assert "King" in text
    assert "/applications/" not in text
    assert stored(invitation).raw["person.last_name"] == "Lovelace"


def test_no_key_and_no_code_is_logged(
    invitation: Invitation, as_nobody: Client, caplog: pytest.LogCaptureFixture
) -> None:
    key = mailbox.latest_link("invitation").partition("key=")[2]
    with caplog.at_level(logging.DEBUG):
        Invitation.objects.update(expires_at=PAST)
        as_nobody.get(mailbox.latest_link("invitation"), follow=True)
        Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
        as_nobody.get(mailbox.latest_link("invitation"), follow=True)
        as_nobody.post(url(invitation, "code/"))
        as_nobody.post(url(invitation, "code/"), {"code": "12"})
        as_nobody.post(url(invitation, "code/"), {"code": mailbox.latest_code()})
    lines = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert lines
    for secret in (key, mailbox.latest_code(), "ada@example.com"):
        assert not [line for line in lines if secret in line]
