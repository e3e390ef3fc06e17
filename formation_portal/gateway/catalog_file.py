"""The last catalog of a service, kept on disk so that a restart and other processes have it."""

import hashlib
import json
import logging
import os
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredCatalog:
    """The items as they came, their ETag, and when the service last confirmed them."""

    items: list[Any]
    etag: str
    fetched_at: datetime


class CatalogFile:
    """One file per service, and per language that it speaks besides its own, under DATA_DIR; its time of change is the
    time of the last word. Never raises: a cache that can't be kept is a line in the log."""

    def __init__(self, directory: Path, base_url: str, language: str = "") -> None:
        name = hashlib.sha256(base_url.encode()).hexdigest()[:16]
        self._path = directory / (f"{name}-{language}.json" if language else f"{name}.json")

    def stamp(self) -> int:
        """When it last changed, in whatever unit; 0 where there is none."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0

    def load(self) -> StoredCatalog | None:
        """What was kept, or None."""
        try:
            kept = json.loads(self._path.read_bytes())
            changed = datetime.fromtimestamp(self._path.stat().st_mtime, UTC)
            items, etag = list(kept["items"]), str(kept["etag"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("Could not read the stored catalog: %s", error)
            return None
        return StoredCatalog(items, etag, changed)

    def write(self, items: list[Any], etag: str) -> None:
        """Keep this one, whole or not at all."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent)
            with os.fdopen(handle, "w") as file:
                json.dump({"etag": etag, "items": items}, file)
            Path(name).replace(self._path)
        except OSError as error:
            log.warning("Could not store the catalog: %s", error)

    def touch(self) -> None:
        """What is kept still stands."""
        try:
            os.utime(self._path)
        except OSError as error:
            log.warning("Could not mark the stored catalog: %s", error)
