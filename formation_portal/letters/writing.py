"""Writes a letter into the outbox."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.utils import timezone

from .drawing import draw
from .models import Letter
from .refusing import can_be_refused, is_refused, refusal_path


def write(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str) -> None:
    """Draw it and keep it, unless it was written before or is not wanted."""
    if is_refused(kind=kind, to=to) or (once and Letter.objects.filter(once=once).exists()):
        return
    if can_be_refused(kind):
        context = {**context, "refusal": refusal_path(kind=kind, to=to)}
    drawn = draw(kind=kind, language=language, context=context)
    letter = Letter(
        to=to,
        kind=kind,
        language=language,
        subject=drawn.subject,
        text=drawn.text,
        html=drawn.html,
        reference=str(context.get("reference", ""))[:40],
        once=once or None,
        next_at=timezone.now(),
    )
    _save(letter)


def _save(letter: Letter) -> None:
    try:
        # A savepoint, since the caller's transaction goes on where somebody else wrote the same letter first.
        with transaction.atomic():
            letter.save()
    except IntegrityError:
        if not (letter.once and Letter.objects.filter(once=letter.once).exists()):
            raise
