"""Uploads in a bucket of S3, or of whatever speaks it. Only loaded where STORAGE_URL names one.

Whatever goes wrong is raised as the disk's troubles are, an OSError: a file that is not there is FileNotFoundError, a
bucket that is away or refuses is EIO, a full one is ENOSPC. So whoever knows the disk's troubles knows all.
"""

import errno
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

from ..encrypted_files import EncryptedFiles

# A page waits for the bucket: at most twice for a connection and an answer, and for a whole file no longer than this.
CONNECT_SECONDS, READ_SECONDS, ATTEMPTS, FILE_SECONDS = 3, 8, 2, 20
_CHUNK = 256 * 1024
_CHECK_NAME = "start-check-{}"
_NOT_THERE = frozenset({"NoSuchKey", "404"})


class BucketStorage(S3Storage):  # type: ignore[misc]  # of an untyped package
    """Private objects under random names, which only our own views hand out."""

    def __init__(self, **options: Any) -> None:
        style = "path" if options.get("endpoint_url") else "auto"
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
            signature_version="s3v4",
            s3={"addressing_style": style},
            # Not every server knows the newer checksums; each row has its file's SHA-256.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        # Never the type that a browser has said, nor one guessed from a name.
        fixed = {"object_parameters": {"ContentType": "application/octet-stream"}, "file_overwrite": True}
        super().__init__(client_config=config, **fixed, **options)
        self._owner = os.getpid()

    @property
    def bucket(self) -> Any:
        """The bucket, by connections of this process: those of one that has forked it are not shared."""
        if self._owner != os.getpid():
            self._bucket, self._connections, self._owner = None, threading.local(), os.getpid()
        return super().bucket

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        """A copy on the disk that is gone when it is closed; the sandbox and the PDF tools read a real file."""
        file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115  # whoever has asked closes it
        until = time.monotonic() + FILE_SECONDS
        try:
            with _as_disk_errors():
                answer = self.bucket.Object(self._normalize_name(clean_name(name))).get()
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    file.write(chunk)
                    if time.monotonic() > until:
                        raise OSError(errno.EIO, "The bucket is too slow")
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return File(file, name=name)

    def _save(self, name: str, content: "File[Any]") -> str:
        """In one request whose body is read as it is sent; boto3's own upload would read it before."""
        content.seek(0)
        key = self._normalize_name(clean_name(name))
        with _as_disk_errors():
            self.bucket.Object(key).put(
                Body=_ReadInTime(content), ContentLength=content.size, ContentType=self.object_parameters["ContentType"]
            )
        return str(clean_name(name))

    def delete(self, name: str) -> None:
        with _as_disk_errors():
            super().delete(name)

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """The names of all files that were last written before the moment."""
        prefix = f"{self.location}/"
        with _as_disk_errors():
            for one in self.bucket.objects.filter(Prefix=prefix):
                if one.last_modified < moment:
                    yield one.key.removeprefix(prefix)

    def check(self) -> None:
        """Write, list, read and delete once. Raises ImproperlyConfigured where that is refused, else OSError."""
        # Nodes that start at once do not remove each other's.
        name = _CHECK_NAME.format(secrets.token_hex(8))
        try:
            self.save(name, ContentFile(b"The portal can write here."))
            next(self.stored_before(datetime.max.replace(tzinfo=UTC)), None)
            self.open(name).close()
            self.delete(name)
        except OSError as error:
            cause = error.__cause__
            is_refused = isinstance(cause, ClientError) and _status(cause) < HTTPStatus.INTERNAL_SERVER_ERROR
            if is_refused or isinstance(cause, NoCredentialsError):
                raise ImproperlyConfigured(error.strerror) from None
            raise


class PrivateBucketStorage(EncryptedFiles, BucketStorage):
    """Uploads in the bucket, encrypted before they leave this machine."""


class _ReadInTime:
    """What is sent. Reading it fails when the time for a whole file is over: no slow bucket takes longer."""

    def __init__(self, content: "File[Any]") -> None:
        self._content = content
        self._until = time.monotonic() + FILE_SECONDS

    def read(self, *args: Any) -> bytes:
        if time.monotonic() > self._until:
            raise OSError(errno.EIO, "The bucket is too slow")
        data: bytes = self._content.read(*args)
        return data

    def seek(self, *args: Any) -> Any:
        return self._content.seek(*args)

    def tell(self) -> Any:
        return self._content.tell()


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


@contextmanager
def _as_disk_errors() -> Iterator[None]:
    """Neither names nor addresses in the words: they are logged."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", "?"))
        if code in _NOT_THERE:
            raise FileNotFoundError(errno.ENOENT, "The bucket does not have the file") from error
        is_full = _status(error) == HTTPStatus.INSUFFICIENT_STORAGE
        raise OSError(errno.ENOSPC if is_full else errno.EIO, f"The bucket refuses: {code}") from error
    except BotoCoreError as error:
        raise OSError(errno.EIO, f"The bucket does not answer: {type(error).__name__}") from error
