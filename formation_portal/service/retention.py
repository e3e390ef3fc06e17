"""How long the service keeps what it has of an entity that is closed (supplement, "Entities"), and answers to calls."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from formation_portal.contract.lifecycle import FINAL
from formation_portal.core.background import hourly_task
from formation_portal.core.databases import SERVICE
from formation_portal.core.overwriting import overwrite_deleted
from formation_portal.service import storage
from formation_portal.service.idempotency import delete_old_answers, forget_answers
from formation_portal.service.models import Entity

# In one round, so that it keeps nobody waiting for long.
AT_ONCE = 500


@hourly_task
def delete_what_is_due() -> int:
    """Delete old answers, and entities that were closed so long ago with their parties and files; how many."""
    delete_old_answers()
    deleted = 0
    if settings.SERVICE_RETENTION_DAYS:
        before = timezone.now() - timedelta(days=settings.SERVICE_RETENTION_DAYS)
        due = Entity.objects.filter(status__in=FINAL, updated_at__lt=before).order_by("updated_at", "pk")
        deleted = sum(_delete(entity) for entity in due[:AT_ONCE])
    # Also for values that calls have replaced in the last hour.
    overwrite_deleted(SERVICE)
    return deleted


def _delete(entity: Entity) -> bool:
    """Whether it was as old as it was read."""
    with transaction.atomic(using=SERVICE):
        same = Entity.objects.select_for_update().filter(pk=entity.pk, updated_at=entity.updated_at).first()
        if same is None:
            return False
        delete_entity(same)
    return True


def delete_entity(entity: Entity) -> None:
    """Delete an entity within a transaction: its parties and files with it, and what kept answers say of it."""
    storage.remove_after_commit(list(entity.documents.values_list("path", flat=True)))
    forget_answers(entity.id)
    entity.delete()
