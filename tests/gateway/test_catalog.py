"""The catalog costs no call while it is fresh, and an old one is shown while the service is down."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from formation_portal.contract.schema_check import check_schema
from formation_portal.gateway import catalog
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.catalog import CatalogCache, read_products
from formation_portal.gateway.catalog_file import CatalogFile
from formation_portal.gateway.errors import CatalogUnavailable
from tests.gateway.conftest import PATIENCE, Clock, client_at
from tests.other_service import OtherService
from tests.other_service.schema_builders import NAME, Json, entity, item, same_id, schema
from tests.other_service.schemas import CATALOG, USABLE
from tests.waiting import wait_until


@pytest.fixture
def cache(other_service: OtherService, clock: Clock, tmp_path: Path) -> CatalogCache:
    return make_cache(other_service, clock, tmp_path)


def make_cache(other: OtherService, clock: Clock, directory: Path) -> CatalogCache:
    source = client_at(other.url, key=other.key, limits=Limits(timeouts=PATIENCE))
    return CatalogCache(source, CatalogFile(directory, other.url), seconds=300, clock=clock)


def calls(other: OtherService) -> int:
    return len(other.requests("GET", "/catalog"))


def say(other: OtherService, status: int, items: Any = None, **headers: str) -> None:
    """Answer with this catalog, named by its version, from now on."""
    other.heal()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    other.answer("GET .*/catalog", status, items, headers={"ETag": '"v1"'} | named)


def test_a_fresh_catalog_costs_no_call(cache: CatalogCache, other_service: OtherService, clock: Clock) -> None:
    say(other_service, 200, list(CATALOG))
    first = cache.current()
    clock.now = 299
    assert cache.current() is first
    assert calls(other_service) == 1
    assert len(first.items) == len(CATALOG)
    assert not first.is_stale
    assert not first.note
    product = first.find("every-type")
    assert product is not None
    assert product.is_available
    assert first.find("nothing") is None
    clock.now = 301
    assert cache.current().items is first.items, "the same items are not read again"
    assert calls(other_service) == 2
    say(other_service, 304)
    clock.now = 602
    third = cache.current()
    assert other_service.received[-1].headers["If-None-Match"] == '"v1"'
    assert third.items is first.items
    assert not third.is_stale
    clock.now = 901
    assert cache.current() is third


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [("max-age=60", 60), ("max-age=9999", 300), ("no-store", 5), ("max-age=soon", 300)],
)
def test_the_services_word_shortens_the_time_and_never_asks_for_every_page(
    cache: CatalogCache, other_service: OtherService, clock: Clock, cache_control: str, seconds: int
) -> None:
    say(other_service, 200, list(USABLE[:1]), Cache_Control=cache_control)
    cache.current()
    clock.now = seconds - 0.1
    cache.current()
    assert calls(other_service) == 1
    clock.now = seconds
    cache.current()
    assert calls(other_service) == 2


@pytest.mark.parametrize("answer", [(500, "Oh."), (200, "<html>"), (200, {"items": []}), None])
def test_an_old_catalog_is_shown_with_a_note_whatever_befalls_the_service(
    cache: CatalogCache, other_service: OtherService, clock: Clock, answer: tuple[int, Any] | None
) -> None:
    first = cache.current()
    if answer is None:
        other_service.hold("GET .*/catalog")
    else:
        other_service.answer("GET .*/catalog", *answer)
    clock.now = 301
    old = cache.current()
    assert (old.items, old.is_stale, old.fetched_at) == (first.items, True, first.fetched_at)
    assert f"{first.fetched_at.day} {first.fetched_at:%B %Y}" in old.note


def test_after_a_failure_nobody_asks_for_half_a_minute_or_as_long_as_a_busy_service_says(
    cache: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    say(other_service, 500)
    for clock.now in (0, 10, 29):
        with pytest.raises(CatalogUnavailable):
            cache.current()
    assert calls(other_service) == 1
    other_service.heal()
    clock.now = 30
    assert cache.current().items
    say(other_service, 500)
    for clock.now in (331, 332, 360):
        assert cache.current().is_stale
    assert calls(other_service) == 3
    say(other_service, 429, Retry_After="120")
    for clock.now in (361, 480):
        cache.current()
    assert calls(other_service) == 4
    other_service.heal()
    clock.now = 481
    healed = cache.current()
    assert not healed.is_stale
    assert not healed.note


def test_a_restart_asks_by_the_etag_that_was_kept_and_without_the_service_shows_the_last_catalog(
    cache: CatalogCache, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    say(other_service, 200, list(USABLE))
    first = cache.current()
    say(other_service, 304)
    assert len(make_cache(other_service, clock, tmp_path).current().items) == len(USABLE)
    assert other_service.received[-1].headers["If-None-Match"] == '"v1"'
    other_service.stop()
    restarted = make_cache(other_service, clock, tmp_path)
    for _ in range(3):
        again = restarted.current()
        assert [product.key for product in again.items] == [product.key for product in first.items]
        assert again.is_stale
        assert abs((again.fetched_at - first.fetched_at).total_seconds()) < 60


def test_what_one_process_has_found_every_other_shows(
    cache: CatalogCache, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    first = cache.current()
    others = make_cache(other_service, clock, tmp_path)
    clock.now = 301
    other_service.catalog = list(USABLE[:1])
    assert [product.key for product in others.current().items] == ["stranger"]
    clock.now = 299
    assert [product.key for product in cache.current().items] == ["stranger"]
    assert cache.current() is cache.current()
    assert len(first.items) > 1
    assert calls(other_service) == 2


@pytest.mark.parametrize("kept", [b"", b'{"etag": "", "items": 5}', b"\xff\xfe"])
def test_a_spoilt_file_is_as_good_as_none_and_a_catalog_that_cannot_be_kept_is_shown_all_the_same(
    other_service: OtherService, clock: Clock, tmp_path: Path, kept: bytes
) -> None:
    make_cache(other_service, clock, tmp_path).current()
    [file] = tmp_path.iterdir()
    file.write_bytes(kept)
    assert not make_cache(other_service, clock, tmp_path).current().is_stale
    assert len(json.loads(file.read_bytes())["items"]) == len(CATALOG)
    assert make_cache(other_service, clock, file / "catalog").current().items


def test_who_has_something_to_show_waits_for_nobody(
    cache: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    first = cache.current()
    clock.now = 301
    gate = other_service.hold("GET .*/catalog")
    asking = threading.Thread(target=cache.current)
    asking.start()
    wait_until(lambda: calls(other_service) == 2)
    # The other request is still waiting for its answer.
    assert cache.current() is first
    gate.set()
    asking.join()
    assert calls(other_service) == 2


def test_a_wrong_address_is_a_catalog_that_is_not_there(settings: Any, tmp_path: Path) -> None:
    settings.FORMATION_SERVICE_URL, settings.DATA_DIR = "ftp://nowhere", tmp_path
    catalog.forget()
    with pytest.raises(CatalogUnavailable, match="FORMATION_SERVICE_URL must begin with"):
        catalog.catalog()
    catalog.forget()


NAMELESS = "A product without a name"
SOUND = schema("Form", entity("The company", NAME))


def test_products_are_addressed_by_slug_by_id_or_by_a_key_of_our_own_that_stays() -> None:
    first, second = item("a", "A", SOUND), item("b", "B", SOUND)
    assert read_products([first])[0].key == "a"
    for product in (first, second):
        product["product"] = product["product"] | {"slug": "same"}
    assert [product.key for product in read_products([first, second])] == [same_id("a"), same_id("b")]
    repeated = read_products([first, first])[1]
    assert "jurisdiction_product_id" in repeated.reason
    odd = item("../odd slug?", "Odd", SOUND, jurisdiction_product_id="also odd/")
    [product] = read_products([odd])
    assert product.key.isalnum()
    assert read_products([odd])[0].key == product.key


def test_two_faulty_items_with_one_fault_have_addresses_of_their_own_that_stay() -> None:
    broken = [{"product": {"name": name, "slug": name}} for name in ("Larkland", "Kiteland")]
    larkland, kiteland = read_products(broken)
    assert (larkland.reason, larkland.name, kiteland.name) == (kiteland.reason, "Larkland", "Kiteland")
    assert [product.key for product in read_products(broken[::-1])] == [kiteland.key, larkland.key]


def test_hostile_shapes_are_unavailable_and_harm_nothing() -> None:
    sound = item("sound", "Sound", SOUND)
    hostile: list[Any] = [
        7,
        [sound],
        {},
        {"jurisdiction_product_id": "x"},
        item("a", "A", {"id": "s", "sections": {"scope": "entity"}}),
        item("b", "B", {"id": "s", "sections": [None, 7, {"scope": 5, "fields": 3}]}),
        item("c", "C", {"id": "s", "sections": [{"scope": "entity", "fields": [{"key": "k", "depends_on": 3}]}]}),
        item("d", "D", "not even an object"),
        item("e", "E", SOUND, product="no object"),
        item("f", "F", SOUND, price={"one_off": "NaN"}),
        item("g", "G", SOUND, jurisdiction_product_id=""),
        _nested(400),
    ]
    products = read_products([*hostile, sound])
    assert products[-1].is_available
    assert "jurisdiction_product_id" in products[-3].reason
    assert len({product.key for product in products}) == len(products)


def _nested(depth: int) -> Json:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    field = {"key": "k", "label": "K", "depends_on": {"field": "k", "value": value}, "options": value}
    return item("nested", "Nested", schema("Form", entity("The company", field)))


@pytest.mark.parametrize(
    ("name", "form_name", "slug", "listed"),
    [
        ("Company", "Form of a company", "company", "Company"),
        ("", "Form of a company", "company", "Form of a company"),
        ("", "", "company", "company"),
        ("", "", "", NAMELESS),
    ],
)
def test_a_product_is_listed_under_the_first_name_that_there_is(
    name: str, form_name: str, slug: str, listed: str
) -> None:
    form = SOUND | {"form_name": form_name, "name": form_name}
    [product] = read_products([item("x", "X", form, product={"name": name, "slug": slug})])
    assert product.name == listed


def test_a_product_that_cannot_be_checked_is_listed_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody has thought of yet, so it has to be made."""
    sound, broken = USABLE[:2]

    def check_most(form: Any) -> Any:
        if form.id == broken["schema"]["id"]:
            raise RecursionError
        return check_schema(form)

    monkeypatch.setattr("formation_portal.gateway.catalog.check_schema", check_most)
    first, second = read_products([broken, sound])
    assert (first.name, first.reason) == (NAMELESS, "The catalog entry cannot be read")
    assert second.is_available
