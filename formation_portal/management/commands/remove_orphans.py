"""`manage.py remove_orphans`: files without a row, left behind by a process that died before it committed the row.

Safe at any time, also while the portal serves.
"""

import logging
from collections.abc import Callable
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

# No upload takes this long from its first byte to its row.
AGE_SECONDS = 24 * 60 * 60


class Command(BaseCommand):
    help = "Remove uploaded files older than a day that no record uses. This also runs once a day."

    def handle(self, *args: Any, **options: Any) -> None:
        """Says how many there were."""
        self.stdout.write(f"{remove_orphans()} files removed")


def remove_orphans() -> int:
    """Remove files older than a day that no row names, the portal's, the service's, and those that never fully arrived;
    how many there were. At most three queries a file.

    Only beside rows that are known: whoever starts with a wrong or an empty database by mistake loses no file.
    """
    arriving = DurableFileStorage(location=settings.FILE_UPLOAD_TEMP_DIR)
    places: tuple[tuple[str, Any, Callable[[str], bool]], ...] = (
        ("portal", storages["default"], _is_orphan_of_portal),
        ("service", storages[SERVICE_FILES], _is_orphan_of_service),
        ("arriving", arriving, lambda _: True),
    )
    count = 0
    before = timezone.now() - timedelta(seconds=AGE_SECONDS)
    for place, storage, is_orphan in places:
        orphans = [name for name in storage.stored_before(before) if is_orphan(name)]
        for name in orphans:
            storage.delete(name)
        if orphans:
            logger.warning("Removed %d unused files (%s)", len(orphans), place)
        count += len(orphans)
    return count


@hourly_task
def remove_orphans_daily() -> int:
    """For all nodes together once a day: in a bucket that takes a request for each thousand files."""
    return remove_orphans() if cache.add("orphans-removed", 1, AGE_SECONDS) else 0


def _is_orphan_of_portal(name: str) -> bool:
    is_known = Application.objects.filter(reference=name.partition("/")[0]).exists()
    return is_known and not any(model.objects.filter(file=name).exists() for model in (PortalDocument, ScreeningCheck))


def _is_orphan_of_service(name: str) -> bool:
    is_known = Entity.objects.filter(pk=name.partition("/")[0]).exists()
    return is_known and not ServiceDocument.objects.filter(path=name).exists()
