"""The fixtures that other tests take: `other_service` is running, and `portal_of_other_service` points at it."""

from collections.abc import Iterator
from typing import Any

import pytest

from . import OtherService


@pytest.fixture
def other_service() -> Iterator[OtherService]:
    """A service of another make, running on a free loopback port."""
    with OtherService() as other:
        yield other


@pytest.fixture
def at_other_service(other_service: OtherService, settings: Any) -> OtherService:
    """The portal's settings name the other make, as an operator would."""
    settings.FORMATION_SERVICE_URL = other_service.url
    settings.FORMATION_SERVICE_KEY = other_service.key
    settings.FORMATION_SERVICE_EDITS = False
    return other_service
