"""Two nodes of `manage.py web` while PostgreSQL, Redis and the bucket go away and come back, and while one after the
other is replaced by a version that is to come. Nothing is started anew for an outage."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.waiting import wait_until

from .served import PATIENCE, READY, manage
from .site import NEEDED, Site
from .test_setup_portal import version_to_come

pytestmark = NEEDED


class Balancer:
    """Asks one node after the other. Where nobody listens, nothing was sent, and the next one is asked; everything else
    that is no answer is a failed request."""

    def __init__(self, ports: list[int]) -> None:
        self.ports = ports
        self.answered, self.failed = 0, list[str]()
        self.is_over = threading.Event()

    def run(self) -> None:
        while not self.is_over.is_set():
            for port in self.ports:
                if not self.is_over.wait(0.1):
                    self._ask(port)

    def _ask(self, port: int) -> None:
        try:
            answer = requests.get(f"http://127.0.0.1:{port}/accounts/login/", timeout=PATIENCE)
        except requests.ConnectionError as error:
            if "Connection refused" not in str(error):
                self.failed.append(repr(error))
            return
        self.answered += 1
        if answer.status_code != 200:
            self.failed.append(str(answer.status_code))


class Browser(requests.Session):
    """Asks either node, with the same cookies: for the portal they are one."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.ports = [node.port for node in site.nodes]

    def page(self, path: str, *, node: int = 0, **posted: str) -> requests.Response:
        address = f"http://127.0.0.1:{self.ports[node]}"
        if not posted:
            return self.get(address + path, timeout=PATIENCE, allow_redirects=False)
        posted["csrfmiddlewaretoken"] = self.cookies.get("csrftoken", "")
        return self.post(address + path, posted, headers={"Origin": address}, timeout=PATIENCE, allow_redirects=False)

    def sign_in(self, node: int = 0) -> requests.Response:
        self.page("/accounts/login/", node=node)
        return self.page("/accounts/login/", node=node, login="demo@example.com", password="formation-demo")


@pytest.fixture
def browser(site: Site) -> Iterator[Browser]:
    with Browser(site) as browser:
        assert browser.sign_in().status_code == 302
        yield browser


def test_postgresql_goes_away_and_comes_back(site: Site, browser: Browser) -> None:
    assert [browser.page("/applications/", node=node).status_code for node in (0, 1)] == [200, 200], "signed in at both"
    section = "/applications/FP-0000-0000-0000/sections/the-company/"
    site.cluster.stop()
    try:
        for node in (0, 1):
            page = browser.page("/applications/", node=node)
            assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
            assert "We can’t reach our records at the moment." in page.text
            kept = browser.page(section, node=node, **{"q:name": "Larkfield & Sons"})
            assert kept.status_code == 503
            assert "Larkfield &amp; Sons" in kept.text
            assert browser.page("/readyz", node=node).text == "not ready: default, service\n"
            assert browser.page("/livez", node=node).status_code == 200
    finally:
        site.cluster.start()
    for node in (0, 1):
        wait_until(lambda node=node: browser.page("/readyz", node=node).status_code == 200)  # type: ignore[misc]
        assert browser.page("/applications/", node=node).status_code == 200, "and still signed in"
    assert "Traceback" not in site.log()
    assert "Larkfield" not in site.log()


def test_the_cache_goes_away_and_comes_back(site: Site, browser: Browser) -> None:
    site.redis.stop()
    try:
        assert _keeps_a_form(site).status_code == 302
        with Browser(site) as another:
            assert another.sign_in(node=1).status_code == 302
        assert browser.page("/applications/", node=1).status_code == 200
    finally:
        site.redis.start()
    wait_until(lambda: _keeps_a_form(site).status_code == 302 and "The cache answers again" in site.log())


def _keeps_a_form(site: Site) -> requests.Response:
    """A form that is kept for whoever signs in now: how many are, the cache counts."""
    with Browser(site) as another:
        another.page("/accounts/login/", node=1)
        return another.page("/applications/", node=1, product="any")


def test_a_page_is_served_without_the_bucket(site: Site, browser: Browser) -> None:
    site.store.stop()
    try:
        assert browser.page("/applications/").status_code == 200
        assert browser.page("/readyz").status_code == 200
    finally:
        site.store.start_again()


@pytest.mark.long
def test_a_version_to_come_takes_over_node_by_node_and_no_request_fails(
    site: Site, browser: Browser, tmp_path: Path
) -> None:
    # A table more, which the version of now does not know.
    later = version_to_come(tmp_path, ["CREATE TABLE to_come (id integer)"])
    balancer = Balancer([node.port for node in site.nodes])
    clients = [threading.Thread(target=balancer.run) for _ in range(3)]
    for client in clients:
        client.start()
    try:
        for number, node in enumerate(site.nodes):
            asked = balancer.answered
            wait_until(lambda asked=asked: balancer.answered > asked + 10)  # type: ignore[misc]
            node.process.send_signal(signal.SIGTERM)
            assert node.process.wait(PATIENCE) == 0
            node.reader.join(PATIENCE)
            node.process.stdout.close()
            node.more |= later
            output = node.start().until(READY)
            assert ("Setting up the database “default”" in output) is (number == 0)
            node.reader = threading.Thread(target=lambda node=node: node.lines.extend(node.process.stdout))
            node.reader.start()
            # Old and new code serve side by side, on one schema.
            assert [browser.page("/applications/", node=one).status_code for one in (0, 1)] == [200, 200]
    finally:
        balancer.is_over.set()
        for client in clients:
            client.join()
    assert balancer.failed == []
    assert balancer.answered > 20


@pytest.mark.long
def test_a_statement_that_takes_too_long_is_ended_as_an_outage(site: Site) -> None:
    code = (
        "from formation_portal.core.databases import limit_statements, outage_in\n"
        "from django.db import connection\n"
        "limit_statements(0.2)\n"
        "try: connection.cursor().execute('SELECT pg_sleep(60)')\n"
        "except Exception as error: print(outage_in(error))"
    )
    node = site.nodes[0]
    # Another test of the long run has given it a version to come.
    own = {name: value for name, value in node.more.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = manage(node.data, "shell", "-v", "0", "-c", code, **own)
    assert done.stdout.strip().endswith("away"), done.stderr
