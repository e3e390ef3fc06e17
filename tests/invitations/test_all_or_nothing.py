"""Each step of an invitation is written whole or not at all."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.invitations import codes, collaborators, parts
from formation_portal.invitations.models import Invitation
from tests import factories
from tests.atomic_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)


@pytest.mark.usefixtures("ada")
def test_inviting_is_written_whole_or_not_at_all(draft: Draft, owner: Any) -> None:
    def invite() -> None:
        window = factories.again(draft)
        parts.invite(window, window.parties[0], email="ada@example.com", by=owner, language="de")

    assert {"invitations_invitation", "letters_letter", "applications_change"} <= set(assert_all_or_nothing(invite))


@pytest.mark.usefixtures("invitation")
def test_reminding_is_written_whole_or_not_at_all(draft: Draft, owner: Any) -> None:
    Invitation.objects.update(sent_at=timezone.now() - timedelta(days=2))

    def remind() -> None:
        window = factories.again(draft)
        parts.remind(window, window.parties[0], by=owner)

    assert {"invitations_invitation", "letters_letter", "applications_change"} <= set(assert_all_or_nothing(remind))


@pytest.mark.usefixtures("invitation")
def test_taking_an_invitation_back_is_written_whole_or_not_at_all(draft: Draft, owner: Any) -> None:
    def withdraw() -> None:
        window = factories.again(draft)
        parts.withdraw(window, window.parties[0], by=owner)

    assert {"invitations_invitation", "applications_change"} <= set(assert_all_or_nothing(withdraw))


@pytest.mark.usefixtures("complete_part")
def test_finishing_is_written_whole_or_not_at_all(complete: Draft) -> None:
    def finish() -> None:
        assert parts.finish(factories.again(complete), Invitation.objects.get())

    assert {"invitations_invitation", "letters_letter", "applications_change"} <= set(assert_all_or_nothing(finish))


def test_sending_a_code_is_written_whole_or_not_at_all(invitation: Invitation) -> None:
    written = assert_all_or_nothing(lambda: codes.send_code(Invitation.objects.get(pk=invitation.pk)))
    assert set(written) == {"invitations_invitation", "letters_letter"}


def share(draft: Draft, owner: Any) -> Collaborator:
    return collaborators.share_with(
        factories.again(draft), email="reader@example.com", right=Right.EDIT, by=owner, language="fr"
    )


def test_sharing_is_written_whole_or_not_at_all(draft: Draft, owner: Any) -> None:
    written = assert_all_or_nothing(lambda: share(draft, owner))
    assert {"applications_collaborator", "letters_letter", "applications_change"} <= set(written)


def test_removing_a_collaborator_is_written_whole_or_not_at_all(draft: Draft, owner: Any) -> None:
    number = share(draft, owner).pk
    written = assert_all_or_nothing(lambda: collaborators.revoke(factories.again(draft), number, by=owner))
    assert {"applications_collaborator", "applications_change"} <= set(written)


def test_accepting_is_written_whole_or_not_at_all(draft: Draft, owner: Any) -> None:
    number, account = share(draft, owner).pk, get_user_model().objects.create_user("reader@example.com")
    written = assert_all_or_nothing(lambda: collaborators.accept(Collaborator.objects.get(pk=number), by=account))
    assert written == ["applications_collaborator"]
