"""Storages of private files: what they write is encrypted, each file bound to its name (`encryption`).

STORAGES names them by `storage_settings`.
"""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File

from . import encryption
from .storage import DurableFileStorage


class EncryptedFiles:
    """Makes a storage one of private files. One that is opened is in memory, as large as uploads may be, and on no
    disk."""

    def _save(self, name: str, content: "File[Any]") -> str:
        content.seek(0)
        sealed = encryption.encrypt_file(content.read(), name)
        stored = str(super()._save(name, ContentFile(sealed)))  # type: ignore[misc]  # the storage's own
        assert stored == name, "Names are random: none is taken"
        return stored

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        with self.open_stored(name) as stored:
            content = encryption.decrypt_file(stored.read(), name)
        return ContentFile(content, name)

    def open_stored(self, name: str) -> "File[Any]":
        """The file as it is stored, encrypted."""
        return super()._open(name)  # type: ignore[misc,no-any-return]  # the storage's own

    def save_stored(self, name: str, content: "File[Any]") -> None:
        """Put back what `open_stored` has given."""
        super()._save(name, content)  # type: ignore[misc]  # the storage's own

    def replace_stored(self, name: str, sealed: bytes) -> None:
        """Put the same content, encrypted anew, in the file's place."""
        self.save_stored(name, ContentFile(sealed))


class PrivateFileStorage(EncryptedFiles, DurableFileStorage):
    """The portal's uploads, on the disk."""

    def replace_stored(self, name: str, sealed: bytes) -> None:
        """Whoever reads it meanwhile reads the one or the other, whole."""
        unseen = f"{name}.{uuid.uuid4().hex}"
        self.save_stored(unseen, ContentFile(sealed))
        Path(self.path(unseen)).replace(self.path(name))


class ServiceFileStorage(PrivateFileStorage):
    """The embedded service's uploads, in a folder of their own."""

    @property
    def base_location(self) -> Any:
        return settings.SERVICE_DOCUMENTS

    @property
    def location(self) -> str:
        return str(Path(settings.SERVICE_DOCUMENTS).absolute())
