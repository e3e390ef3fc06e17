"""Static files of other versions, while several serve at once: a page of one node asks another for its files.

With STORAGE_URL each start puts its hashed static files into the bucket, and a node that is asked for one which it
lacks looks there, and keeps it on its disk. Only hashed names are looked for: each is one content for ever.
"""

import logging
import mimetypes
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from .storage import STATIC_FILES

logger = logging.getLogger(__name__)

_HASHED_NAME = re.compile(
    r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[0-9a-f]{12}\.[a-z0-9]{1,8}"
)
# Packed as well, beside the plain file; whoever asks another version's node gets the plain one.
_PACKED = (".br", ".gz")
# What nobody publishes any more goes after so long: no page is open for longer.
KEPT_FOR = timedelta(days=30)
# The bucket is asked for its names so often at most; and less often while it does not answer.
_LIST_SECONDS, _PAUSE_SECONDS = 2.0, 30.0
_FOR_EVER = "max-age=315360000, public, immutable"


def publish() -> int:
    """Put what the bucket lacks of this version's files there, and remove what is old; how many were put.

    Raises OSError.
    """
    if STATIC_FILES not in settings.STORAGES:
        return 0
    bucket: Any = storages[STATIC_FILES]
    root = Path(settings.STATIC_ROOT)
    own = {
        name
        for path in root.rglob("*")
        if path.is_file() and path.suffix not in _PACKED and _HASHED_NAME.fullmatch(name := str(path.relative_to(root)))
    }
    there = set(bucket.stored_before(datetime.max.replace(tzinfo=UTC)))
    for name in sorted(own - there):
        bucket.save(name, ContentFile((root / name).read_bytes()))
    for name in set(bucket.stored_before(timezone.now() - KEPT_FOR)) - own:
        bucket.delete(name)
    return len(own - there)


class StaticArchive:
    """Answers for hashed static files that WhiteNoise does not have; it stands right after it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if STATIC_FILES not in settings.STORAGES:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self._names: frozenset[str] = frozenset()
        self._ask_again_at = 0.0
        self._lock = threading.Lock()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        name = request.path_info.removeprefix(settings.STATIC_URL)
        is_asked_for = name != request.path_info and request.method in ("GET", "HEAD")
        if is_asked_for and _HASHED_NAME.fullmatch(name) and (content := self._find(name)) is not None:
            media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
            charset = "; charset=utf-8" if media_type.startswith("text/") else ""
            headers = {"Cache-Control": _FOR_EVER}
            return HttpResponse(content, content_type=f"{media_type}{charset}", headers=headers)
        return self.get_response(request)

    def _find(self, name: str) -> bytes | None:
        kept = Path(settings.DATA_DIR) / "static-of-others" / name
        try:
            return kept.read_bytes()
        except OSError:
            pass
        if not self._is_published(name):
            return None
        try:
            with storages[STATIC_FILES].open(name) as file:
                content = bytes(file.read())
        except OSError as error:
            logger.warning("A static file of another version can't be had: %s", error.strerror)
            return None
        _keep(kept, content)
        return content

    def _is_published(self, name: str) -> bool:
        """By the names that the bucket had a moment ago: whoever asks for many that are nowhere costs it nothing."""
        if name not in self._names and time.monotonic() >= self._ask_again_at and self._lock.acquire(blocking=False):
            try:
                bucket: Any = storages[STATIC_FILES]
                self._names = frozenset(bucket.stored_before(datetime.max.replace(tzinfo=UTC)))
                self._ask_again_at = time.monotonic() + _LIST_SECONDS
            except OSError as error:
                logger.warning("The bucket can't be asked for static files: %s", error.strerror)
                self._ask_again_at = time.monotonic() + _PAUSE_SECONDS
            finally:
                self._lock.release()
        return name in self._names


def _keep(path: Path, content: bytes) -> None:
    """Whole or not at all. Without room for it the bucket is asked again."""
    unseen = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unseen.write_bytes(content)
        os.replace(unseen, path)  # noqa: PTH105
    except OSError:
        unseen.unlink(missing_ok=True)
