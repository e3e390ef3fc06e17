"""A portal with sections that ask neutral forms: `python -m tests.campaigns.bench.browser.portal FORM.json …`.

It serves from a scratch folder until Ctrl-C, and prints for each form what an adapter needs (adapters/portal.json):

    PORTAL_URL=http://127.0.0.1:40123 PORTAL_FORM=/applications/FP-…/sections/questions/
"""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.bench.browser.neutral import Form, product
from tests.management.served import READY, Served, free_port


@dataclass(frozen=True)
class Portal:
    """Where it listens, the path of each form's section, and the cookie of the customer whose they are."""

    address: str
    sections: tuple[str, ...]
    session: str


@contextmanager
def portal_with(forms: list[Form]) -> Iterator[Portal]:
    """The portal by its own command, with an application of the demo's customer for each form."""
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), free_port(), {"LOG_LEVEL": "ERROR", "RELAY_WAIT_MS": "0", "WEB_PROCESSES": "1"})
        os.environ |= {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "formation_portal.settings"}
        served.start().until(READY)
        try:
            sections, session = _applications(forms)
            yield Portal(f"http://127.0.0.1:{served.port}", sections, session)
        finally:
            served.process.terminate()
            served.process.wait(30)


def _applications(forms: list[Form]) -> tuple[tuple[str, ...], str]:
    import django

    django.setup()
    from django.contrib.auth import get_user_model
    from django.test import Client

    from formation_portal.applications import services
    from formation_portal.contract.catalog import CatalogItem

    owner = get_user_model().objects.get(email="demo@example.com")
    client = Client()
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    items = [CatalogItem.model_validate(product(form)) for form in forms]
    references = [services.start(owner=owner, product=item).reference for item in items]
    sections = tuple(f"/applications/{one}/sections/questions/" for one in references)
    return sections, client.cookies["sessionid"].value


def main(*paths: str) -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with portal_with([json.loads(Path(path).read_text()) for path in paths]) as portal:
        for section in portal.sections:
            sys.stdout.write(f"PORTAL_URL={portal.address} PORTAL_FORM={section}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
