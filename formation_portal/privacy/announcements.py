"""The announcement that an unused draft will be deleted."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.readback import email_title
from formation_portal.applications.services import Unread
from formation_portal.mail.outbox import queue_email

# The time between the announcement and the deletion.
NOTICE = timedelta(days=14)


def announce_deletion(application: Application) -> None:
    """Announce the deletion to the owner. Raises Unread if the draft was changed or announced meanwhile."""
    now = timezone.now()
    owner = application.owner
    with transaction.atomic():
        unchanged = Application.objects.filter(
            pk=application.pk,
            revision=application.revision,
            deleted_at=None,
            deletion_announced_at=application.deletion_announced_at,
        )
        if not unchanged.update(deletion_announced_at=now):
            raise Unread(())
        if has_confirmed(owner) and owner.is_active:
            language = owner.language or settings.LANGUAGE_CODE
            with translation.override(language):
                company = email_title(open_draft(application))
            context = {
                "company": company,
                "reference": application.reference,
                "until": now + NOTICE,
                "link": reverse("portal:overview", args=[application.reference]),
            }
            queue_email(kind="draft_deletion", to=owner.email, language=language, context=context)


def deleted_on(application: Application) -> datetime | None:
    """Return when the draft will be deleted unless it is changed; None if no deletion is announced."""
    announced = application.deletion_announced_at
    if announced is None or announced < application.updated_at or application.hold_reason is not None:
        return None
    return announced + NOTICE
