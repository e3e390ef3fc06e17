"""What is erased is erased whole or not at all."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.accounts.models import User
from formation_portal.applications.access import Right
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application, erase_party
from formation_portal.invitations.collaborators import share_with
from formation_portal.privacy import retention
from formation_portal.privacy.accounts import erase_account
from formation_portal.privacy.announcements import announce_deletion
from tests.atomic_writes import assert_all_or_nothing
from tests.privacy.stages import again, moved, started

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)


def withdrawn(owner: Any) -> Application:
    return moved(started(owner), owner, None, "submit", "withdraw")


ERASURES: dict[str, tuple[Callable[[Any], Application], Callable[[Application], Any], set[str]]] = {
    "a person": (
        lambda owner: started(owner).application,
        lambda application: erase_party(application, "ada", by=application.owner),
        {"applications_party", "applications_holding", "applications_document", "audit_entry"},
    ),
    "an application": (
        withdrawn,
        lambda application: erase_application(application, by=None, reason="retention"),
        {"applications_application", "applications_party", "audit_entry"},
    ),
    "a hold": (
        withdrawn,
        lambda application: retention.set_hold(application, "Court order 7"),
        {"applications_application", "audit_entry"},
    ),
    "an announcement": (
        lambda owner: started(owner).application,
        announce_deletion,
        {"applications_application", "letters_letter"},
    ),
}


@pytest.mark.parametrize("name", ERASURES)
def test_an_erasure_is_whole_or_is_none(name: str, owner: Any) -> None:
    make, erase, tables = ERASURES[name]
    application = make(owner)
    assert tables <= set(assert_all_or_nothing(lambda: erase(again(application))))


def test_an_account_is_erased_whole_or_not_at_all(owner: Any) -> None:
    share_with(started(owner), email="reader@example.com", right=Right.VIEW, by=owner, language="en")

    def erase() -> None:
        user = User.objects.get(pk=owner.pk)
        erase_account(user, by=user)

    written = set(assert_all_or_nothing(erase))
    assert {"accounts_user", "applications_application", "applications_party", "letters_letter"} <= written
