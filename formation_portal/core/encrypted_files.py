"""Storages that encrypt their files and bind each file to its name."""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File

from . import encryption
from .storage import DurableFileStorage


class EncryptedFiles:
    """A mixin that encrypts a storage's files. An opened file is decrypted in memory, never on a disk."""

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
        return super()._open(name)  # type: ignore[misc,no-any-return]  # the storage's own

    def save_stored(self, name: str, content: "File[Any]") -> None:
        super()._save(name, content)  # type: ignore[misc]  # the storage's own

    def replace_stored(self, name: str, sealed: bytes) -> None:
        self.save_stored(name, ContentFile(sealed))


class PrivateFileStorage(EncryptedFiles, DurableFileStorage):
    def replace_stored(self, name: str, sealed: bytes) -> None:
        """Replace a file atomically: a reader gets all of the old or all of the new content."""
        temporary = f"{name}.{uuid.uuid4().hex}"
        self.save_stored(temporary, ContentFile(sealed))
        Path(self.path(temporary)).replace(self.path(name))


class ServiceFileStorage(PrivateFileStorage):
    @property
    def location(self) -> str:
        return str(Path(settings.SERVICE_DOCUMENTS).absolute())
