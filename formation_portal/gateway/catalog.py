"""The products of the catalog for pages: cached, and served stale, with a note, while the service is down.

While it is fresh no page costs a call. When it isn't, one request asks and the others are served what there is; after
a failure nobody asks for half a minute. What was parsed once is not parsed again while the service says the same. The
last catalog is kept on disk, so that a restart while the service is down still has one to show.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from formation_portal.contract.catalog import BrokenItem, CatalogItem, parse_catalog
from formation_portal.contract.localisation import get_language
from formation_portal.contract.schema_check import check_schema
from formation_portal.contract.translation import translated_item

from . import configuration
from .catalog_file import CatalogFile
from .client import CatalogAnswer, FormationService
from .errors import CatalogUnavailable, GatewayError
from .translations import RETRY_SECONDS, CatalogTranslation, Items

log = logging.getLogger(__name__)

_URL_KEY = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CatalogProduct:
    """One product. `item` is None where the service's item can't be read; `reason` says why it is unavailable."""

    key: str
    name: str
    item: CatalogItem | None
    reason: str = ""

    @property
    def is_available(self) -> bool:
        """Whether it can be applied for."""
        return self.item is not None and not self.reason


def read_products(items: Sequence[Any]) -> tuple[CatalogProduct, ...]:
    """Every item of the catalog as a product, in its order. A faulty one is unavailable and takes no other with it."""
    read = [_read_item(item) for item in items]
    slugs = Counter(one.product.slug for one in read if isinstance(one, CatalogItem))
    products: list[CatalogProduct] = []
    taken: set[str] = set()
    ids: set[str] = set()
    for one in read:
        if isinstance(one, BrokenItem):
            product = CatalogProduct(_hashed_key(one.name, taken), one.name, None, one.reason)
        else:
            wanted = one.product.slug if slugs[one.product.slug] == 1 else one.jurisdiction_product_id
            is_fit = _URL_KEY.fullmatch(wanted) and wanted not in taken
            key = wanted if is_fit else _hashed_key(one.jurisdiction_product_id, taken)
            name = one.product.name or one.form.form_name or one.product.slug or "A product without a name"
            product = CatalogProduct(key, name, one, _why_unavailable(one, ids))
            ids.add(one.jurisdiction_product_id)
        taken.add(product.key)
        products.append(product)
    return tuple(products)


def _read_item(item: Any) -> CatalogItem | BrokenItem:
    try:
        [one] = parse_catalog([item])
        if isinstance(one, CatalogItem):
            check_schema(one.form)
    except Exception:  # whatever it is about one product, the others must be shown
        log.exception("A catalog item cannot be read")
        return BrokenItem(name="A product without a name", reason="The catalog entry cannot be read")
    return one


def _why_unavailable(item: CatalogItem, ids: set[str]) -> str:
    if not item.jurisdiction_product_id:
        return "It has no jurisdiction_product_id, so no application can be created"
    if item.jurisdiction_product_id in ids:
        return "Another product in the catalog has the same jurisdiction_product_id"
    return "; ".join(fault.message for fault in check_schema(item.form).faults)


def _hashed_key(text: str, taken: set[str]) -> str:
    """A key made from any text; the same text twice gets two keys."""
    count = 0
    while True:
        key = hashlib.sha256(f"{text}/{count}".encode()).hexdigest()[:16]
        if key not in taken:
            return key
        count += 1


@dataclass(frozen=True)
class Catalog:
    """All products, when the service last confirmed them, and where that is too long ago, a note for people.

    `etag` and `digest` are those of the items as they came.
    """

    items: tuple[CatalogProduct, ...]
    fetched_at: datetime
    is_stale: bool = False
    note: str = ""
    etag: str = ""
    digest: str = ""

    def find(self, key: str) -> CatalogProduct | None:
        """The product with the key, available or not."""
        return self._by_key.get(key)

    def language_of(self, text: str) -> str:
        """Return the language of a text of one of the products; "" for the language of the catalog."""
        for product in self.items:
            if product.item and (language := product.item.language_of(text)):
                return language
        return ""

    @cached_property
    def _by_key(self) -> dict[str, CatalogProduct]:
        return {product.key: product for product in self.items}


def _read(items: list[Any], etag: str, fetched_at: datetime) -> Catalog:
    return Catalog(read_products(items), fetched_at, etag=etag, digest=_digest(items))


def _digest(items: list[Any]) -> str:
    return hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()


# Where there is an old catalog to show, a page doesn't wait longer than this for a new one.
_REFRESH_TIMEOUT = 5.0
# A service that forbids caching is asked this often, not for every page.
_MIN_AGE = 5


def catalog() -> Catalog:
    """The catalog of the configured service, in the reader's language as far as the service speaks it.

    Raises CatalogUnavailable where there is none, not even an old one.
    """
    try:
        source, directory = configuration.service(), Path(settings.DATA_DIR)
        cache = _cache_of(source, directory)
        calls = cache.calls
        current = cache.current()
    except CatalogUnavailable:
        raise
    except GatewayError as error:
        raise CatalogUnavailable(str(error)) from error
    words = _translation(source, directory)
    if words and not current.is_stale and (cache.calls == calls or words.is_empty):
        words.refresh(etag=current.etag)
    return _in_words(current, words)


def cached_catalog() -> Catalog | None:
    """The catalog that was fetched last, however old, without any call; None where there never was one."""
    try:
        source, directory = configuration.service(), Path(settings.DATA_DIR)
    except GatewayError:
        return None
    cached = _cache_of(source, directory).cached()
    return _in_words(cached, _translation(source, directory)) if cached else None


def catalog_item_in(language: str, key: str) -> Mapping[str, Any] | None:
    """What the service says of a product in the language, as it arrived; None where it doesn't. Makes no call.

    `key` is the product's jurisdiction_product_id, or the id of its schema.
    """
    if _is_own(language):
        return None
    try:
        source, directory = configuration.service(), Path(settings.DATA_DIR)
    except GatewayError:
        return None
    return _translation_of(source, directory, language).items.get(key)


def _translation(source: FormationService, directory: Path) -> CatalogTranslation | None:
    """The words of the reader's language; None where that is the catalog's own."""
    language = get_language()
    return None if _is_own(language) else _translation_of(source, directory, language)


def _is_own(language: str) -> bool:
    """Whether the catalog speaks the language by itself."""
    return language == str(settings.CATALOG_LANGUAGE).partition("-")[0]


def _in_words(current: Catalog, words: CatalogTranslation | None) -> Catalog:
    """The catalog with these words, where there are any; worked out once for each catalog and its words."""
    theirs = words.items if words else {}
    if not words or not theirs:
        return current
    known = _known.get(words.language)
    if known is None or known[0] is not current or known[1] is not theirs:
        items = tuple(_product_in_words(one, theirs, words.language) for one in current.items)
        known = _known[words.language] = (current, theirs, replace(current, items=items))
    return known[2]


# By language: a catalog, what the service says in the language, and the one with the other's words.
_known: dict[str, tuple[Catalog, Items, Catalog]] = {}


def _product_in_words(product: CatalogProduct, theirs: Items, language: str) -> CatalogProduct:
    said = theirs.get(product.item.jurisdiction_product_id) if product.item else None
    if product.item is None or said is None:
        return product
    item = translated_item(product.item, said, language)
    return replace(product, item=item, name=item.product.name or product.name)


def forget() -> None:
    """Forget the service and the catalog that this process holds: for tests, where one address may be two services."""
    configuration.forget()
    _cache_of.cache_clear()
    _translation_of.cache_clear()
    _known.clear()


@lru_cache(maxsize=4)
def _cache_of(source: FormationService, directory: Path) -> CatalogCache:
    file, seconds = CatalogFile(directory / "catalog", source.base_url), settings.ENV.catalog_seconds
    return CatalogCache(source, file, seconds=seconds, language=settings.CATALOG_LANGUAGE)


@lru_cache(maxsize=16)
def _translation_of(source: FormationService, directory: Path, language: str) -> CatalogTranslation:
    file = CatalogFile(directory / "catalog", source.base_url, language)
    return CatalogTranslation(source, file, language=language, seconds=settings.ENV.catalog_seconds)


class CatalogCache:
    """The catalog of one service in this process, in the service's own language. `clock` counts seconds."""

    def __init__(
        self,
        source: FormationService,
        file: CatalogFile,
        *,
        seconds: int,
        language: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._file = file
        self._seconds = seconds
        self._language = language
        self._clock = clock
        self._lock = threading.Lock()
        self._cached: Catalog | None = None
        # Of the file as this process knows it.
        self._stamp = 0
        self._failure: GatewayError | None = None
        self._next_call = float("-inf")
        # How often this process has asked.
        self.calls = 0

    def current(self) -> Catalog:
        """What there is to show now, asking the service where it is time to."""
        self._adopt_stored()
        held = self._cached
        # Whoever has something to show doesn't wait for another's call.
        if self._clock() >= self._next_call and self._lock.acquire(blocking=held is None):
            try:
                if self._clock() >= self._next_call:
                    self._refresh()
            finally:
                self._lock.release()
        if self._cached is None:
            raise CatalogUnavailable(str(self._failure or "")) from self._failure
        return self._cached

    def cached(self) -> Catalog | None:
        """What there is to show without asking the service."""
        if self._cached is None:
            self._cached = self._stored()
        return self._cached

    def _adopt_stored(self) -> None:
        """What another process has found since is shown by this one as well, so that no page falls back to an older."""
        if self._cached is None or self._file.stamp() == self._stamp:
            return
        if found := self._stored():
            is_same = found.digest == self._cached.digest
            self._cached = replace(found, items=self._cached.items) if is_same else found

    def _refresh(self) -> None:
        held = self._cached or self._stored()
        self.calls += 1
        try:
            answer = (
                self._source.catalog(if_none_match=held.etag, within=_REFRESH_TIMEOUT, language=self._language)
                if held
                else self._source.catalog(language=self._language)
            )
        except GatewayError as error:
            log.error("Could not refresh the catalog of %s: %s", self._source.base_url, error)
            self._failure = error
            self._next_call = self._clock() + max(RETRY_SECONDS, error.retry_after or 0)
            self._cached = held
            if held:
                at = held.fetched_at
                note = f"{error.words}. These products and prices are from {at.day} {at:%B %Y}, {at:%H:%M} UTC."
                self._cached = replace(held, is_stale=True, note=note)
            return
        self._cached = self._confirmed(held, answer)
        self._stamp = self._file.stamp()
        lifetime = self._seconds if answer.max_age is None else min(self._seconds, max(_MIN_AGE, answer.max_age))
        self._next_call = self._clock() + lifetime

    def _stored(self) -> Catalog | None:
        # Read before the file: what is written meanwhile is taken over by the next look.
        self._stamp = self._file.stamp()
        stored = self._file.load()
        return _read(stored.items, stored.etag, stored.fetched_at) if stored else None

    def _confirmed(self, held: Catalog | None, answer: CatalogAnswer) -> Catalog:
        now = datetime.now(UTC)
        if held and (answer.items is None or _digest(answer.items) == held.digest):
            self._file.touch()
            return Catalog(held.items, now, etag=answer.etag, digest=held.digest)
        items = answer.items or []
        self._file.write(items, answer.etag)
        return _read(items, answer.etag, now)
