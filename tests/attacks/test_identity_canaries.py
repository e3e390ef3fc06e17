"""Values that say who somebody is, through every flow: none of them is left where it doesn't belong."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.urls import Resolver404, resolve

from formation_portal.accounts import addresses
from formation_portal.gateway.catalog import forget
from tests.relay.conftest import transport
from tests.relay.flaky_transport import FlakyTransport
from tests.reviews.canaries import addresses_of_all_rooms, text_of

from .journey import Journey
from .traces import (
    TracedClient,
    data_folders,
    everything_logged,
    found_in,
    found_in_each,
    in_cache,
    in_databases,
    in_folders,
    in_sessions,
)

__all__ = ["transport"]

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="the bytes of SQLite's files are looked at"),
]

# Where a value may be plain, and why. Nothing else is an exception.
DECLARED = {
    ("database", "zorvexa"): "whoever signs in is found by it (data_classes.yaml: account)",
    ("database", "quibbleforth"): "whoever signs in is found by it (data_classes.yaml: account)",
    ("database", "zebracorn"): "whoever signs in is found by it (data_classes.yaml: account)",
    ("database", "gwendrith"): "whoever was asked in is found by it (data_classes.yaml: account)",
    ("database", "pettibone"): "whoever was asked in is found by it (data_classes.yaml: account)",
    ("database", "cerulean"): "what classes of shares are called at the embedded service (data_classes.yaml: form)",
    ("session", "zebracorn"): "allauth keeps with which address somebody has signed in (data_classes.yaml: Session)",
    ("error-page", "zorvexa"): "every page names whoever is signed in to themselves",
    ("error-page", "quibbleforth"): "every page names whoever is signed in to themselves",
}


@pytest.fixture(autouse=True)
def _alone(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Folders of its own, also for what the process keeps for a while."""
    for name, folder in (("DATA_DIR", "data"), ("MEDIA_ROOT", "data/documents")):
        setattr(settings, name, tmp_path / folder)
    settings.SERVICE_DOCUMENTS = tmp_path / "data/service-documents"
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "arriving"
    # Every upload goes through a file.
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    settings.RELAY_WAIT_MS = 0
    settings.LETTERS_GO_OUT = True
    for folder in ("data", "arriving", "temp"):
        (tmp_path / folder).mkdir(exist_ok=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    forget()
    yield
    forget()


def test_no_identity_is_left_where_it_does_not_belong(
    transport: FlakyTransport, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with everything_logged() as lines:
        journey = Journey(transport)
        journey.sign_up()
        journey.fill_in()
        journey.share()
        journey.go_wrong(monkeypatch)
        journey.review()
        journey.take_out()
        journey.erase()
    assert len(lines) > 100
    hits = [*found_in_each("log", lines)]
    for client in journey.clients():
        hits += [*found_in_each("address", client.addresses), *found_in_each("link", client.links)]
        # Whoever has sent a form of ours reads what they typed; these are not about a form, or not ours.
        for status, page in client.errors:
            hits += [hit for hit in found_in(f"error-page {status}", page) if status in (400, 403, 404, 500)]
    hits += [*in_databases(), *in_cache(), *in_sessions(), *in_folders(*data_folders(), tmp_path / "temp")]
    met = {(place.split()[0], word) for place, word in hits}
    assert sorted(hit for hit in {*hits} if (hit[0].split()[0], hit[1]) not in DECLARED) == []
    assert met == DECLARED.keys()
    assert [*(tmp_path / "arriving").iterdir()] == []
    assert [*foreign_pages(journey)] == []


def foreign_pages(journey: Journey) -> Iterator[tuple[str, str]]:
    """What another customer, an agent without rights and nobody read at any address."""
    people = get_user_model().objects
    stranger = people.create_user("stranger@example.org", first_name="Otto", last_name="Fremd")
    addresses.confirm(stranger)
    without = people.create_user("without@desk.example", first_name="Ona", last_name="Petit", is_agent=True)
    without.set_rights([])
    clients = {"stranger": TracedClient(), "agent without rights": TracedClient(), "nobody": TracedClient()}
    for client, person in zip(clients.values(), (stranger, without), strict=False):
        client.force_login(person)
    for path in addresses_of_all_rooms(journey.draft, journey.invitation):
        # The demo's outbox is everybody's; and what no view answers shows nothing.
        if not path.startswith("/letters/") and is_answered(path):
            for who, client in clients.items():
                yield from found_in(f"{path} for {who}", text_of(client.get(path)))


def is_answered(path: str) -> bool:
    try:
        return bool(resolve(path))
    except Resolver404:
        return False
