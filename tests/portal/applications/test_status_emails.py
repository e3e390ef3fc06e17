"""Its owner hears by e-mail that an application was submitted, returned, decided, or left for a week."""

import datetime as dt
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.lifecycle import State
from formation_portal.core.background import run_hourly_tasks
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import unsubscribe, unsubscribe_path
from tests import factories
from tests.encrypted_rows import values_of

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


def sent_emails() -> list[Email]:
    return list(Email.objects.filter(kind="submission").order_by("pk"))


def test_the_email_says_once_what_was_submitted_and_what_follows(complete: Draft, as_owner: Client, owner: Any) -> None:
    reference = complete.application.reference
    as_owner.post(f"/applications/{reference}/submission/", {"declaration": "1"})
    as_owner.post(f"/applications/{reference}/submission/", {"declaration": "1"})
    [letter] = sent_emails()
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
    assert [one.subject for one in sent_emails()] == [
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
