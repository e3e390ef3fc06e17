"""What is erased is erased whole or not at all."""

from typing import Any

import pytest

from formation_portal.accounts.models import User
from formation_portal.applications.access import Right
from formation_portal.applications.services.erasure import erase_application, erase_party
from formation_portal.invitations.collaborators import share_with
from formation_portal.privacy import retention
from formation_portal.privacy.accounts import erase_account
from formation_portal.privacy.announcements import announce_deletion
from tests.atomic_writes import assert_all_or_nothing
from tests.privacy.stages import again, moved, started

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)


def test_an_account(owner: Any) -> None:
    draft = started(owner)
    share_with(draft, email="reader@example.com", right=Right.VIEW, by=owner, language="en")

    def erase() -> None:
        user = User.objects.get(pk=owner.pk)
        erase_account(user, by=user)

    written = set(assert_all_or_nothing(erase))
    assert {"accounts_user", "applications_application", "applications_party", "letters_letter"} <= written


def test_an_application(owner: Any) -> None:
    application = moved(started(owner), owner, None, "submit", "withdraw")
    written = assert_all_or_nothing(lambda: erase_application(again(application), by=None, reason="retention"))
    assert {"applications_application", "applications_party", "audit_entry"} <= set(written)


def test_a_person(owner: Any) -> None:
    draft = started(owner)
    written = assert_all_or_nothing(lambda: erase_party(again(draft.application), "ada", by=owner))
    assert {"applications_party", "applications_holding", "applications_document", "audit_entry"} <= set(written)


def test_a_hold(owner: Any) -> None:
    application = moved(started(owner), owner, None, "submit", "withdraw")
    written = assert_all_or_nothing(lambda: retention.set_hold(again(application), "Court order 7"))
    assert {"applications_application", "audit_entry"} <= set(written)


def test_an_announcement(owner: Any) -> None:
    draft = started(owner)
    written = assert_all_or_nothing(lambda: announce_deletion(again(draft.application)))
    assert {"applications_application", "letters_letter"} <= set(written)
