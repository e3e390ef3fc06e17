"""One world for all tests of a module: to make it takes longer than to ask one question of it."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from formation_portal.gateway import catalog
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.access import world as worlds
from tests.access.world import World


@pytest.fixture(scope="module")
def both_databases(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Open both databases for a module, and roll back at its end whatever it has made."""
    # A folder of its own: whatever catalog another module's tests have kept, this one's has one product.
    folder = tmp_path_factory.mktemp("data")
    kept_apart = override_settings(
        DATA_DIR=folder, MEDIA_ROOT=folder / "documents", SERVICE_DOCUMENTS=folder / "service-documents",
        RELAY_WAIT_MS=0, FOUR_EYES=True,
    )  # fmt: skip
    with django_db_blocker.unblock(), kept_apart, worlds.undone():
        catalog.forget()
        store_catalog([factories.ITEM])
        portal_key()
        yield
    catalog.forget()


@pytest.fixture(scope="module")
def world(both_databases: None) -> World:
    return worlds.build()


@pytest.fixture
def _quiet() -> Iterator[None]:
    """Log nothing: thousands of requests are refused on purpose."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
