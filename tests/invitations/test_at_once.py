"""Guests, owners and collaborators who press at the same moment, on PostgreSQL."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import codes, collaborators, parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from tests import factories
from tests.invitations import mailbox
from tests.two_connections import at_once, postgresql_only

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


def letters(kind: str) -> int:
    return Email.objects.filter(kind=kind).count()


def test_a_right_code_opens_the_part_once(invitation: Invitation) -> None:
    codes.send_code(invitation)
    code = mailbox.latest_code()
    first, second = at_once(lambda: codes.try_code(invitation, code), lambda: codes.try_code(invitation, code))
    assert (first.result, second.result) == (True, False)


def test_each_wrong_code_counts(invitation: Invitation) -> None:
    codes.send_code(invitation)
    wrong = f"{(int(mailbox.latest_code()) + 1) % 1_000_000:06}"
    first, second = at_once(lambda: codes.try_code(invitation, wrong), lambda: codes.try_code(invitation, wrong))
    assert (first.result, second.result) == (False, False)
    invitation.refresh_from_db()
    assert invitation.code_tries == 2


def test_two_presses_send_one_code(invitation: Invitation) -> None:
    first, second = at_once(lambda: codes.send_code(invitation), lambda: codes.send_code(invitation))
    assert (first.error, second.error) == (None, None)
    assert letters("code") == 1
    invitation.refresh_from_db()
    assert invitation.codes_sent == 1


def test_two_presses_send_one_invitation(draft: Draft, ada: PartyRow, owner: Any) -> None:
    parts.invite(draft, ada, email="old@example.com", by=owner, language="en")
    Invitation.objects.update(sent_at=timezone.now() - timedelta(hours=3))
    windows = factories.again(draft), factories.again(draft)
    first, second = at_once(
        *(
            lambda window=window: parts.invite(
                window, window.party(ada.token), email="new@example.com", by=owner, language="fr"
            )
            for window in windows
        )
    )
    assert (first.error, second.error) == (None, None)
    assert letters("invitation") == 2
    invitation = Invitation.objects.get()
    assert (invitation.email, invitation.language, invitation.round) == ("new@example.com", "fr", 2)


def test_two_presses_send_one_reminder(invitation: Invitation, draft: Draft, ada: PartyRow, owner: Any) -> None:
    Invitation.objects.update(sent_at=timezone.now() - timedelta(days=2))
    windows = factories.again(draft), factories.again(draft)
    first, second = at_once(
        *(lambda window=window: parts.remind(window, window.party(ada.token), by=owner) for window in windows)
    )
    assert first.error is None
    assert isinstance(second.error, parts.TooSoon)
    assert letters("nudge") == 1


@pytest.mark.usefixtures("complete_part")
def test_a_guest_who_finishes_twice_is_noted_once(complete: Draft) -> None:
    noted = complete.application.changes.count()
    windows = [(factories.again(complete), Invitation.objects.select_related("party").get()) for _ in range(2)]
    first, second = at_once(*(lambda window=window: parts.finish(*window) for window in windows))
    assert (first.result, second.result) == (True, True)
    assert complete.application.changes.count() == noted + 1


@pytest.mark.usefixtures("complete_part")
def test_an_invitation_taken_back_meanwhile_is_not_finished_over(complete: Draft, owner: Any) -> None:
    window, guest_window = factories.again(complete), factories.again(complete)
    guest = Invitation.objects.select_related("party").get()
    _, finished = at_once(
        lambda: parts.withdraw(window, window.parties[0], by=owner), lambda: parts.finish(guest_window, guest)
    )
    assert finished.has_waited
    assert Invitation.objects.get().withdrawn_at is not None


def shared(draft: Draft, owner: Any) -> Collaborator:
    return collaborators.share_with(draft, email="reader@example.com", right=Right.EDIT, by=owner, language="en")


def test_of_two_accounts_one_accepts(draft: Draft, owner: Any) -> None:
    asked = shared(draft, owner)
    accounts = [get_user_model().objects.create_user(f"{name}@example.com") for name in ("reader", "other")]
    first, second = at_once(*(lambda account=account: collaborators.accept(asked, by=account) for account in accounts))
    assert first.error is None
    assert isinstance(second.error, services.Gone)
    assert Collaborator.objects.get().user_id == accounts[0].pk


def test_whoever_is_removed_meanwhile_does_not_accept(draft: Draft, owner: Any) -> None:
    asked = shared(draft, owner)
    account = get_user_model().objects.create_user("reader@example.com")
    window = factories.again(draft)
    _, accepted = at_once(
        lambda: collaborators.revoke(window, asked.pk, by=owner), lambda: collaborators.accept(asked, by=account)
    )
    assert isinstance(accepted.error, services.Gone)
    assert not Collaborator.objects.exists()


def test_a_person_is_asked_once(draft: Draft, owner: Any) -> None:
    windows = factories.again(draft), factories.again(draft)
    first, second = at_once(*(lambda window=window: shared(window, owner) for window in windows))
    assert (first.error, second.error) == (None, None)
    assert letters("collaboration") == 1
    assert Collaborator.objects.get().email == "reader@example.com"
