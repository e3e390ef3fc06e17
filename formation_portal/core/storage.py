"""Write uploads and secrets to files, completely or not at all."""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler

# The alias of the embedded service's files in STORAGES.
SERVICE_FILES = "service"
# The folder of each alias in a bucket, below the prefix.
BUCKET_FOLDERS = {"default": "portal", SERVICE_FILES: "service"}
_BUCKET_NAME = r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
_PREFIX = r"(/[A-Za-z0-9][A-Za-z0-9._-]*)*/?"


def storage_settings(url: str) -> dict[str, dict[str, Any]]:
    """Return STORAGES for files in a bucket, or for "" on the disk.

    The URL is like `s3://key:secret@BUCKET/prefix?endpoint=https://host&region=…`. A ValueError does not quote it.
    """
    if not url:
        return {
            "default": {"BACKEND": "formation_portal.core.encrypted_files.PrivateFileStorage"},
            SERVICE_FILES: {
                "BACKEND": "formation_portal.core.encrypted_files.ServiceFileStorage",
                "OPTIONS": {"directory_permissions_mode": 0o700},
            },
        }
    try:
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        endpoint = urlsplit(query.get("endpoint", ""))
        is_server = endpoint.scheme in ("http", "https") and bool(endpoint.hostname) and endpoint.port != 0
    except ValueError:
        raise ValueError("can't be read as the address of a bucket") from None
    bucket = parts.netloc.rpartition("@")[2]
    if parts.scheme != "s3" or not re.fullmatch(_BUCKET_NAME, bucket) or not re.fullmatch(_PREFIX, parts.path):
        raise ValueError("should begin with s3:// and name a bucket, like s3://BUCKET/prefix")
    if bool(parts.username) != bool(parts.password):
        raise ValueError("should have both the key and its secret, like s3://key:secret@BUCKET, or neither")
    if query.keys() - {"endpoint", "region"} or parts.fragment:
        raise ValueError("should have no other options than endpoint and region")
    if "endpoint" in query and not is_server:
        raise ValueError("should have an endpoint like https://host or https://host:port")
    options: dict[str, Any] = {
        "bucket_name": bucket,
        "endpoint_url": query.get("endpoint"),
        "region_name": query.get("region"),
    }
    if parts.username and parts.password:
        options["access_key"] = unquote(parts.username)
        options["secret_key"] = unquote(parts.password)
        options["security_token"] = None
    prefix = parts.path.strip("/")
    return {
        alias: {
            "BACKEND": "formation_portal.core.servers.bucket.PrivateBucketStorage",
            "OPTIONS": options | {"location": f"{prefix}/{folder}".lstrip("/")},
        }
        for alias, folder in BUCKET_FOLDERS.items()
    }


class DurableFileStorage(FileSystemStorage):
    """A storage that syncs each file to the disk, as databases do, and removes incompletely written files."""

    def _save(self, name: str, content: "File[Any]") -> str:
        existed_before = self.exists(name)
        try:
            stored = str(super()._save(name, content))  # type: ignore[misc]  # missing in the stubs
            _sync_to_disk(Path(self.path(stored)), below=Path(self.location))
        except BaseException:
            if not existed_before:
                self.delete(name)
            raise
        return stored

    def stored_before(self, moment: datetime) -> Iterator[str]:
        root = Path(self.location)
        for path in root.rglob("*"):
            if path.is_file() and path.stat().st_mtime < moment.timestamp():
                yield path.relative_to(root).as_posix()


def _sync_to_disk(path: Path, *, below: Path) -> None:
    """Sync the file and the folders that lead to it, some of which may be new."""
    for part in (path, *path.parents):
        handle = os.open(part, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if part == below:
            break


class FailedUpload(UploadedFile):  # type: ignore[type-arg]  # only its stub takes one
    """An uploaded file that could not be written. Reading it raises the error from writing it."""

    def __init__(self, error: OSError, *, name: str, content_type: str | None, size: int) -> None:
        super().__init__(file=None, name=name, content_type=content_type, size=size)
        self._error = error

    def open(self, mode: str | None = None) -> Any:  # type: ignore[override]  # it never returns
        raise self._error

    def read(self, size: int = -1) -> Any:
        raise self._error

    def chunks(self, chunk_size: int | None = None) -> Iterator[Any]:
        raise self._error

    def close(self) -> None:
        pass


class DiskFullUploadHandler(TemporaryFileUploadHandler):
    """Write large uploads to temporary files. If the disk is full, the form and the other files are not lost."""

    file: Any = None
    _error: OSError | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self.file = None
        self._error = None
        try:
            super().new_file(*args, **kwargs)
        except OSError as error:
            self._fail(error)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if self._error is None:
            try:
                return super().receive_data_chunk(raw_data, start)
            except OSError as error:
                self._fail(error)
        return None

    def file_complete(self, file_size: int) -> "IO[Any] | UploadedFile[Any] | None":  # type: ignore[override]
        if self._error is None:
            try:
                # This writes the last bytes.
                return super().file_complete(file_size)
            except OSError as error:
                self._fail(error)
        assert self._error is not None
        return FailedUpload(self._error, name=self.file_name or "", content_type=self.content_type, size=file_size)

    def upload_interrupted(self) -> None:
        if self.file is not None:
            super().upload_interrupted()

    def _fail(self, error: OSError) -> None:
        self._error = error
        if self.file is not None:
            # Closing the file tries to write the rest again. The file is removed even if that fails.
            with suppress(OSError):
                self.file.close()
        self.file = None


def read_or_create_secret(path: Path, make: Callable[[], str]) -> str:
    """Read a secret, made on the first call. If several processes make it at once, all get the same secret."""
    if not path.exists():
        with _temporary_secret(path, make()) as temporary, suppress(FileExistsError):
            os.link(temporary, path)
    return path.read_text()


def replace_secret(path: Path, secret: str) -> None:
    with _temporary_secret(path, secret) as temporary:
        temporary.replace(path)


@contextmanager
def _temporary_secret(path: Path, secret: str) -> Iterator[Path]:
    """Write the secret to a temporary file beside the path, so that nobody reads an incomplete secret."""
    temporary = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
