"""The commands of README.md, "What to back up" and "Restore", on a portal in which customers go on writing."""

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from formation_portal.management.backups import FILES
from tests.campaigns.soak.shopper import Shopper
from tests.journeys.clients import HttpBrowser
from tests.management.nodes import new_key
from tests.management.served import PATIENCE, PROJECT, READY, Served, environment_of, eventually, free_port
from tests.needed import needed
from tests.object_store import ObjectStore, needs_a_bucket, object_server, object_store  # noqa: F401  # fixtures
from tests.scratch_postgres import Cluster, running_cluster, server_programs

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
            for name in ("portal", "service"):
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


class Customers:
    """Two who begin one application after the other, remove some of what they have sent, and submit."""

    def __init__(self, portal: Served) -> None:
        self._base = f"http://127.0.0.1:{portal.port}"
        self.done, self.requests, self.troubles = 0, 0, list[str]()
        self.is_over = threading.Event()
        self.session = self._signed_in()
        self._threads = [threading.Thread(target=self._live, args=(number,)) for number in range(2)]
        for thread in self._threads:
            thread.start()

    def _signed_in(self) -> requests.Session:
        session, address = requests.Session(), f"{self._base}/accounts/login/"
        session.get(address, timeout=PATIENCE)
        posted = {"login": "demo@example.com", "password": "formation-demo"}
        posted["csrfmiddlewaretoken"] = session.cookies["csrftoken"]
        assert session.post(address, posted, allow_redirects=False, timeout=PATIENCE).status_code == 302
        return session

    def _live(self, number: int) -> None:
        browser = HttpBrowser(self._base)
        browser.session.cookies.update(self.session.cookies)
        catalog = browser.get("/")
        products = sorted({address for _, address in catalog.links() if address.startswith("/products/")})
        while not self.is_over.is_set():
            shopper = Shopper(browser)
            try:
                overview = shopper.start(browser.get(products[number % PRODUCTS]))
                home = overview.address.partition("?")[0]
                shopper.complete(overview)
                shopper.remove_some(home)
                shopper.complete(overview)
                shopper.finish(overview, home, number % 3 or 3)
            except (requests.RequestException, AssertionError) as error:
                if not self.is_over.is_set():
                    self.troubles.append(str(error))
                    return
            self.done += 1
            number += 2

    def end(self) -> None:
        self.is_over.set()
        for thread in self._threads:
            thread.join()


def back_up_and_restore(kept: Kept, folder: Path) -> None:
    """Follow the page. Nothing is lost in the portal that was restored and goes on."""
    customers = Customers(kept.portal)
    try:
        eventually(lambda: customers.done >= 2 or bool(customers.troubles))
        for command in commands_of("What to back up", folder):
            kept.manage("manage.py", *command)
        done = customers.done
        eventually(lambda: customers.done > done or bool(customers.troubles))
    finally:
        customers.is_over.set()
        kept.lose_everything()
        customers.end()
    assert customers.troubles == []
    for command in commands_of("Restore", folder):
        kept.manage("manage.py", *command)
    kept.portal.start().until(READY)
    address = f"http://127.0.0.1:{kept.portal.port}/applications/"
    assert customers.session.get(address, allow_redirects=False, timeout=PATIENCE).status_code == 200, (
        "signed in as before"
    )
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
    for name in ("portal", "service"):
        cluster.make_database(name)
    (tmp_path / "data").mkdir()
    urls = {"DATABASE_URL": f"{cluster.url}/portal", "SERVICE_DATABASE_URL": f"{cluster.url}/service"}
    # Kept apart from the backup, as the settings are: the secrets are in the database.
    shared = urls | {"STORAGE_URL": object_store.url(), "SECRETS_KEY": new_key("a")}
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
