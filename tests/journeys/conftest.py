"""The embedded service with its whole catalog, and people with browsers of several kinds."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client, override_settings

from formation_portal.gateway import catalog
from formation_portal.service.keys import portal_key
from tests.journeys.clients import InProcessBrowser


@pytest.fixture(scope="module")
def shelf(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The catalog in the service's database, for a whole module; nothing is left of it or of anything else."""
    with django_db_blocker.unblock(), override_settings(RELAY_WAIT_MS=0):
        call_command("load_catalog", verbosity=0)
        portal_key()
        catalog.forget()
        yield
        for alias in settings.DATABASES:
            call_command("flush", database=alias, interactive=False, verbosity=0)
        catalog.forget()


def new_user(**more: Any) -> Any:
    """Somebody who has never been here."""
    return get_user_model().objects.create_user(f"{uuid4().hex}@example.com", first_name="Ida", last_name="Lund", **more)


@pytest.fixture
def customer(shelf: None, db: None) -> Any:
    """A customer without applications."""
    return new_user()


@pytest.fixture
def browser(customer: Any) -> InProcessBrowser:
    """The customer's browser without script, signed in, in the test's own transaction."""
    client = Client()
    client.force_login(customer)
    return InProcessBrowser(client)
