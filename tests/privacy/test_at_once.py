"""Erasing while somebody else writes, on PostgreSQL."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.invitations.models import Invitation
from formation_portal.invitations.parts import finish, invite
from formation_portal.mail.models import Email
from formation_portal.privacy import retention
from formation_portal.privacy.accounts import NotErasable, erase_account
from formation_portal.privacy.announcements import announce_deletion
from tests import factories
from tests.privacy.stages import again, moved, started
from tests.two_connections import at_once, postgresql_only

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


def user(owner: Any) -> User:
    return User.objects.get(pk=owner.pk)


def erasures() -> int:
    return Entry.objects.filter(action=AuditAction.ERASURE).count()


def test_an_account_is_deleted_once(owner: Any) -> None:
    readers = user(owner), user(owner)
    first, second = at_once(*(lambda reader=reader: erase_account(reader, by=reader) for reader in readers))
    assert first.error is None
    assert second.has_waited
    assert [letter.to for letter in Email.objects.filter(kind="account_deleted")] == ["owner@example.com"]
    assert Entry.objects.filter(action=AuditAction.ERASURE, subject=str(owner.pk)).count() == 1


@pytest.mark.parametrize("is_submitted", [True, False])
def test_either_an_application_is_submitted_or_its_account_is_deleted(owner: Any, is_submitted: bool) -> None:
    draft = started(owner)
    acts = [
        lambda: services.submit(draft, by=owner, declaration="I declare it."),
        lambda: erase_account(user(owner), by=None),
    ]
    first, second = at_once(*(acts if is_submitted else reversed(acts)))
    assert first.error is None
    assert second.error is not None
    application = again(draft.application)
    assert (application.submitted_at is not None) is is_submitted
    assert (application.status is State.SUBMITTED_FOR_REVIEW) is is_submitted
    assert (application.deleted_at is None) is is_submitted
    assert (user(owner).email == "owner@example.com") is user(owner).is_active is is_submitted


@pytest.mark.parametrize(
    ("has_begun", "erase", "refusal"),
    [
        (True, lambda account: retention.RULES[-1].erase(account), NotErasable),
        (False, lambda account: erase_account(account, by=None), services.Gone),
    ],
)
def test_either_an_account_begins_an_application_or_it_is_deleted(
    owner: Any, has_begun: bool, erase: Callable[[User], None], refusal: type[Exception]
) -> None:
    acts = [lambda: services.start(owner=owner, product=factories.product()), lambda: erase(user(owner))]
    first, second = at_once(*(acts if has_begun else reversed(acts)))
    assert first.error is None
    assert isinstance(second.error, refusal)
    assert (user(owner).email == "owner@example.com") is has_begun
    assert Application.objects.filter(deleted_at=None).count() == Application.objects.count() == int(has_begun)


def test_an_account_whose_holder_signs_in_is_no_longer_unused(owner: Any) -> None:
    def sign_in() -> None:
        with transaction.atomic():
            User.objects.filter(pk=owner.pk).update(last_login=timezone.now())

    read, account_rule = user(owner), retention.RULES[-1]
    _, erased = at_once(sign_in, lambda: account_rule.erase(read))
    assert isinstance(erased.error, NotErasable)
    assert user(owner).email == "owner@example.com"


def test_a_guest_who_saves_meanwhile_does_not_stand_in_its_way(owner: Any, other_customer: Any) -> None:
    """Both write to the invitation and to the audit log, in one order."""
    draft, own = started(other_customer), started(owner)
    invitation = invite(draft, draft.parties[0], email="owner@example.com", by=other_customer, language="en")
    guest = Invitation.objects.select_related("party").get(pk=invitation.pk)
    finished, erased = at_once(lambda: finish(draft, guest), lambda: erase_account(user(owner), by=None))
    assert (finished.error, erased.error) == (None, None)
    assert again(own.application).deleted_at is not None
    invitation.refresh_from_db()
    assert invitation.email == "guest@deleted.invalid"
    assert invitation.done_at is not None


def test_what_is_put_on_hold_meanwhile_is_not_erased(owner: Any) -> None:
    application = moved(started(owner), owner, None, "submit", "withdraw")
    read = again(application)
    _, erased = at_once(
        lambda: retention.set_hold(application, "Court order 7"),
        lambda: erase_application(read, by=None, reason="retention"),
    )
    assert isinstance(erased.error, services.Unread)
    assert (again(application).deleted_at, again(application).hold_reason) == (None, "Court order 7")


def test_an_application_is_erased_and_a_deletion_announced_once(owner: Any) -> None:
    withdrawn, draft = moved(started(owner), owner, None, "submit", "withdraw"), started(owner).application
    announced = Email.objects.filter(kind="draft_deletion")
    erased, letters = erasures(), announced.count()
    for application, act in (
        (withdrawn, lambda read: erase_application(read, by=None, reason="retention")),
        (draft, announce_deletion),
    ):
        reads = again(application), again(application)
        first, second = at_once(*(lambda read=read, act=act: act(read) for read in reads))
        assert first.error is None
        assert isinstance(second.error, services.Unread)
    assert (erasures(), announced.count()) == (erased + 1, letters + 1)


def test_a_draft_that_changes_meanwhile_is_not_deleted_as_unused(owner: Any) -> None:
    draft = started(owner)
    read = again(draft.application)
    changed, deleted = at_once(
        lambda: services.keep_draft(draft, by=user(owner)),
        lambda: next(rule for rule in retention.RULES if rule.name == "drafts").erase(read),
    )
    assert changed.error is None
    assert isinstance(deleted.error, services.Unread)
    assert again(draft.application).deleted_at is None
