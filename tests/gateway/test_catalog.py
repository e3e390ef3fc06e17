"""The catalog costs no call while it is fresh, and an old one is shown while the service is down."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from formation_portal.gateway import FormationService, catalog
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.catalog import CatalogCache, CatalogFile, CatalogUnavailable
from tests.other_service import OtherService
from tests.other_service.schemas import CATALOG, USABLE

from .conftest import PATIENCE, client_at


class Clock:
    """Time that passes when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shelf(other_service: OtherService, clock: Clock, tmp_path: Path) -> CatalogCache:
    return make_shelf(other_service, clock, tmp_path)


def make_shelf(other: OtherService, clock: Clock, directory: Path) -> CatalogCache:
    source = client_at(other.url, key=other.key, limits=Limits(timeouts=PATIENCE))
    return CatalogCache(source, CatalogFile(directory, other.url), seconds=300, clock=clock)


def calls(other: OtherService) -> int:
    return len(other.requests("GET", "/catalog"))


def with_etag(other: OtherService, items: list[Any], **headers: str) -> None:
    """Make it a service that names its catalog's version."""
    other.heal()
    other.answer("GET .*/catalog", 200, items, headers={"ETag": '"v1"', **headers})


def test_a_fresh_catalog_costs_no_call(shelf: CatalogCache, other_service: OtherService, clock: Clock) -> None:
    first = shelf.current()
    clock.now = 299
    assert shelf.current() is first
    assert calls(other_service) == 1
    assert len(first.items) == len(CATALOG)
    assert not first.is_stale
    assert not first.note


def test_a_product_is_found_by_its_key(shelf: CatalogCache) -> None:
    found = shelf.current().find("every-type")
    assert found is not None
    assert found.is_available
    assert shelf.current().find("nothing") is None


def test_an_old_catalog_is_asked_for_by_its_etag_and_not_read_again(
    shelf: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    with_etag(other_service, list(CATALOG))
    first = shelf.current()
    clock.now = 301
    other_service.heal()
    other_service.answer("GET .*/catalog", 304)
    second = shelf.current()
    assert other_service.received[-1].headers["If-None-Match"] == '"v1"'
    assert second.items is first.items
    assert not second.is_stale
    clock.now = 600
    assert shelf.current() is second


def test_the_same_items_without_an_etag_are_not_read_again(shelf: CatalogCache, clock: Clock) -> None:
    first = shelf.current()
    clock.now = 301
    assert shelf.current().items is first.items


def test_a_changed_catalog_is_shown(shelf: CatalogCache, other_service: OtherService, clock: Clock) -> None:
    shelf.current()
    clock.now = 301
    other_service.catalog = list(USABLE[:1])
    assert [product.key for product in shelf.current().items] == ["stranger"]


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [("max-age=60", 60), ("max-age=9999", 300), ("private, max-age=7", 7), ("no-store", 5), ("nonsense", 300)],
)
def test_the_services_word_shortens_the_time_and_never_asks_for_every_page(
    shelf: CatalogCache, other_service: OtherService, clock: Clock, cache_control: str, seconds: int
) -> None:
    with_etag(other_service, list(USABLE[:1]), **{"Cache-Control": cache_control})
    shelf.current()
    clock.now = seconds - 0.1
    shelf.current()
    assert calls(other_service) == 1
    clock.now = seconds
    shelf.current()
    assert calls(other_service) == 2


@pytest.mark.parametrize("trouble", ["down", "500", "garbage", "no list", "wrong key", "silent"])
def test_an_old_catalog_is_shown_with_a_note_whatever_befalls_the_service(
    shelf: CatalogCache, other_service: OtherService, clock: Clock, trouble: str
) -> None:
    first = shelf.current()
    befall(other_service, trouble)
    clock.now = 301
    old = shelf.current()
    assert old.items is first.items
    assert old.is_stale
    assert old.fetched_at == first.fetched_at
    assert f"{first.fetched_at.day} {first.fetched_at:%B %Y}" in old.note


def befall(other: OtherService, trouble: str) -> None:
    if trouble == "down":
        other.stop()
    elif trouble == "wrong key":
        other.key = "another"
    elif trouble == "silent":
        other.hold("GET .*/catalog")
    else:
        status, body = {"500": (500, "Oh."), "garbage": (200, "<html>"), "no list": (200, {"items": []})}[trouble]
        other.answer("GET .*/catalog", status, body)


def test_after_a_failure_nobody_asks_for_half_a_minute(
    shelf: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    shelf.current()
    other_service.answer("GET .*/catalog", 500)
    for clock.now in (301, 302, 330):
        assert shelf.current().is_stale
    assert calls(other_service) == 2
    other_service.heal()
    clock.now = 331
    healed = shelf.current()
    assert not healed.is_stale
    assert not healed.note


def test_a_busy_service_is_left_alone_as_long_as_it_asks(
    shelf: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    shelf.current()
    other_service.answer("GET .*/catalog", 429, headers={"Retry-After": "120"})
    for clock.now in (301, 420):
        shelf.current()
    assert calls(other_service) == 2


def test_without_any_catalog_it_says_so_at_once_and_asks_seldom(
    shelf: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    other_service.answer("GET .*/catalog", 500)
    for clock.now in (0, 10, 29):
        with pytest.raises(CatalogUnavailable):
            shelf.current()
    assert calls(other_service) == 1
    other_service.heal()
    clock.now = 30
    assert shelf.current().items


def test_a_restart_while_the_service_is_down_shows_the_last_catalog(
    shelf: CatalogCache, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    first = shelf.current()
    other_service.stop()
    again = make_shelf(other_service, clock, tmp_path).current()
    assert [product.key for product in again.items] == [product.key for product in first.items]
    assert again.is_stale
    assert abs((again.fetched_at - first.fetched_at).total_seconds()) < 60


def test_a_restart_asks_by_the_etag_that_was_kept(
    shelf: CatalogCache, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    with_etag(other_service, list(USABLE))
    shelf.current()
    other_service.heal()
    other_service.answer("GET .*/catalog", 304)
    assert len(make_shelf(other_service, clock, tmp_path).current().items) == len(USABLE)
    assert other_service.received[-1].headers["If-None-Match"] == '"v1"'


def test_after_a_restart_without_the_service_every_look_says_that_the_catalog_is_old(
    shelf: CatalogCache, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    shelf.current()
    other_service.stop()
    restarted = make_shelf(other_service, clock, tmp_path)
    assert [restarted.current().is_stale for _ in range(3)] == [True, True, True]


def test_what_one_process_has_found_every_other_shows(
    shelf: CatalogCache, other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    first = shelf.current()
    others = make_shelf(other_service, clock, tmp_path)
    clock.now = 301
    other_service.catalog = list(USABLE[:1])
    assert [product.key for product in others.current().items] == ["stranger"]
    clock.now = 299
    assert [product.key for product in shelf.current().items] == ["stranger"]
    assert shelf.current() is shelf.current()
    assert len(first.items) > 1
    assert calls(other_service) == 2


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b'{"etag": 1}', b'{"etag": "", "items": 5}', b"\xff\xfe"])
def test_a_spoilt_file_is_as_good_as_none(
    other_service: OtherService, clock: Clock, tmp_path: Path, kept: bytes
) -> None:
    make_shelf(other_service, clock, tmp_path).current()
    [file] = tmp_path.iterdir()
    file.write_bytes(kept)
    assert not make_shelf(other_service, clock, tmp_path).current().is_stale
    assert len(json.loads(file.read_bytes())["items"]) == len(CATALOG)


def test_a_catalog_that_cannot_be_kept_is_shown_all_the_same(
    other_service: OtherService, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no directory")
    assert make_shelf(other_service, clock, tmp_path / "file" / "catalog").current().items


def test_who_has_something_to_show_waits_for_nobody(
    shelf: CatalogCache, other_service: OtherService, clock: Clock
) -> None:
    first = shelf.current()
    clock.now = 301
    gate = other_service.hold("GET .*/catalog")
    asking = threading.Thread(target=shelf.current)
    asking.start()
    while calls(other_service) < 2:
        threading.Event().wait(0.005)
    # The other request is still waiting for its answer.
    assert shelf.current() is first
    gate.set()
    asking.join()
    assert calls(other_service) == 2


@pytest.fixture
def unconfigured(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.FORMATION_SERVICE_URL = "ftp://nowhere"
    settings.DATA_DIR = tmp_path
    catalog.forget()
    yield
    catalog.forget()


@pytest.mark.usefixtures("unconfigured")
def test_a_wrong_address_is_a_catalog_that_is_not_there() -> None:
    with pytest.raises(CatalogUnavailable, match="FORMATION_SERVICE_URL must begin with"):
        catalog.catalog()


def test_the_configured_services_catalog_is_held_for_the_process(at_other_service: OtherService) -> None:
    assert catalog.catalog() is catalog.catalog()
    assert calls(at_other_service) == 1


def test_the_service_is_one_for_the_process(at_other_service: OtherService) -> None:
    from formation_portal.gateway import service

    assert service() is service()
    assert isinstance(service(), FormationService)
    assert service().base_url == at_other_service.url
