"""Who submitted an application is told by e-mail that it was submitted, returned or decided."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.lifecycle import State
from formation_portal.mail.models import Email
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


def test_what_is_not_submitted_is_not_confirmed(draft: Draft, as_owner: Client) -> None:
    as_owner.post(f"/applications/{draft.application.reference}/submission/", {"declaration": "1"})
    assert sent_emails() == []


def test_corrections_are_confirmed_as_such(submitted: Draft, owner: Any) -> None:
    services.reopen(submitted, reason="Please change the name")
    services.submit(submitted, by=owner)
    assert [one.subject for one in sent_emails()] == [
        "Submitted: Larkfield Holdings",
        "Corrections received: Larkfield Holdings",
    ]
