"""Letters hold personal data, so what they said and to whom is removed after some weeks."""

import datetime as dt

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from .models import Letter


def clear_old() -> int:
    """Empty the letters that were sent, or else written, longer than LETTER_DAYS ago; how many there were.

    One that was never sent goes nowhere any more. That it was written, and when it went, is kept.
    """
    before = timezone.now() - dt.timedelta(days=settings.LETTER_DAYS)
    old = Letter.objects.alias(at=Coalesce(F("sent_at"), F("created_at"))).filter(at__lt=before).exclude(to="")
    return old.update(to="", subject="", text="", html="", next_at=None)
