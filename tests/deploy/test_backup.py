"""The commands of README.md, "What to back up" and "Restore", on a portal in which customers go on writing."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from formation_portal.management.backups import FILES
from tests.campaigns.crowd import Crowd, Person, Shopper
from tests.journeys.clients import HttpBrowser
from tests.management.nodes import new_key
from tests.management.served import PATIENCE, PROJECT, READY, Served, environment_of, free_port
from tests.needed import needed
from tests.object_store import ObjectStore, needs_a_bucket, object_server, object_store  # noqa: F401  # fixtures
from tests.scratch_postgres import DATABASES, Cluster, running_cluster, server_programs
from tests.waiting import wait_until

PAGE = (PROJECT / "deploy/README.md").read_text()
FAST = {"WEB_PROCESSES": "1", "LOG_LEVEL": "WARNING", "RELAY_CALLS_PER_SECOND": "500", "RATE_LIMIT": "100000"}
# Of two makes, with documents.
PRODUCTS = 3

pytestmark = pytest.mark.xdist_group("backup")


def commands_of(section: str, folder: Path) -> list[list[str]]:
    """The commands of manage.py that a section of the page gives, with another folder."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^    portal-manage (.+?)(?:\s+#.*)?$", text, re.MULTILINE)
    assert found, section
    return [line.replace("/srv/backup/portal", str(folder)).split() for line in found]


@dataclass
class Kept:
    """A portal, and how to lose all that it keeps."""

    portal: Served
    cluster: Cluster | None = None
    store: ObjectStore | None = None

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; all that it says. One that fails is a failure."""
        settings = {"DJANGO_SETTINGS_MODULE": "formation_portal.settings"} | self.portal.more
        environment = environment_of(self.portal.data, **settings)
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def lose_everything(self) -> None:
        self.portal.end(signal.SIGKILL)
        shutil.rmtree(self.portal.data)
        self.portal.data.mkdir()
        if self.cluster is not None:
            for name in DATABASES:
                self.cluster.call("dropdb", "--force", "-h", self.cluster.folder, "-U", "postgres", name)
                self.cluster.make_database(name)
        if self.store is not None:
            self.store.bucket.objects.delete()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def started(data: Path, stack: ExitStack, **more: str) -> Served:
    portal = Served(data, free_port(), FAST | more).start()
    stack.callback(lambda: portal.process.poll() is None and portal.end(signal.SIGKILL))
    portal.until(READY)
    return portal


class Customer(Person):
    """Begins one application after the other, removes some of what was sent, and submits."""

    browser: HttpBrowser

    def __init__(self, number: int, session: requests.Session, base: str) -> None:
        super().__init__(f"customer {number}", HttpBrowser(base))
        self.browser.session.cookies.update(session.cookies)
        self._number = number

    def work(self) -> None:
        products = sorted({address for _, address in self.browser.get("/").links() if address.startswith("/products/")})
        shopper = Shopper(self.browser)
        overview = shopper.start(self.browser.get(products[self._number % PRODUCTS]))
        home = overview.address.partition("?")[0]
        shopper.complete(overview)
        shopper.remove_some(home)
        shopper.complete(overview)
        shopper.finish(overview, home, self._number % 3 or 3)
        self._number += 2
        self.done += 1


def back_up_and_restore(kept: Kept, folder: Path) -> None:
    """Follow the page. Nothing is lost in the portal that was restored and goes on."""
    base, session = kept.portal.base, kept.portal.signed_in()
    customers = [Customer(number, session, base) for number in range(2)]
    with Crowd(customers, pauses=(0, 0), finishes=False) as crowd:
        wait_until(lambda: crowd.done >= 2 or crowd.troubles, PATIENCE)
        for command in commands_of("What to back up", folder):
            kept.manage("manage.py", *command)
        done = crowd.done
        wait_until(lambda: crowd.done > done or crowd.troubles, PATIENCE)
        crowd.is_over.set()
        kept.lose_everything()
    assert crowd.troubles == []
    for command in commands_of("Restore", folder):
        kept.manage("manage.py", *command)
    kept.portal.start().until(READY)
    address = f"{base}/applications/"
    assert session.get(address, allow_redirects=False, timeout=PATIENCE).status_code == 200, "signed in as before"
    found: dict[str, Any] = json.loads(kept.manage("-m", "tests.deploy.after_restore"))
    assert kept.portal.end(signal.SIGTERM) == 0
    assert found["applications"] >= 2
    assert min(found["files"], found["acknowledged"]) > 0
    assert (found["without their file"], found["wrong"]) == ([], [])


@pytest.mark.long
def test_a_portal_on_one_machine_is_restored_and_goes_on(
    tmp_path: Path, stack: ExitStack, with_databases: Callable[..., Path]
) -> None:
    (tmp_path / "data").mkdir()
    kept = Kept(started(with_databases(tmp_path / "data"), stack))
    back_up_and_restore(kept, tmp_path / "backup")
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "backup").rglob("*")} == {0}
    with pytest.raises(AssertionError, match="there are tables already"):
        kept.manage("manage.py", "restore", str(tmp_path / "backup"))


@pytest.mark.long
@pytest.mark.postgres
@needs_a_bucket
@needed("PostgreSQL", server_programs() is not None)
def test_a_portal_on_postgresql_with_a_bucket_is_restored_and_goes_on(
    tmp_path: Path,
    stack: ExitStack,
    object_store: ObjectStore,  # noqa: F811  # the fixture
) -> None:
    cluster = stack.enter_context(running_cluster())
    (tmp_path / "data").mkdir()
    # Kept apart from the backup, as the settings are: the secrets are in the database.
    shared = cluster.make_databases() | {"STORAGE_URL": object_store.url(), "SECRETS_KEY": new_key("a")}
    portal = started(tmp_path / "data", stack, **shared)
    back_up_and_restore(Kept(portal, cluster, object_store), tmp_path / "backup")


def test_every_column_that_names_a_file_is_known() -> None:
    from django.apps import apps
    from django.db.models import FileField

    columns = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.fields
        if isinstance(field, FileField)
    }
    known = {pair for _, pairs in FILES.values() for pair in pairs}
    assert columns <= known
