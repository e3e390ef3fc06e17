"""A draft that has lain for a week is remembered once, with what is missing, to those who want it."""

import datetime as dt
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.core.background import run_hourly_tasks
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import unsubscribe, unsubscribe_path
from tests import factories
from tests.encrypted_rows import values_of

pytestmark = pytest.mark.django_db


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


def test_an_owner_who_wants_none_gets_none(draft: Draft, owner: Any) -> None:
    unsubscribe(unsubscribe_path(kind="reminder", to=owner.email).split("/")[-2])
    leave(draft, days=8)
    run_hourly_tasks()
    assert reminders() == []


def test_an_address_that_may_be_somebody_elses_is_not_written_to(draft: Draft) -> None:
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
