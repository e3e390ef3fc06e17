"""Delete closed entities (INTERFACE.md, "Entities") and old saved answers to calls."""

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

# The most entities that a round deletes, so that it doesn't block other work for long.
AT_ONCE = 500


@hourly_task
def delete_expired_data() -> None:
    """Delete old saved answers, and entities that were closed long enough ago."""
    delete_old_answers()
    if settings.SERVICE_RETENTION_DAYS:
        before = timezone.now() - timedelta(days=settings.SERVICE_RETENTION_DAYS)
        due = Entity.objects.filter(status__in=FINAL, updated_at__lt=before).order_by("updated_at", "pk")
        for entity in due[:AT_ONCE]:
            with transaction.atomic(using=SERVICE):
                # If there is no row, the entity was changed since it was read.
                rows = Entity.objects.select_for_update().filter(pk=entity.pk, updated_at=entity.updated_at)
                for unchanged in rows:
                    delete_entity(unchanged)
    # This also overwrites the values that calls have replaced in the last hour.
    overwrite_deleted(SERVICE)


def delete_entity(entity: Entity) -> None:
    """Delete an entity with its files and saved answers. Needs a transaction."""
    storage.remove_after_commit(list(entity.documents.values_list("path", flat=True)))
    forget_answers(entity.id)
    entity.delete()
