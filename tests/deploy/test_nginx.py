"""deploy/nginx.conf before two web servers: what it passes on, what it keeps, and requests when one of them ends.
A request whose node dies: test_nginx_nodes.py."""

import re
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import requests

from formation_portal.core.middleware import body_limit
from tests.management.served import PATIENCE, READY, Served, free_port
from tests.nginx import FromAddress, Nginx, needs_nginx, running_nginx
from tests.service.webhooks.authority import needs_openssl
from tests.waiting import wait_until

TOKEN = "a-token-for-prometheus"
SETTINGS = {
    "WEB_PROCESSES": "1",
    "SECURE_COOKIES": "true",
    "TRUSTED_PROXIES": "127.0.0.1/32",
    "METRICS_TOKEN": TOKEN,
    "DRAIN_SECONDS": "1",
    # Nobody reads a line for each request.
    "LOG_LEVEL": "WARNING",
}
SIGN_IN = "/accounts/login/"

pytestmark = [needs_nginx, needs_openssl, pytest.mark.xdist_group("nginx")]


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, with_databases: Callable[..., Path]) -> Iterator[list[Served]]:
    data = with_databases(tmp_path_factory.mktemp("nodes"))
    started = []
    try:
        for _ in range(2):
            started.append(Served(data, free_port(), SETTINGS, "web").start())
            started[-1].until(READY)
        yield started
    finally:
        for node in started:
            if node.process.poll() is None:
                node.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def nginx(nodes: list[Served], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    folder = tmp_path_factory.mktemp("nginx") / "run"
    with running_nginx(folder, (nodes[0].port, nodes[1].port)) as running:
        yield running


def browser(nginx: Nginx, address: str = "127.0.0.1") -> requests.Session:
    """One that trusts the certificate."""
    session = requests.Session()
    session.trust_env, session.verify = False, str(nginx.tls.certificate)
    session.mount("https://", FromAddress(address))
    return session


def sign_in(
    session: requests.Session,
    nginx: Nginx,
    *,
    email: str = "demo@example.com",
    password: str = "formation-demo",
    **more: str,
) -> int:
    """The status of the answer."""
    session.get(nginx.base + SIGN_IN, timeout=PATIENCE)
    token = session.cookies["__Host-csrftoken"]
    posted = {"login": email, "password": password, "csrfmiddlewaretoken": token}
    headers = {"Origin": nginx.base} | more
    return session.post(
        nginx.base + SIGN_IN, posted, headers=headers, allow_redirects=False, timeout=PATIENCE
    ).status_code


def test_pages_come_over_https_and_http_2_packed_by_the_portal(nginx: Nginx) -> None:
    assert nginx.protocol() == "h2"
    answer = browser(nginx).get(nginx.base + SIGN_IN, headers={"Accept-Encoding": "gzip"}, timeout=PATIENCE)
    assert answer.status_code == 200
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert re.match("__Host-csrftoken=[^;]+; .*Path=/; SameSite=Lax; Secure$", answer.headers["Set-Cookie"])
    plain = requests.get(f"http://127.0.0.1:{nginx.plain_port}/x?y=1", allow_redirects=False, timeout=PATIENCE)
    assert (plain.status_code, plain.headers["Location"]) == (308, "https://127.0.0.1/x?y=1")


def test_a_node_sends_whoever_came_without_tls_to_https_but_for_probes_and_machines(nodes: list[Served]) -> None:
    there = f"http://127.0.0.1:{nodes[0].port}"

    def ask(path: str) -> requests.Response:
        return requests.get(
            there + path, headers={"X-Forwarded-Proto": "http"}, allow_redirects=False, timeout=PATIENCE
        )

    assert (ask("/x?y=1").status_code, ask("/x?y=1").headers["Location"]) == (301, f"https{there[4:]}/x?y=1")
    assert [ask(path).status_code for path in ("/livez", "/readyz", "/api/v1/entities")] == [200, 200, 401]


def test_forms_are_posted_and_sessions_hold_on_both_nodes(nginx: Nginx) -> None:
    customer = browser(nginx)
    assert sign_in(customer, nginx) == 302
    statuses = [customer.get(f"{nginx.base}/applications/", allow_redirects=False).status_code for _ in range(4)]
    assert statuses == [200] * 4


def test_limits_are_counted_for_who_has_asked_and_not_for_nginx(nginx: Nginx) -> None:
    attacker = browser(nginx, "127.0.0.5")
    others = count()
    wait_until(lambda: sign_in(attacker, nginx, email=f"{next(others)}@example.com", password="wrong") == 429)
    assert sign_in(attacker, nginx, **{"X-Forwarded-For": "127.0.0.9"}) == 429, "what a client says of itself"
    assert sign_in(browser(nginx, "127.0.0.6"), nginx, password="wrong") == 200


def test_metrics_are_for_those_who_ask_a_node(nginx: Nginx, nodes: list[Served]) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    for path in ("/metrics", "/metrics?x", "//metrics", "/a/../metrics", "/%6Detrics"):
        assert browser(nginx).get(nginx.base + path, headers=bearer, timeout=PATIENCE).status_code == 404
    there = f"http://127.0.0.1:{nodes[0].port}/metrics"
    assert requests.get(there, headers=bearer, timeout=PATIENCE).status_code == 200


@pytest.mark.parametrize("path", ["/applications/", "/desk/", "/language/", "/api/v1/entities"])
def test_a_body_is_as_long_as_the_portal_says_and_it_says_so(nginx: Nginx, path: str) -> None:
    customer = browser(nginx)
    limit = body_limit(path)
    taken = customer.post(nginx.base + path, b"x" * limit, allow_redirects=False, timeout=PATIENCE)
    assert taken.status_code not in (413, 502)
    refused = customer.post(nginx.base + path, b"x" * (limit + 1), allow_redirects=False, timeout=PATIENCE)
    # The service asks for a key before anything else.
    assert refused.status_code == (401 if path.startswith("/api/") else 413)
    assert "nginx" not in refused.text
    assert refused.headers["Content-Security-Policy"], "the portal's own page"


def test_the_log_says_neither_what_was_searched_for_nor_a_guests_key(nginx: Nginx, tmp_path: Path) -> None:
    with_key = browser(nginx).get(f"{nginx.base}/part/a-guests-secret-key/", timeout=PATIENCE)
    searched = browser(nginx).get(f"{nginx.base}/desk/?search=somebodys-name", allow_redirects=False, timeout=PATIENCE)
    for answer, part in ((with_key, "/part/"), (searched, "/desk/")):
        # Written once the answer is sent.
        line = re.compile(rf"GET {part} .* request {answer.headers['X-Request-Id']}, by")
        wait_until(lambda line=line: bool(line.search(nginx.logged())))  # type: ignore[misc]
    lines = nginx.logged()
    # Where nobody answers, nginx has something to say itself.
    with running_nginx(tmp_path / "run", (free_port(), free_port())) as alone:
        assert browser(alone).get(f"{alone.base}/desk/?search=somebodys-name", timeout=PATIENCE).status_code == 502
        wait_until(lambda: "GET /desk/ 502" in alone.logged())
        lines += alone.logged()
    assert "secret-key" not in lines
    assert "somebodys-name" not in lines
