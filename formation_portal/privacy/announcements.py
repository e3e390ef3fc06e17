"""Tells customers before an unused draft is deleted, in time to keep it: by letter, and on the draft's overview."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.applications.draft import open_draft
from formation_portal.applications.letter_words import letter_title
from formation_portal.applications.models import Application
from formation_portal.mail import queue_letter

# Between the announcement and the deletion.
NOTICE = timedelta(days=14)


def announce_deletion(application: Application) -> bool:
    """Write down that the customer is told, and tell them; whether the draft was as it was read: two processes may have
    read it."""
    now, owner = timezone.now(), application.owner
    with transaction.atomic():
        told_before = application.deletion_announced_at
        same = Application.objects.filter(
            pk=application.pk, revision=application.revision, deleted_at=None, deletion_announced_at=told_before
        )
        if not same.update(deletion_announced_at=now):
            return False
        if has_confirmed(owner) and owner.is_active:
            language = owner.language or settings.LANGUAGE_CODE
            with translation.override(language):
                company = letter_title(open_draft(application))
            context = {
                "company": company,
                "reference": application.reference,
                "until": now + NOTICE,
                "link": reverse("portal:overview", args=[application.reference]),
            }
            queue_letter(kind="draft_deletion", to=owner.email, language=language, context=context)
    return True


def deleted_on(application: Application) -> datetime | None:
    """When the draft is deleted unless it is changed; None where that was not announced, or is void."""
    announced = application.deletion_announced_at
    if announced is None or announced < application.updated_at or application.hold_reason is not None:
        return None
    return announced + NOTICE
