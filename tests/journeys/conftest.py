"""The embedded service with its whole catalog, and people with browsers of several kinds."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client, override_settings

from formation_portal.accounts import addresses
from formation_portal.gateway import catalog
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from tests.embedded_catalog import catalog_items
from tests.journeys.browser import Chromium, TabBrowser, sign_in
from tests.journeys.clients import InProcessBrowser
from tests.journeys.site import served


@pytest.fixture(scope="module")
def full_catalog(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The catalog in the service's database, for a whole module; nothing is left of it or of anything else."""
    with django_db_blocker.unblock(), override_settings(RELAY_WAIT_MS=0):
        store_catalog(catalog_items())
        portal_key()
        catalog.forget()
        yield
        for alias in settings.DATABASES:
            call_command("flush", database=alias, interactive=False, verbosity=0)
        catalog.forget()


def new_user(**more: Any) -> Any:
    """Somebody who has never been here, with a confirmed address."""
    person = get_user_model().objects.create_user(
        f"{uuid4().hex}@example.com", first_name="Ida", last_name="Lund", **more
    )
    addresses.confirm(person)
    return person


@pytest.fixture
def customer(full_catalog: None, db: None) -> Any:
    return new_user()


@pytest.fixture
def browser(customer: Any) -> InProcessBrowser:
    """The customer's browser without script, signed in, in the test's own transaction."""
    client = Client()
    client.force_login(customer)
    return InProcessBrowser(client)


@pytest.fixture(scope="module")
def site(full_catalog: None, collected: Path) -> Iterator[str]:
    """The portal on a port, with the embedded service; gives its address. Nothing is rolled back between tests."""
    with served(collected) as address:
        yield address


OpenTab = Callable[..., TabBrowser]


@pytest.fixture
def open_tab(site: str, chromium: Chromium) -> Iterator[OpenTab]:
    """Opens tabs for people: with or without script, wide or narrow, light or dark, in some time zone. `user` None is
    nobody."""
    contexts = []

    def open_for(
        user: Any, *, has_script: bool = True, width: int = 1280, scheme: Any = "light", zone: str | None = None
    ) -> TabBrowser:
        context = chromium.new_context(
            java_script_enabled=has_script,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            timezone_id=zone,
            reduced_motion="reduce",
        )
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            sign_in(context, site, client.cookies["sessionid"].value)
        return TabBrowser(context.new_page(), site, has_script=has_script)

    yield open_for
    for context in contexts:
        context.close()
