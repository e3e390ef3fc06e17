"""What an application's own moves end in its review, in the transaction that moves it."""

from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import Draft

from .models import Outcome, Ruling
from .reviewing import UNDER_REVIEW, raised_version


def end_what_waits(draft: Draft, by: Any) -> None:
    """A decision that waits for a second agent is overtaken where the application is no longer under review."""
    application = draft.application
    if application.status in UNDER_REVIEW:
        return
    waiting = Ruling.objects.filter(application=application, outcome=Outcome.WAITING).first()
    if waiting is not None:
        waiting.outcome, waiting.by_id = Outcome.OVERTAKEN, by.pk if by else None
        waiting.at, waiting.version = timezone.now(), raised_version(application)
        waiting.save()
        draft.audited_rows.append(waiting)
