"""Store uploads in a bucket of S3 or a compatible server. Only loaded if STORAGE_URL names one.

All errors are raised as OSError, like the disk's, so that callers handle disk and bucket alike.
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

# The limits of a page's wait for the bucket: for a connection, for an answer, in attempts, and for a whole file.
CONNECT_SECONDS = 3
READ_SECONDS = 8
ATTEMPTS = 2
FILE_SECONDS = 20
_CHUNK = 256 * 1024
_CHECK_NAME = "start-check-{}"
_MISSING_CODES = frozenset({"NoSuchKey", "404"})


class BucketStorage(S3Storage):  # type: ignore[misc]  # the package has no types
    """Store private objects under random names. Only our own views return their content."""

    def __init__(self, **options: Any) -> None:
        style = "path" if options.get("endpoint_url") else "auto"
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
            signature_version="s3v4",
            s3={"addressing_style": style},
            # Some servers lack the newer checksums. Each row has its file's SHA-256.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        # A fixed type, instead of the type that a browser has sent or that the name suggests.
        fixed_options = {"object_parameters": {"ContentType": "application/octet-stream"}, "file_overwrite": True}
        super().__init__(client_config=config, **fixed_options, **options)
        self._owner = os.getpid()

    @property
    def bucket(self) -> Any:
        """Return the bucket with connections of this process. A forked process doesn't use its parent's connections."""
        if self._owner != os.getpid():
            self._bucket = None
            self._connections = threading.local()
            self._owner = os.getpid()
        return super().bucket

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        """Copy the object to a temporary file, since the sandbox and the PDF tools need a real file."""
        file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115  # the caller closes it
        deadline = time.monotonic() + FILE_SECONDS
        try:
            with _as_disk_errors():
                answer = self.bucket.Object(self._normalize_name(clean_name(name))).get()
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    file.write(chunk)
                    if time.monotonic() > deadline:
                        raise OSError(errno.EIO, "The bucket is too slow")
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return File(file, name=name)

    def _save(self, name: str, content: "File[Any]") -> str:
        """Upload in one request that reads the content while sending. boto3's own upload would first read all of it."""
        content.seek(0)
        key = self._normalize_name(clean_name(name))
        with _as_disk_errors():
            self.bucket.Object(key).put(
                Body=_TimedReader(content),
                ContentLength=content.size,
                ContentType=self.object_parameters["ContentType"],
            )
        return str(clean_name(name))

    def delete(self, name: str) -> None:
        with _as_disk_errors():
            super().delete(name)

    def stored_before(self, moment: datetime) -> Iterator[str]:
        prefix = f"{self.location}/"
        with _as_disk_errors():
            for summary in self.bucket.objects.filter(Prefix=prefix):
                if summary.last_modified < moment:
                    yield summary.key.removeprefix(prefix)

    def check(self) -> None:
        """Write, list, read and delete a test object. Raises ImproperlyConfigured if refused, OSError for an outage."""
        # A random name, since nodes that start at the same time must not delete each other's object.
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
    """Encrypt uploads before they leave this machine."""


class _TimedReader:
    """A reader of an upload that fails when the time for a whole file is over."""

    def __init__(self, content: "File[Any]") -> None:
        self._content = content
        self._deadline = time.monotonic() + FILE_SECONDS

    def read(self, *args: Any) -> bytes:
        if time.monotonic() > self._deadline:
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
    """Raise the bucket's errors as OSError. Error texts are logged, so they contain no names and no URLs."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", "?"))
        if code in _MISSING_CODES:
            raise FileNotFoundError(errno.ENOENT, "The bucket does not have the file") from error
        is_full = _status(error) == HTTPStatus.INSUFFICIENT_STORAGE
        raise OSError(errno.ENOSPC if is_full else errno.EIO, f"The bucket refuses: {code}") from error
    except BotoCoreError as error:
        raise OSError(errno.EIO, f"The bucket does not answer: {type(error).__name__}") from error
