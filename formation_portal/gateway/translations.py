"""Fetch the texts of the catalog in other languages with `Accept-Language`, and cache them by language."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from .catalog_file import CatalogFile, StoredCatalog
from .client import FormationService
from .errors import GatewayError

log = logging.getLogger(__name__)

RETRY_SECONDS = 30.0
# Long, since a service that lacks the language will not have it in five minutes.
_UNAVAILABLE_SECONDS = 3600.0
_TIMEOUT = 5.0

# The items of the catalog as they arrived, by jurisdiction_product_id and by the id of their schema.
Items = Mapping[str, Mapping[str, Any]]


class CachedCatalog:
    """The catalog of a service in one language, in this process. All processes share the file."""

    def __init__(
        self,
        source: FormationService,
        file: CatalogFile,
        *,
        seconds: int,
        language: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.language = language
        self._source = source
        self._file = file
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        # The version of the file that this process has read.
        self._stamp = 0
        self._next_call = float("-inf")

    def is_due(self) -> bool:
        return self._clock() >= self._next_call

    def _wait(self, seconds: float) -> None:
        self._next_call = self._clock() + seconds

    def _adopt_stored(self) -> None:
        """Adopt the stored catalog if its file has changed since this process last read it."""
        # Read the stamp before the file, so that a change in between is noticed the next time. Keep it only once the
        # catalog is adopted, so that no other thread goes on without it.
        stamp = self._file.stamp()
        if stamp == self._stamp:
            return
        if stored := self._file.load():
            self._adopt(stored)
        self._stamp = stamp

    def _adopt(self, stored: StoredCatalog) -> None:
        raise NotImplementedError


class CatalogTranslation(CachedCatalog):
    _etag = ""
    _items: Items = {}

    @property
    def is_empty(self) -> bool:
        return not self.items and self._next_call == float("-inf")

    def refresh(self, *, etag: str) -> None:
        """Call the service if due and if no other thread does. `etag` is that of the catalog in its own language."""
        if not self.is_due() or not self._lock.acquire(blocking=False):
            return
        try:
            items = self.items
            answer = self._source.catalog(if_none_match=self._etag or etag, within=_TIMEOUT, language=self.language)
            is_available = answer.language.partition("-")[0].lower() == self.language
            if is_available and answer.items is None and not items:
                # The service has the same ETag for all languages.
                answer = self._source.catalog(within=_TIMEOUT, language=self.language)
        except GatewayError as error:
            log.warning("No words in %s from %s: %s", self.language, self._source.base_url, error)
            self._wait(max(RETRY_SECONDS, error.retry_after or 0))
        else:
            self._wait(self._seconds)
            if not is_available:
                self._wait(_UNAVAILABLE_SECONDS)
            elif answer.items is not None:
                self._file.write(answer.items, answer.etag)
                self._stamp = self._file.stamp()
                self._take(answer.items, answer.etag)
        finally:
            self._lock.release()

    @property
    def items(self) -> Items:
        """Return the items in the language: the same object until they change. Makes no call."""
        self._adopt_stored()
        return self._items

    def _adopt(self, stored: StoredCatalog) -> None:
        self._take(stored.items, stored.etag)

    def _take(self, items: list[Any], etag: str) -> None:
        self._etag = etag
        products = {}
        forms = {}
        for item in items:
            if isinstance(item, Mapping):
                products[str(item.get("jurisdiction_product_id") or "")] = item
                form = item.get("schema")
                if isinstance(form, Mapping) and form.get("id"):
                    forms[str(form["id"])] = item
        self._items = products | forms
