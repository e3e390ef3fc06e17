"""Files that nobody needs any more: temporary ones, uploads that no row names."""

from collections.abc import Collection, Iterator
from pathlib import Path

from django.conf import settings

from formation_portal.applications.models import Document
from formation_portal.service.models import Document as ServiceDocument


def temporary_files(folder: Path) -> list[str]:
    """Return their paths."""
    return sorted(
        [
            *_files(folder),
            *_files(Path(settings.FILE_UPLOAD_TEMP_DIR)),
            *_unnamed(Path(settings.MEDIA_ROOT), Document.objects.values_list("file", flat=True)),
            *_unnamed(Path(settings.SERVICE_DOCUMENTS), ServiceDocument.objects.values_list("path", flat=True)),
        ]
    )


def _files(folder: Path) -> Iterator[str]:
    return (str(path) for path in folder.rglob("*") if not path.is_dir())


def _unnamed(folder: Path, named: Collection[str]) -> Iterator[str]:
    known = {str(folder / name) for name in named}
    return (path for path in _files(folder) if path not in known)
