"""`manage.py remove_orphans`: delete files that no row names, as after a crash during an upload."""

import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import storages
from django.core.management.base import BaseCommand
from django.utils import timezone

from formation_portal.applications.models import Application
from formation_portal.applications.models import Document as PortalDocument
from formation_portal.core.background import hourly_task
from formation_portal.core.storage import SERVICE_FILES, DurableFileStorage
from formation_portal.reviews.models import ScreeningCheck
from formation_portal.service.models import Document as ServiceDocument
from formation_portal.service.models import Entity

logger = logging.getLogger(__name__)

# Older files without a row are orphans: no upload takes this long until its row is committed.
AGE_SECONDS = 24 * 60 * 60


class Command(BaseCommand):
    help = "Remove uploaded files older than a day that no record uses. This also runs once a day."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{remove_orphans()} files removed")


def remove_orphans() -> int:
    """Delete files older than a day that no row names, and return their number.

    Deletes stored files only of existing applications and entities, so that a start with a wrong or empty database
    deletes none of them.
    """
    before = timezone.now() - timedelta(seconds=AGE_SECONDS)
    portal: Any = storages["default"]
    service: Any = storages[SERVICE_FILES]
    uploads = DurableFileStorage(location=settings.FILE_UPLOAD_TEMP_DIR)
    count = 0
    for place, storage, orphans in (
        ("portal", portal, filter(_is_orphan_of_portal, portal.stored_before(before))),
        ("service", service, filter(_is_orphan_of_service, service.stored_before(before))),
        ("arriving", uploads, uploads.stored_before(before)),
    ):
        names = list(orphans)
        for name in names:
            storage.delete(name)
        if names:
            logger.warning("Removed %d unused files (%s)", len(names), place)
        count += len(names)
    return count


@hourly_task
def remove_orphans_daily() -> int:
    """Delete orphans once a day for all nodes: listing a bucket takes a request for each thousand files."""
    return remove_orphans() if cache.add("orphans-removed", 1, AGE_SECONDS) else 0


def _is_orphan_of_portal(name: str) -> bool:
    if not Application.objects.filter(reference=name.partition("/")[0]).exists():
        return False
    return not any(model.objects.filter(file=name).exists() for model in (PortalDocument, ScreeningCheck))


def _is_orphan_of_service(name: str) -> bool:
    if not Entity.objects.filter(pk=name.partition("/")[0]).exists():
        return False
    return not ServiceDocument.objects.filter(path=name).exists()
