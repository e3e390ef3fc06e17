"""What the relay does when an application changes, inside the transaction that changes it."""

from typing import Any

from django.db import transaction
from django.dispatch import receiver

from formation_portal.applications.drafts import Draft
from formation_portal.applications.signals import changed, submitting
from formation_portal.contract.needs import Need

from . import wake
from .models import Delivery
from .problems import needs_of
from .renewal import renew


@receiver(changed)
def renew_wishes(draft: Draft, **_: Any) -> None:
    """Renew the wishes, and wake the worker once they are committed."""
    renew(draft)
    transaction.on_commit(wake.workers)


@receiver(submitting)
def object_to_what_is_refused(draft: Draft, **_: Any) -> tuple[Need, ...]:
    """What the service has refused needs a change before submitting."""
    return needs_of(Delivery.objects.filter(application=draft.application))
