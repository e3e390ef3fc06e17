"""An application on hold is erased by nobody, such as while a court or an authority asks about it."""

from django.db import transaction

from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction


def hold(application: Application, reason: str) -> None:
    """Put it on hold, with the reason."""
    _set(application, reason)


def release(application: Application) -> None:
    """Let the retention rules count again."""
    _set(application, None)


def _set(application: Application, reason: str | None) -> None:
    with transaction.atomic():
        locked = Application.objects.select_for_update().get(pk=application.pk)
        locked.hold_reason = reason
        locked.save(update_fields=["hold_reason"])
        chain.append(AuditAction.ERASURE, by=None, application=locked, reason="release" if reason is None else "hold")
