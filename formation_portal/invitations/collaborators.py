"""Share an application with collaborators, who accept with their accounts."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.exceptions import Gone
from formation_portal.applications.services.transactions import application_transaction

from .codes import SAME_PRESS, send_link


def share_with(draft: Draft, *, email: str, right: Right, by: AbstractBaseUser, language: str) -> Collaborator:
    """Invite a collaborator, or send them another link; if they have accepted, only set their right. Raises Closed."""
    now = timezone.now()
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        collaborator = Collaborator.objects.filter(application=draft.application, email=email).first()
        if collaborator is None:
            collaborator = Collaborator(application=draft.application, email=email)
        elif collaborator.right == right and (collaborator.accepted_at or now - collaborator.asked_at < SAME_PRESS):
            return collaborator
        collaborator.right = right
        if collaborator.accepted_at:
            collaborator.save()
            journal.note(gettext_noop("Changed someone’s access"))
        else:
            collaborator.asked_at = now
            collaborator.expires_at = now + timedelta(days=settings.INVITATION_DAYS)
            send_link(draft, collaborator, kind="collaboration", view="portal:collaboration_link", language=language)
            journal.note(gettext_noop("Shared the application"))
    return collaborator


def change_right(draft: Draft, number: int, *, right: Right, by: AbstractBaseUser) -> Collaborator:
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        collaborator = _collaborator_of(draft, number)
        if collaborator.right != right:
            collaborator.right = right
            collaborator.save()
            journal.note("Changed who can edit the application")
    return collaborator


def revoke(draft: Draft, number: int, *, by: AbstractBaseUser) -> Collaborator:
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        collaborator = _collaborator_of(draft, number)
        collaborator.delete()
        journal.note("Changed who can open the application")
    return collaborator


def accept(invited: Collaborator, *, by: AbstractBaseUser) -> None:
    """Accept an invitation, once: a second time raises Gone. The owner and existing collaborators keep their right."""
    with transaction.atomic():
        # The application's row is locked first, as by every change.
        application = Application.objects.select_for_update().get(pk=invited.application_id)
        collaborator = Collaborator.objects.filter(pk=invited.pk, key_digest=invited.key_digest, user=None).first()
        if collaborator is None:
            raise Gone("The invitation was used or taken back")
        others = Collaborator.objects.filter(application=application)
        if application.owner_id == by.pk or others.filter(user=by.pk).exists():
            collaborator.delete()
            return
        collaborator.user_id = by.pk
        collaborator.accepted_at = timezone.now()
        collaborator.key_digest = None
        collaborator.save()


def just_accepted(by: AbstractBaseUser) -> Collaborator | None:
    """Return the access that the account accepted seconds ago, or None; a second press leads to the same page."""
    accesses = Collaborator.objects.select_related("application").filter(user=by.pk, application__deleted_at=None)
    return accesses.filter(accepted_at__gt=timezone.now() - SAME_PRESS).order_by("-accepted_at").first()


def find_by_key_digest(key_digest: str) -> Collaborator | None:
    """Return the collaborator invited by a link with the key; None if the invitation is not open."""
    invited = Collaborator.objects.select_related("application", "application__schema_version")
    return invited.filter(key_digest=key_digest, expires_at__gt=timezone.now(), application__deleted_at=None).first()


def _collaborator_of(draft: Draft, number: int) -> Collaborator:
    collaborator = Collaborator.objects.filter(application=draft.application, pk=number).first()
    if collaborator is None:
        raise Gone("They have no right to it any more")
    return collaborator
