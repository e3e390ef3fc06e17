"""The owner of an application hears by e-mail what became of it, and that a guest has finished a part."""

import datetime as dt
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.lifecycle import State
from formation_portal.core.background import run_hourly_tasks
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import unsubscribe, unsubscribe_path
from formation_portal.portal.applications import status_emails
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, ResourceKind
from tests import factories
from tests.encrypted_rows import update_each, values_of
from tests.portal.pages import page_at, people_page, root
from tests.portal.sharing.test_part import fill_in, let_in, url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def written() -> list[tuple[str, str, str]]:
    return values_of(Email.objects.exclude(kind="submission"), "kind", "to", "reference")


def move(draft: Draft, state: State) -> None:
    with application_transaction(draft, by=None, must_be_open=False) as journal:
        draft.application.state = state
        journal.note("Moved")


def test_what_comes_back_is_told(submitted: Draft) -> None:
    services.reopen(submitted, reason="The formation service asks for a change")
    assert written() == [("return", "owner@example.com", submitted.application.reference)]
    letter = Email.objects.get(kind="return")
    assert submitted.title in letter.subject
    assert f"/applications/{submitted.application.reference}/" in letter.text


@pytest.mark.parametrize(
    ("state", "words"),
    [(State.SUBMITTED_TO_CSP, "Approved"), (State.INCORPORATED, "Incorporated"), (State.REJECTED, "Declined")],
)
def test_a_decision_is_told(submitted: Draft, state: State, words: str) -> None:
    move(submitted, state)
    assert [kind for kind, _, _ in written()] == ["decision"]
    assert Email.objects.get(kind="decision").subject.startswith(words)


@pytest.mark.parametrize("state", [State.IN_REVIEW, State.WITHDRAWN])
def test_what_nobody_waits_for_is_not_told(submitted: Draft, state: State) -> None:
    move(submitted, state)
    assert written() == []


def test_an_address_that_may_be_somebody_elses_is_not_written_to(submitted: Draft, owner: Any) -> None:
    EmailAddress.objects.update(verified=False)
    Email.objects.all().delete()
    services.reopen(submitted, reason="The formation service asks for a change")
    services.submit(submitted, by=owner, declaration="I declare it.")
    move(submitted, State.REJECTED)
    assert not Email.objects.exists()


def test_what_was_undone_is_not_told(submitted: Draft) -> None:
    with transaction.atomic():
        move(submitted, State.REJECTED)
        transaction.set_rollback(True)
    assert written() == []


def submission_emails() -> list[Email]:
    return list(Email.objects.filter(kind="submission").order_by("pk"))


def test_the_email_says_once_what_was_submitted_and_what_follows(complete: Draft, as_owner: Client, owner: Any) -> None:
    reference = complete.application.reference
    as_owner.post(f"/applications/{reference}/submission/", {"declaration": "1"})
    as_owner.post(f"/applications/{reference}/submission/", {"declaration": "1"})
    [letter] = submission_emails()
    assert (letter.to, letter.reference, letter.subject) == (owner.email, reference, "Submitted: Larkfield Holdings")
    for body in (letter.text, letter.html):
        assert reference in body
        assert "usually takes: 5 days" in body
        assert f"/applications/{reference}/status/" in body
        assert f"/applications/{reference}/record.pdf" in body
    assert "Ada" not in letter.text, "nobody's data but the name of the company"


def test_corrections_are_confirmed_as_such(submitted: Draft, owner: Any) -> None:
    services.reopen(submitted, reason="Please change the name")
    services.submit(submitted, by=owner)
    assert [one.subject for one in submission_emails()] == [
        "Submitted: Larkfield Holdings",
        "Corrections received: Larkfield Holdings",
    ]


def leave(draft: Draft, *, days: float) -> None:
    at = timezone.now() - dt.timedelta(days=days)
    Application.objects.filter(pk=draft.application.pk).update(updated_at=at)


def reminders() -> list[str]:
    return values_of(Email.objects.filter(kind="reminder"), "text")


def test_a_draft_that_has_lain_for_a_week_is_remembered_once(draft: Draft) -> None:
    leave(draft, days=7.1)
    run_hourly_tasks()
    (text,) = reminders()
    assert draft.needs[0].text in text
    assert f"/applications/{draft.application.reference}/" in text
    assert "more." in text
    run_hourly_tasks()
    leave(draft, days=20)
    run_hourly_tasks()
    assert len(reminders()) == 1


def test_a_draft_in_use_or_long_forgotten_is_not_remembered(draft: Draft) -> None:
    for days in (6.9, 61):
        leave(draft, days=days)
        run_hourly_tasks()
        assert reminders() == []


def test_a_draft_without_gaps_is_told_to_be_ready(complete: Draft) -> None:
    leave(complete, days=8)
    run_hourly_tasks()
    assert "Nothing is missing" in reminders()[0]


def test_what_was_submitted_is_not_remembered(submitted: Draft) -> None:
    leave(submitted, days=8)
    run_hourly_tasks()
    assert reminders() == []


def test_an_owner_who_wants_no_reminder_gets_none(draft: Draft, owner: Any) -> None:
    unsubscribe(unsubscribe_path(kind="reminder", to=owner.email).split("/")[-2])
    leave(draft, days=8)
    run_hourly_tasks()
    assert reminders() == []


def test_an_address_that_may_be_somebody_elses_is_not_reminded(draft: Draft) -> None:
    EmailAddress.objects.update(verified=False)
    leave(draft, days=8)
    run_hourly_tasks()
    assert reminders() == []


def test_a_company_or_a_person_that_is_called_like_an_address_is_not_named(draft: Draft, owner: Any) -> None:
    factories.save_section(draft, "the-company", {"entity.name": "evil.example/x"}, by=owner)
    services.add_party(draft, "person", ["director"], {"person.first_name": "http://evil.example"}, by=owner)
    leave(draft, days=8)
    run_hourly_tasks()
    letter = Email.objects.get(kind="reminder")
    assert letter.subject == f"Your draft application: {draft.application.product_name}"
    assert "evil" not in letter.text + letter.html
    listed = letter.text.count("\n- ")
    assert f"and {len(draft.needs) - listed} more." in letter.text


@pytest.fixture
def invitation(draft: Draft, owner: Any) -> Invitation:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=owner)
    return parts.invite(draft, draft.parties[0], email="ada@example.com", by=owner, language="de")


@pytest.fixture
def guest(invitation: Invitation) -> Client:
    return let_in(Client(), invitation)


def part_emails() -> list[Email]:
    return list(Email.objects.filter(kind="part_done").order_by("pk"))


def test_the_owner_reads_who_has_finished_and_that_nothing_is_missing(
    owner: Any, invitation: Invitation, guest: Client
) -> None:
    fill_in(guest, invitation, {}, done="1")
    [letter] = part_emails()
    assert (letter.to, letter.language) == (owner.email, "en")
    assert letter.subject == "Ada Lovelace has finished their part"
    assert ("Nothing is missing." in letter.text, "Nothing is missing." in letter.html) == (True, True)
    assert f"/applications/{invitation.application.reference}/people/{invitation.party.token}/" in letter.text
    assert "Stop these e-mails" in letter.text
    assert "ada@example.com" not in letter.text + letter.html


def test_a_second_press_writes_nothing_and_being_done_again_does(invitation: Invitation, guest: Client) -> None:
    fill_in(guest, invitation, {}, done="1")
    fill_in(guest, invitation, {}, done="1")
    parts.finish(open_draft(Application.objects.get()), Invitation.objects.get())
    assert len(part_emails()) == 1
    fill_in(guest, invitation, {"person.last_name": "Byron"}, done="1")
    assert [letter.subject.split(" has ")[0] for letter in part_emails()] == ["Ada Lovelace", "Ada Byron"]


@pytest.mark.usefixtures("invitation")
def test_two_presses_at_the_same_moment_are_one() -> None:
    windows = [(open_draft(Application.objects.get()), Invitation.objects.get()) for _ in range(2)]
    for draft, invitation in windows:
        parts.finish(draft, invitation)
    assert len(part_emails()) == 1


def test_somebody_who_says_so_without_end_is_not_heard_without_end(
    invitation: Invitation, guest: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_emails, "MOST_A_DAY", 2)
    for name in ("Byron", "King", "Lovelace"):
        fill_in(guest, invitation, {"person.last_name": name}, done="1")
    assert len(part_emails()) == 2


def test_an_owner_who_wants_none_gets_none(
    owner: Any, invitation: Invitation, guest: Client, as_nobody: Client
) -> None:
    path = unsubscribe_path(kind="part_done", to=owner.email)
    assert "someone you invited has finished" in as_nobody.get(path).content.decode()
    unsubscribe(path.split("/")[-2])
    fill_in(guest, invitation, {}, done="1")
    assert part_emails() == []


def test_the_overview_and_the_history_say_so(as_owner: Client, invitation: Invitation, guest: Client) -> None:
    fill_in(guest, invitation, {}, done="1")
    page = page_at(as_owner, root(invitation.application))
    line = page.one("li", id=f"turn-{invitation.party.token}")
    assert "Finished their part" in line.text
    assert "Finished, " in line.text
    assert page.one("li", id="turn-you")
    draft = open_draft(Application.objects.get())
    assert draft.application.changes.first().what == "Ada Lovelace finished their part"  # type: ignore[union-attr]


def lines_of_owner(as_owner: Client, invitation: Invitation) -> tuple[str, str, str]:
    """Return what overview, people and invitation page say of the part."""
    application, token = invitation.application, invitation.party.token
    overview = page_at(as_owner, root(application)).one("li", id=f"turn-{token}").text
    people = people_page(as_owner, application).one("li", id=f"party-{token}").text
    page = people_page(as_owner, application, f"{token}/invitation/")
    return overview, people, page.one("section", aria_labelledby="stands").text


def test_no_page_says_finished_once_something_is_missing_again(
    as_owner: Client, invitation: Invitation, guest: Client
) -> None:
    fill_in(guest, invitation, {}, done="1")
    assert ["Finished" in line for line in lines_of_owner(as_owner, invitation)] == [True, True, True]
    draft = open_draft(invitation.application)
    services.remove_document(draft, draft.documents[0], by=draft.application.owner)
    lines = lines_of_owner(as_owner, invitation)
    assert ["Finished" in line for line in lines] == [False, False, False]
    assert ["In progress" in line for line in lines] == [True, True, True]
    assert [lines[0].count("1 item to complete"), lines[2].count("1 item to complete")] == [1, 1]


def test_no_page_says_finished_once_the_service_has_rejected_a_document(
    as_owner: Client, invitation: Invitation, guest: Client
) -> None:
    fill_in(guest, invitation, {}, done="1")
    document = Delivery.objects.filter(application=invitation.application, kind=ResourceKind.DOCUMENT)
    rejected = {"document_status": REJECTED, "document_note": "Blurred", "acknowledged": {"document_key": "Passport"}}
    assert update_each(document, state=DeliveryState.DONE, **rejected) == 1
    lines = lines_of_owner(as_owner, invitation)
    assert ["Finished" in line for line in lines] == [False, False, False]
    assert ["In progress" in line for line in lines] == [True, True, True]
    fill_in(guest, invitation, {}, done="1")
    assert len(part_emails()) == 1
    page = page_at(guest, url(invitation, "?finishing=1"))
    assert page.one("h2", id="missing").text == "Correct 1 item to finish."
