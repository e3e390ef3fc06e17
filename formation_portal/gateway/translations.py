"""The catalog in the languages of the pages: asked for by `Accept-Language`, kept per language with its ETag.

The catalog in the service's own language is the one that counts (`catalog.py`): for ids, versions, values and rules.
This holds only what the service says in another language, to take words from. A page waits for one call at most: it
asks for words only where the catalog itself needed no call, or where there is nothing yet. Pages of applications make
no call at all. A service that doesn't speak the language is asked again in an hour.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from .catalog_file import CatalogFile
from .client import FormationService
from .errors import GatewayError

log = logging.getLogger(__name__)

RETRY_SECONDS = 30.0
# What doesn't speak the language today will not in five minutes.
_UNSPOKEN_SECONDS = 3600.0
_TIMEOUT = 5.0

# An item of the catalog as it arrived, by its jurisdiction_product_id and by the id of its schema.
Items = Mapping[str, Mapping[str, Any]]


class CatalogTranslation:
    """What one service says in one language, in this process; other processes share the file."""

    def __init__(
        self,
        source: FormationService,
        file: CatalogFile,
        *,
        language: str,
        seconds: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._file = file
        self.language = language
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._stamp = 0
        self._etag = ""
        self._items: dict[str, Mapping[str, Any]] = {}
        self._next_call = float("-inf")

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever found out about the language."""
        return not self.items and self._next_call == float("-inf")

    def refresh(self, *, etag: str) -> None:
        """Ask the service where it is time to, and nobody else does; whatever it answers, what is held stays usable.

        `etag` is that of the catalog in the service's own language: a service with that language alone can say so.
        """
        if self._clock() < self._next_call or not self._lock.acquire(blocking=False):
            return
        try:
            self._adopt_stored()
            held = self._etag or etag
            answer = self._source.catalog(if_none_match=held, within=_TIMEOUT, language=self.language)
            is_spoken = answer.language.partition("-")[0].lower() == self.language
            if is_spoken and answer.items is None and not self._items:
                # One ETag for all languages: then it says nothing about this one.
                answer = self._source.catalog(within=_TIMEOUT, language=self.language)
        except GatewayError as error:
            log.warning("No words in %s from %s: %s", self.language, self._source.base_url, error)
            self._next_call = self._clock() + max(RETRY_SECONDS, error.retry_after or 0)
        else:
            self._next_call = self._clock() + (self._seconds if is_spoken else _UNSPOKEN_SECONDS)
            if is_spoken and answer.items is not None:
                self._file.write(answer.items, answer.etag)
                self._stamp = self._file.stamp()
                self._take(answer.items, answer.etag)
        finally:
            self._lock.release()

    @property
    def items(self) -> Items:
        """The items in the language, as they arrived; the same object until there are others. Makes no call."""
        self._adopt_stored()
        return self._items

    def _adopt_stored(self) -> None:
        """What another process has found since, or this one before its restart."""
        stamp = self._file.stamp()
        if stamp and stamp != self._stamp:
            self._stamp = stamp
            if stored := self._file.load():
                self._take(stored.items, stored.etag)

    def _take(self, items: list[Any], etag: str) -> None:
        self._etag = etag
        named = [one for one in items if isinstance(one, Mapping)]
        self._items = {str(one.get("jurisdiction_product_id") or ""): one for one in named}
        schemas = ((one.get("schema"), one) for one in named)
        self._items |= {str(form["id"]): one for form, one in schemas if isinstance(form, Mapping) and form.get("id")}
