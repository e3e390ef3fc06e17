"""Whoever submits gets one e-mail about it, in the transaction that submits."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.mail.models import Email

pytestmark = pytest.mark.django_db(databases=["default", "service"])

DECLARED = {"declaration": "1"}


def sent_emails() -> list[Email]:
    return list(Email.objects.filter(kind="submission").order_by("pk"))


def test_the_email_says_what_was_submitted_and_what_follows(complete: Draft, as_owner: Client, owner: Any) -> None:
    reference = complete.application.reference
    as_owner.post(f"/applications/{reference}/submission/", DECLARED)
    as_owner.post(f"/applications/{reference}/submission/", DECLARED)
    [letter] = sent_emails()
    assert (letter.to, letter.reference, letter.subject) == (owner.email, reference, "Submitted: Larkfield Holdings")
    for body in (letter.text, letter.html):
        assert reference in body
        assert "usually takes: 5 days" in body
        assert f"/applications/{reference}/status/" in body
        assert f"/applications/{reference}/record.pdf" in body
    assert "Ada" not in letter.text, "nobody's data but the name of the company"


def test_an_address_that_may_be_somebody_elses_is_not_written_to(submitted: Draft, owner: Any) -> None:
    EmailAddress.objects.update(verified=False)
    Email.objects.all().delete()
    services.reopen(submitted, reason="The formation service asks for a change")
    services.submit(submitted, by=owner, declaration="I declare it.")
    assert sent_emails() == []


def test_what_is_not_submitted_is_not_confirmed(draft: Draft, as_owner: Client) -> None:
    as_owner.post(f"/applications/{draft.application.reference}/submission/", DECLARED)
    assert sent_emails() == []


def test_corrections_are_confirmed_as_such(submitted: Draft, owner: Any) -> None:
    services.reopen(submitted, reason="Please change the name")
    services.submit(submitted, by=owner)
    assert [one.subject for one in sent_emails()] == [
        "Submitted: Larkfield Holdings",
        "Corrections received: Larkfield Holdings",
    ]
