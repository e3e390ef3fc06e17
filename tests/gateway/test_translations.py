"""The catalog in the page's language: asked for beside the catalog that counts, kept per language, never waited for
twice."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from formation_portal.gateway import catalog, service
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.catalog_file import CatalogFile
from formation_portal.gateway.translations import CatalogTranslation
from tests.gateway.conftest import PATIENCE, Clock, client_at
from tests.other_service import OtherService
from tests.other_service.schemas import USABLE

ENGLISH = list(USABLE[:1])
PRODUCT = str(ENGLISH[0]["jurisdiction_product_id"])


def german(name: str = "Die Gesellschaft in fremden Worten") -> list[Any]:
    items = deepcopy(ENGLISH)
    items[0]["product"]["name"] = name
    return items


@pytest.fixture
def words(other_service: OtherService, clock: Clock, tmp_path: Path) -> CatalogTranslation:
    return make_words(other_service, clock, tmp_path)


def make_words(other: OtherService, clock: Clock, directory: Path) -> CatalogTranslation:
    source = client_at(other.url, key=other.key, limits=Limits(timeouts=PATIENCE))
    file = CatalogFile(directory, other.url, "de")
    return CatalogTranslation(source, file, language="de", seconds=300, clock=clock)


def speak(other: OtherService, language: str, items: list[Any] | None, *, status: int = 200) -> None:
    other.heal()
    named = {"Content-Language": language} if language else {}
    other.answer("GET .*/catalog", status, items, headers={"ETag": f'"{language or "own"}"', **named})


def headers_of_calls(other: OtherService) -> list[tuple[str, str]]:
    calls = other.requests("GET", "/catalog")
    return [(call.headers.get("Accept-Language", ""), call.headers.get("If-None-Match", "")) for call in calls]


def test_words_are_asked_for_in_the_language_and_kept_whatever_comes_later(
    words: CatalogTranslation, other_service: OtherService, clock: Clock
) -> None:
    assert words.is_empty
    speak(other_service, "de-CH", german())
    words.refresh(etag='"own"')
    assert words.items[PRODUCT]["product"]["name"] == "Die Gesellschaft in fremden Worten"
    clock.now = 299
    words.refresh(etag='"own"')
    clock.now = 301
    words.refresh(etag='"own"')
    assert headers_of_calls(other_service) == [("de", '"own"'), ("de", '"de-CH"')]
    held = words.items
    clock.now = 602
    speak(other_service, "de-CH", None, status=304)
    words.refresh(etag='"own"')
    assert words.items is held, "what has not changed is not read again"
    for clock.now in (903, 932):
        speak(other_service, "de-CH", {}, status=500)
        words.refresh(etag='"own"')
        assert words.items is held
    assert len(headers_of_calls(other_service)) == 4, "after trouble half a minute passes"


@pytest.mark.parametrize(("language", "status"), [("en", 200), ("", 304)])
def test_a_service_without_the_language_is_asked_again_in_an_hour(
    words: CatalogTranslation, other_service: OtherService, clock: Clock, language: str, status: int
) -> None:
    speak(other_service, language, ENGLISH if status == 200 else None, status=status)
    words.refresh(etag='"own"')
    assert words.items == {}
    assert not words.is_empty
    clock.now = 3599
    words.refresh(etag='"own"')
    assert len(headers_of_calls(other_service)) == 1
    clock.now = 3601
    words.refresh(etag='"own"')
    assert len(headers_of_calls(other_service)) == 2


def test_one_etag_for_all_languages_hides_no_words(words: CatalogTranslation, other_service: OtherService) -> None:
    other_service.heal()
    other_service.answer("GET .*/catalog", 304, headers={"Content-Language": "de"}, times=1)
    other_service.answer("GET .*/catalog", 200, german(), headers={"Content-Language": "de"})
    words.refresh(etag='"own"')
    assert PRODUCT in words.items


def test_a_restart_and_another_process_have_the_words_without_a_call(
    words: CatalogTranslation, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    other = make_words(other_service, clock, tmp_path)
    assert other.items == {}
    speak(other_service, "de", german())
    words.refresh(etag="")
    assert PRODUCT in other.items
    assert PRODUCT in make_words(other_service, clock, tmp_path).items
    assert len(headers_of_calls(other_service)) == 1


@pytest.fixture
def in_german() -> Iterator[None]:
    with translation.override("de"):
        yield


@pytest.mark.usefixtures("in_german")
def test_a_page_has_the_readers_newest_words_and_the_catalogs_ids(at_other_service: OtherService, clock: Clock) -> None:
    at_other_service.answer("GET .*/catalog", 200, ENGLISH, headers={"ETag": '"en"'}, times=1)
    at_other_service.answer("GET .*/catalog", 200, german(), headers={"ETag": '"de"', "Content-Language": "de"})
    found = catalog.catalog()
    assert headers_of_calls(at_other_service) == [("en", ""), ("de", '"en"')]
    [product] = found.items
    assert product.name == "Die Gesellschaft in fremden Worten"
    assert product.item is not None
    assert product.item.language_of(product.name) == found.language_of(product.name) == "de"
    assert product.item.jurisdiction_product_id == PRODUCT
    assert product.item.original.product.name == ENGLISH[0]["product"]["name"]
    assert service() is service()
    assert service().base_url == at_other_service.url
    assert catalog.catalog() is found
    assert catalog.cached_catalog() is found
    assert catalog.catalog_item_in("de", PRODUCT) is not None
    assert catalog.catalog_item_in("fr", PRODUCT) is None
    assert len(headers_of_calls(at_other_service)) == 2
    speak(at_other_service, "de", german("Die Gesellschaft in besseren Worten"))
    make_words(at_other_service, clock, Path(catalog.settings.DATA_DIR) / "catalog").refresh(etag="")
    assert catalog.catalog().items[0].name == "Die Gesellschaft in besseren Worten", "of another process"


@pytest.mark.usefixtures("in_german")
def test_a_page_waits_for_one_call_where_there_is_something_to_show(
    at_other_service: OtherService, clock: Clock
) -> None:
    speak(at_other_service, "de", german())
    catalog.catalog()
    before = len(headers_of_calls(at_other_service))
    clock.now = 1e9
    directory = Path(catalog.settings.DATA_DIR)
    catalog._cache_of(service(), directory)._clock = clock
    catalog._translation_of(service(), directory, "de")._clock = clock
    catalog.catalog()
    assert len(headers_of_calls(at_other_service)) == before + 1
    catalog.catalog()
    assert len(headers_of_calls(at_other_service)) == before + 2
    catalog.catalog()
    assert len(headers_of_calls(at_other_service)) == before + 2
