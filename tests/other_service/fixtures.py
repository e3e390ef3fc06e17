"""The fixtures that other tests take: `other_service` is running, and with `at_other_service` the portal uses it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from formation_portal.gateway.catalog import forget

from . import OtherService


@pytest.fixture
def other_service() -> Iterator[OtherService]:
    """A service of another make, running on a free loopback port."""
    with OtherService() as other:
        yield other


@pytest.fixture
def at_other_service(other_service: OtherService, settings: Any, tmp_path: Path) -> Iterator[OtherService]:
    """The portal's settings name the other make, as an operator would; its catalog is kept apart from other tests'."""
    settings.FORMATION_SERVICE_URL = other_service.url
    settings.FORMATION_SERVICE_KEY = other_service.key
    settings.FORMATION_SERVICE_EDITS = False
    settings.DATA_DIR = tmp_path
    forget()
    yield other_service
    forget()
