"""The web server under clients who are slow, who send too much, and who ask several of its processes at once."""

import contextlib
import json
import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest
import requests

from formation_portal.accounts import demo
from formation_portal.management.web_server import listen
from formation_portal.service.auth import DEMO_KEY
from tests.waiting import wait_until

from .served import PATIENCE, READY, Served, free_port, opened, slow_clients

pytestmark = pytest.mark.xdist_group("served")

API = "/api/v1/entities"
TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory, with_databases: Callable[..., Path]) -> Iterator[Served]:
    """A portal of two processes on migrated databases, and a key that may ask twelve times a minute."""
    more = {"WEB_PROCESSES": "2", "RATE_LIMIT": "12", "METRICS_TOKEN": TOKEN}
    served = Served(with_databases(tmp_path_factory.mktemp("web")), free_port(), more).start()
    served.until(READY)
    # What it goes on saying is read, so that no pipe is full.
    reading = threading.Thread(target=lambda: served.lines.extend(served.process.stdout or ()))
    reading.start()
    yield served
    served.process.send_signal(signal.SIGINT)
    reading.join(PATIENCE)
    assert served.process.wait(PATIENCE) == 0
    assert served.process.stdout
    served.process.stdout.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_portal_listens_on_addresses_of_both_families(host: str) -> None:
    with listen(host, 0) as listening, socket.create_connection((host, listening.getsockname()[1]), timeout=PATIENCE):
        connection, address = listening.accept()
        connection.close()
        assert address[0] == host


@pytest.mark.parametrize("each", [60, pytest.param(200, marks=pytest.mark.long)])
def test_slow_heads_and_as_many_slow_bodies_keep_nobody_waiting(portal: Served, each: int) -> None:
    with slow_clients(portal.port, each=each):
        answers = [portal.get(path)[0] for path in ("/", "/accounts/login/", "/help/", "/livez") * 5]
    assert answers == [200] * 20


def test_a_process_that_takes_nobody_keeps_nobody_waiting(portal: Served) -> None:
    process = portal.web_servers()[0]
    os.kill(process, signal.SIGSTOP)
    try:
        assert [portal.get("/livez")[0] for _ in range(10)] == [200] * 10
    finally:
        os.kill(process, signal.SIGCONT)


def answer_to(client: socket.socket) -> tuple[HTTPResponse, bytes]:
    answer = HTTPResponse(client)
    answer.begin()
    return answer, answer.read()


JSON = "Content-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("path", "headers", "body", "has_policy"),
    [
        ("/part/x/", "Content-Length: 2000000000\r\n", 0, False),
        ("/language/", "Content-Length: 3000000\r\n", 3_000_000, True),
        # What a proxy has refused before.
        ("/language/", f"{JSON}X-Refused-Length: 1000000000\r\n", 0, True),
        (API, f"{JSON}Content-Length: 20000000\r\n", 20_000_000, False),
    ],
    ids=["before it comes", "as its form", "as its proxy", "as the service"],
)
def test_a_body_that_is_too_large_is_refused(
    portal: Served, path: str, headers: str, body: int, has_policy: bool
) -> None:
    with opened(portal.port) as client:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {DEMO_KEY}\r\n{headers}\r\n"
        client.sendall(head.encode() + b"x" * body)
        answer, page = answer_to(client)
    assert answer.status == 413
    assert (b"<h1>" in page) is has_policy
    assert bool(answer.headers["Content-Security-Policy"]) or not has_policy
    assert path != API or json.loads(page)["code"] == "too_large"


def test_a_body_that_grows_too_large_is_cut_off_while_it_arrives(portal: Served) -> None:
    """It never says how large it is, and no more is read than the longest form may have."""
    sent = 0
    with opened(portal.port) as client:
        client.sendall(b"POST /language/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        # Cut off, sending fails sooner or later; how much the system takes in between is its own affair.
        with contextlib.suppress(ConnectionError, TimeoutError):
            while sent < 300_000_000:
                client.settimeout(5)
                client.sendall(chunk)
                sent += len(chunk)
    assert 62_500_000 < sent < 200_000_000
    wait_until(lambda: not list((portal.data / "arriving").iterdir()))
    assert portal.get("/livez")[0] == 200


def test_what_cannot_be_read_is_refused_without_a_name_of_server_or_sender(portal: Served) -> None:
    with opened(portal.port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n")
        answer, body = answer_to(client)
    assert answer.status == 400
    assert b"waitress" not in body.lower() + str(answer.headers).lower().encode()
    with opened(portal.port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n")
        assert client.recv(1) == b""
    wait_until(lambda: "A connection was closed: its request could not be parsed" in "".join(portal.lines))
    assert "HTTPChannel" not in "".join(portal.lines)
    assert "Traceback" not in "".join(portal.lines)


def new_browser() -> requests.Session:
    """Return a browser with a connection for each request: what several processes know, they know together."""
    browser = requests.Session()
    browser.headers["Connection"] = "close"
    return browser


@contextlib.contextmanager
def alone(process: int, portal: Served) -> Iterator[None]:
    """Only this web server answers while the block lasts."""
    others = set(portal.web_servers()) - {process}
    for other in others:
        os.kill(other, signal.SIGSTOP)
    try:
        yield
    finally:
        for other in others:
            os.kill(other, signal.SIGCONT)


def test_a_scrape_shows_what_all_processes_have_counted(portal: Served) -> None:
    base = f"http://127.0.0.1:{portal.port}"

    def counted() -> float:
        text = new_browser().get(f"{base}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE).text
        name = 'formation_requests_total{method="GET",route="portal:help",status="200"}'
        return float(text.partition(f"{name} ")[2].split()[0]) if name in text else 0.0

    before = counted()
    for process in portal.web_servers():
        with alone(process, portal):
            assert [portal.get("/help/")[0] for _ in range(7)] == [200] * 7
    for process in portal.web_servers():
        with alone(process, portal):
            assert counted() == before + 14


def test_the_processes_count_a_keys_requests_together(portal: Served) -> None:
    statuses, key = [], {"Authorization": f"Bearer {DEMO_KEY}"}
    # The minute of a test before ends first.
    for process in portal.web_servers() * 2:
        with alone(process, portal):
            for _ in range(4):
                answer = new_browser().get(f"http://127.0.0.1:{portal.port}{API}", headers=key, timeout=PATIENCE)
                statuses.append(answer.status_code)
    assert statuses.count(200) <= 12
    assert statuses[-4:] == [429] * 4


def test_the_processes_count_attempts_to_sign_in_together(portal: Served) -> None:
    """After five wrong passwords for one address the sixth is not even tried, whichever process is asked."""
    browser, messages = new_browser(), []
    address = f"http://127.0.0.1:{portal.port}/accounts/login/"
    for process in portal.web_servers() * 4:
        with alone(process, portal):
            browser.get(address, timeout=PATIENCE)
            tried = {"login": next(iter(demo.ACCOUNTS)), "password": "wrong"}
            tried["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
            page = browser.post(address, tried, timeout=PATIENCE).text
            messages += re.findall(r'<a href="#id_login">([^<]+)</a>', page)
    assert messages[:5] == messages[:1] * 5
    # The time that one has to wait is said, and grows shorter.
    assert [message.partition(".")[0] for message in messages[5:]] == ["Too many attempts"] * 3


def test_nothing_that_arrived_stays(portal: Served) -> None:
    """A client that breaks off in the middle of an upload leaves no file behind."""
    with opened(portal.port) as client:
        client.sendall(
            b"POST /applications/x/documents/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n"
        )
        client.sendall(b"x" * 1_000_000)
    wait_until(lambda: not list((portal.data / "arriving").iterdir()))
