"""E-mails that became due in the same moment."""

import pytest
from django.utils import timezone

from formation_portal.mail.models import Email
from formation_portal.mail.outbox import claim_next

pytestmark = pytest.mark.django_db


def test_of_emails_that_are_due_at_once_the_one_written_first_goes_first() -> None:
    now = timezone.now()
    written = [Email.objects.create(kind="code", language="en", next_at=now).pk for _ in range(3)]
    claimed = [claim_next() for _ in written]
    assert [email and email.pk for email in claimed] == written
