"""Cache the catalog's products for pages, and show the cached ones, with a note, while the service is down."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings

from formation_portal.contract.catalog import BrokenItem, CatalogItem, parse_catalog
from formation_portal.contract.localisation import get_language
from formation_portal.contract.schema_check import check_schema
from formation_portal.contract.translation import translated_item

from . import configuration
from .catalog_file import CatalogFile, StoredCatalog
from .client import FormationService
from .errors import CatalogUnavailable, GatewayError, NotConfigured
from .translations import RETRY_SECONDS, CachedCatalog, CatalogTranslation, Items

log = logging.getLogger(__name__)

_URL_KEY = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CatalogProduct:
    """A product. `item` is None if the entry cannot be read; `reason` tells why the product is unavailable."""

    key: str
    name: str
    item: CatalogItem | None
    reason: str = ""

    @property
    def is_available(self) -> bool:
        return self.item is not None and not self.reason


def read_products(items: Sequence[Any]) -> tuple[CatalogProduct, ...]:
    """Read every item of the catalog as a product, in its order. A faulty item makes only its product unavailable."""
    parsed_items = list(map(_read_item, items))
    slugs = Counter(item.product.slug for item in parsed_items if isinstance(item, CatalogItem))
    products: dict[str, CatalogProduct] = {}
    ids: set[str] = set()
    for item in parsed_items:
        if isinstance(item, BrokenItem):
            product = CatalogProduct(_hashed_key(item.name, products), item.name, None, item.reason)
        else:
            key = item.product.slug
            if slugs[key] > 1:
                key = item.jurisdiction_product_id
            if not _URL_KEY.fullmatch(key) or key in products:
                key = _hashed_key(item.jurisdiction_product_id, products)
            name = item.product.name or item.form.form_name or item.product.slug or "A product without a name"
            product = CatalogProduct(key, name, item, _why_unavailable(item, ids))
            ids.add(item.jurisdiction_product_id)
        products[product.key] = product
    return tuple(products.values())


def _read_item(item: Any) -> CatalogItem | BrokenItem:
    try:
        [parsed_item] = parse_catalog([item])
        if isinstance(parsed_item, CatalogItem):
            check_schema(parsed_item.form)
    except Exception:  # an error of any kind in a product must not hide the others
        log.exception("A catalog item cannot be read")
        return BrokenItem(name="A product without a name", reason="The catalog entry cannot be read")
    return parsed_item


def _why_unavailable(item: CatalogItem, ids: set[str]) -> str:
    if not item.jurisdiction_product_id:
        return "It has no jurisdiction_product_id, so no application can be created"
    if item.jurisdiction_product_id in ids:
        return "Another product in the catalog has the same jurisdiction_product_id"
    return "; ".join(fault.message for fault in check_schema(item.form).faults)


def _hashed_key(text: str, taken: Container[str]) -> str:
    """Make a key from a text, different from the taken keys."""
    for number in count():
        key = hashlib.sha256(f"{text}/{number}".encode()).hexdigest()[:16]
        if key not in taken:
            break
    return key


@dataclass(frozen=True)
class Catalog:
    """The products, and the time when the service last confirmed them. A stale catalog has a note for people."""

    items: tuple[CatalogProduct, ...]
    fetched_at: datetime
    is_stale: bool = False
    note: str = ""
    etag: str = ""
    digest: str = ""

    def find(self, key: str) -> CatalogProduct | None:
        return next((product for product in self.items if product.key == key), None)

    def language_of(self, text: str) -> str:
        for product in self.items:
            if product.item and (language := product.item.language_of(text)):
                return language
        return ""


# The longest time in seconds that a page waits for a new catalog if there is an old one.
_REFRESH_TIMEOUT = 5.0
# The shortest time in seconds between calls, even to a service that forbids caching.
_MIN_AGE = 5


def catalog() -> Catalog:
    """Return the catalog in the reader's language. Raises CatalogUnavailable if there is not even an old one."""
    try:
        source = configuration.service()
    except NotConfigured as error:
        raise CatalogUnavailable(str(error)) from error
    cache = _cache_of(source, Path(settings.DATA_DIR))
    calls = cache.calls
    current = cache.current()
    translation = _translation(source)
    # A page waits for at most one call, unless there is no translation yet.
    if translation and not current.is_stale and (cache.calls == calls or translation.is_empty):
        translation.refresh(etag=current.etag)
    return _translated(current, translation)


def cached_catalog() -> Catalog | None:
    """Return the last fetched catalog of any age, without a call; None if there is none."""
    try:
        source = configuration.service()
    except NotConfigured:
        return None
    cached = _cache_of(source, Path(settings.DATA_DIR)).cached()
    return _translated(cached, _translation(source)) if cached else None


def catalog_item_in(language: str, key: str) -> Mapping[str, Any] | None:
    """Return the item with this jurisdiction_product_id or schema id in a language, or None. Makes no call."""
    try:
        source = configuration.service()
    except NotConfigured:
        return None
    translation = _translation(source, language)
    return translation.items.get(key) if translation else None


def _translation(source: FormationService, language: str = "") -> CatalogTranslation | None:
    """Return the translation into a language, by default the reader's; None for the catalog's own language."""
    language = language or get_language()
    if language == str(settings.CATALOG_LANGUAGE).partition("-")[0]:
        return None
    return _translation_of(source, Path(settings.DATA_DIR), language)


def _translated(current: Catalog, translation: CatalogTranslation | None) -> Catalog:
    """Return the catalog with the texts of a translation. The result is cached by language."""
    if translation is None or not (items := translation.items):
        return current
    cached = _translated_catalogs.get(translation.language)
    if cached is None or cached[0] is not current or cached[1] is not items:
        products = tuple(_translated_product(product, items, translation.language) for product in current.items)
        cached = (current, items, replace(current, items=products))
        _translated_catalogs[translation.language] = cached
    return cached[2]


# By language: a catalog, its items in the language, and the catalog with the texts of these items.
_translated_catalogs: dict[str, tuple[Catalog, Items, Catalog]] = {}


def _translated_product(product: CatalogProduct, items: Items, language: str) -> CatalogProduct:
    if product.item is None or not (document := items.get(product.item.jurisdiction_product_id)):
        return product
    item = translated_item(product.item, document, language)
    return replace(product, item=item, name=item.product.name or product.name)


def forget() -> None:
    """Forget the service and the catalog of this process: for tests, in which two services may have the same URL."""
    configuration.forget()
    _cache_of.cache_clear()
    _translation_of.cache_clear()
    _translated_catalogs.clear()


@lru_cache(maxsize=4)
def _cache_of(source: FormationService, directory: Path) -> CatalogCache:
    file = CatalogFile(directory / "catalog", source.base_url)
    return CatalogCache(source, file, seconds=settings.ENV.catalog_seconds, language=settings.CATALOG_LANGUAGE)


@lru_cache(maxsize=16)
def _translation_of(source: FormationService, directory: Path, language: str) -> CatalogTranslation:
    file = CatalogFile(directory / "catalog", source.base_url, language)
    return CatalogTranslation(source, file, language=language, seconds=settings.ENV.catalog_seconds)


class CatalogCache(CachedCatalog):
    # The number of calls that this process has made.
    calls = 0
    _cached: Catalog | None = None
    _failure: GatewayError | None = None

    def current(self) -> Catalog:
        """Return the catalog, after a call to the service if a call is due. Raises CatalogUnavailable."""
        self._adopt_stored()
        # If there is a catalog, a request does not wait for another request's call.
        if self.is_due() and self._lock.acquire(blocking=self._cached is None):
            try:
                if self.is_due():
                    self._refresh()
            finally:
                self._lock.release()
        if self._cached is None:
            raise CatalogUnavailable(str(self._failure or "")) from self._failure
        return self._cached

    def cached(self) -> Catalog | None:
        """Return the catalog of any age, without a call; None if there is none."""
        self._adopt_stored()
        return self._cached

    def _adopt(self, stored: StoredCatalog) -> None:
        self._cached = self._read(stored.items, stored.etag, stored.fetched_at)

    def _read(self, items: list[Any], etag: str, fetched_at: datetime) -> Catalog:
        """Return the catalog with these items, which are parsed only if they have changed."""
        digest = hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()
        if self._cached is None or self._cached.digest != digest:
            return Catalog(read_products(items), fetched_at, etag=etag, digest=digest)
        return Catalog(self._cached.items, fetched_at, etag=etag, digest=digest)

    def _refresh(self) -> None:
        old = self._cached
        self.calls += 1
        try:
            if old:
                answer = self._source.catalog(if_none_match=old.etag, within=_REFRESH_TIMEOUT, language=self.language)
            else:
                answer = self._source.catalog(language=self.language)
        except GatewayError as error:
            log.error("Could not refresh the catalog of %s: %s", self._source.base_url, error)
            self._failure = error
            self._wait(max(RETRY_SECONDS, error.retry_after or 0))
            if old:
                at = old.fetched_at
                note = f"{error.explanation}. These products and prices are from {at.day} {at:%B %Y}, {at:%H:%M} UTC."
                self._cached = replace(old, is_stale=True, note=note)
            return
        now = datetime.now(UTC)
        if old and answer.items is None:
            self._file.touch()
            self._cached = Catalog(old.items, now, etag=answer.etag, digest=old.digest)
        else:
            items = answer.items or []
            self._file.write(items, answer.etag)
            self._cached = self._read(items, answer.etag, now)
        self._stamp = self._file.stamp()
        lifetime = self._seconds
        if answer.max_age is not None:
            lifetime = min(lifetime, max(_MIN_AGE, answer.max_age))
        self._wait(lifetime)
