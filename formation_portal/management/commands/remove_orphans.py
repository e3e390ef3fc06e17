"""`manage.py remove_orphans`: files without a row, left behind by a process that died before it committed the row.

Safe at any time, also while the portal serves.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from formation_portal.applications.models import Application
from formation_portal.applications.models import Document as PortalDocument
from formation_portal.reviews.models import ScreeningCheck
from formation_portal.service.models import Document as ServiceDocument
from formation_portal.service.models import Entity

logger = logging.getLogger(__name__)

# No upload takes this long from its first byte to its row.
AGE_SECONDS = 24 * 60 * 60


class Command(BaseCommand):
    help = "Remove uploaded files older than a day that no record uses. This also runs at every start."

    def handle(self, *args: Any, **options: Any) -> None:
        """Says how many there were."""
        self.stdout.write(f"{remove_orphans()} files removed")


def remove_orphans() -> int:
    """Remove files older than a day that no row names, the portal's, the service's, and those that never fully arrived;
    how many there were. At most three queries a file.

    Only beside rows that are known: whoever starts with a wrong or an empty database by mistake loses no file.
    """
    places: tuple[tuple[Path, Callable[[str], bool]], ...] = (
        (Path(settings.MEDIA_ROOT), _is_orphan_of_portal),
        (Path(settings.SERVICE_DOCUMENTS), _is_orphan_of_service),
        (Path(settings.FILE_UPLOAD_TEMP_DIR), lambda _: True),
    )
    count = 0
    before = time.time() - AGE_SECONDS
    for folder, is_orphan in places:
        old = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_mtime < before]
        orphans = [path for path in old if is_orphan(path.relative_to(folder).as_posix())]
        for path in orphans:
            path.unlink(missing_ok=True)
        if orphans:
            logger.warning("Removed %d unused files from %s", len(orphans), folder)
        count += len(orphans)
    return count


def _is_orphan_of_portal(name: str) -> bool:
    is_known = Application.objects.filter(reference=name.partition("/")[0]).exists()
    return is_known and not any(model.objects.filter(file=name).exists() for model in (PortalDocument, ScreeningCheck))


def _is_orphan_of_service(name: str) -> bool:
    is_known = Entity.objects.filter(pk=name.partition("/")[0]).exists()
    return is_known and not ServiceDocument.objects.filter(path=name).exists()
