"""Share an application with collaborators, who accept with their account."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext_noop

from formation_portal import mail
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.letter_words import impersonal_words
from formation_portal.applications.models import Application
from formation_portal.applications.services.exceptions import Gone
from formation_portal.applications.services.transactions import application_transaction

from .codes import digest_of_key, new_key

_SAME_PRESS = timedelta(seconds=30)


def share_with(draft: Draft, *, email: str, right: Right, by: AbstractBaseUser, language: str) -> Collaborator:
    """Invite a collaborator; who was invited before gets another link. Raises Closed.

    A collaborator who has accepted already only gets the new right.
    """
    now = timezone.now()
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        found = Collaborator.objects.filter(application=draft.application, email=email).first()
        one = found or Collaborator(application=draft.application, email=email)
        is_same_press = found is not None and found.right == right and now - found.asked_at < _SAME_PRESS
        if is_same_press or (one.accepted_at and one.right == right):
            return one
        one.right = right
        if not one.accepted_at:
            key = new_key()
            one.key_digest = digest_of_key(key)
            one.asked_at, one.expires_at = now, now + timedelta(days=settings.INVITATION_DAYS)
            link = f"{reverse('portal:collaboration_link')}?{urlencode({'key': key})}"
            # Names stand on the page that its reader comes to by signing in with a confirmed address.
            context = {"link": link, "until": one.expires_at, **impersonal_words(draft, language)}
            mail.queue_letter(kind="collaboration", to=one.email, language=language, context=context)
        one.save()
        invited = gettext_noop("Shared the application")
        journal.note(gettext_noop("Changed someone’s access") if one.accepted_at else invited)
    return one


def change_right(draft: Draft, number: int, *, right: Right, by: AbstractBaseUser) -> Collaborator:
    """Change a collaborator's right. Raises Gone."""
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        one = _collaborator_of(draft, number)
        if one.right != right:
            one.right = right
            one.save()
            journal.note("Changed who can edit the application")
    return one


def revoke(draft: Draft, number: int, *, by: AbstractBaseUser) -> Collaborator:
    """Remove a collaborator and their link. Raises Gone."""
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        one = _collaborator_of(draft, number)
        one.delete()
        journal.note("Changed who can open the application")
    return one


def accept(asked: Collaborator, *, by: AbstractBaseUser) -> None:
    """Accept with an account, once. The owner and existing collaborators keep their right. Raises Gone."""
    with transaction.atomic():
        # The application's row is locked first, as by every change.
        application = Application.objects.select_for_update().get(pk=asked.application_id)
        one = Collaborator.objects.filter(pk=asked.pk, key_digest=asked.key_digest, user=None).first()
        if one is None:
            raise Gone("The invitation was used or taken back")
        others = Collaborator.objects.filter(application=application)
        if application.owner_id == by.pk or others.filter(user=by.pk).exists():
            one.delete()
            return
        one.user_id, one.accepted_at, one.key_digest = by.pk, timezone.now(), None
        one.save()


def just_accepted(by: AbstractBaseUser) -> Collaborator | None:
    """What the account accepted a moment ago, so that a second press leads to the same page."""
    found = Collaborator.objects.select_related("application").filter(user=by.pk, application__deleted_at=None)
    return found.filter(accepted_at__gt=timezone.now() - _SAME_PRESS).order_by("-accepted_at").first()


def find_by_key_digest(key_digest: str) -> Collaborator | None:
    """The collaborator invited with the key of that digest, while the invitation is open."""
    found = Collaborator.objects.select_related("application", "application__schema_version")
    waiting = found.filter(key_digest=key_digest, expires_at__gt=timezone.now(), application__deleted_at=None)
    return waiting.first() if key_digest else None


def _collaborator_of(draft: Draft, number: int) -> Collaborator:
    one = Collaborator.objects.filter(application=draft.application, pk=number).first()
    if one is None:
        raise Gone("They have no right to it any more")
    return one
