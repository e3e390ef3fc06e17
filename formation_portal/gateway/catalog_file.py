"""Store the last catalog of a service on disk, for a restart and for other processes."""

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
    """The items as they arrived, their ETag, and the time when the service last confirmed them."""

    items: list[Any]
    etag: str
    fetched_at: datetime


class CatalogFile:
    """The file of a service's catalog in one language. It is touched whenever the service confirms the catalog."""

    def __init__(self, directory: Path, base_url: str, language: str = "") -> None:
        name = hashlib.sha256(base_url.encode()).hexdigest()[:16]
        self._path = directory / f"{'-'.join(filter(None, (name, language)))}.json"

    def stamp(self) -> int:
        """Return the file's version: its modification time, or 0 without a file."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0

    def load(self) -> StoredCatalog | None:
        try:
            document = json.loads(self._path.read_bytes())
            changed = datetime.fromtimestamp(self._path.stat().st_mtime, UTC)
            return StoredCatalog(list(document["items"]), str(document["etag"]), changed)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("Could not read the stored catalog: %s", error)
            return None

    def write(self, items: list[Any], etag: str) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent)
            with os.fdopen(handle, "w") as file:
                json.dump({"etag": etag, "items": items}, file)
            Path(name).replace(self._path)
        except OSError as error:
            log.warning("Could not store the catalog: %s", error)

    def touch(self) -> None:
        try:
            os.utime(self._path)
        except OSError as error:
            log.warning("Could not mark the stored catalog: %s", error)
