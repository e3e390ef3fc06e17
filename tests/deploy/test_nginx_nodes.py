"""deploy/nginx.conf and a request whose node dies: what goes to the other node, and what doesn't."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from tests.management.served import PATIENCE, free_port
from tests.nginx import Nginx, needs_nginx

pytestmark = needs_nginx

BODY = b"name=Larkfield&version=3"
CASE, APPLICATION = "/desk/FP-1/", "/applications/FP-1/"


class FakeNode(ThreadingHTTPServer):
    """A node that answers always with a status, or with 0 hangs up, as one does that dies; it keeps what it is
    asked."""

    daemon_threads = True

    def __init__(self, status: int) -> None:
        self.status, self.asked = status, list[str]()
        node = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                node.asked.append(self.command)
                if node.status:
                    self.send_response(node.status)
                    self.send_header("Content-Length", "4")
                    self.end_headers()
                    self.wfile.write(b"here")
                self.close_connection = True

            do_GET = do_POST = _answer  # noqa: N815  # as the library calls them

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        super().__init__(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()


class Pair:
    """Two nodes, and nginx before them, which asks the first one first."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.nodes = [FakeNode(0), FakeNode(200)]
        for node in self.nodes:
            stack.callback(node.close)
        self.proxy = Nginx(folder, free_port(), [node.server_port for node in self.nodes])
        self.proxy.start()
        stack.callback(self.proxy.stop)

    def ask(self, method: str, path: str) -> int:
        """The status; each node's `asked` is of this request alone."""
        for node in self.nodes:
            node.asked.clear()
        body = BODY if method == "POST" else None
        answer = requests.request(method, f"{self.proxy.base}{path}", data=body, timeout=PATIENCE)
        assert answer.status_code == 502 or answer.text == "here"
        return answer.status_code

    @property
    def asked(self) -> list[int]:
        return [len(node.asked) for node in self.nodes]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        yield Pair(tmp_path, stack)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("POST", f"{APPLICATION}sections/company/"),
        ("POST", "/part/FP-1/"),
        ("POST", "/desk/"),
        ("POST", f"{CASE}ruling/confirmation/"),
    ],
)
def test_the_other_node_answers_for_one_that_dies(pair: Pair, method: str, path: str) -> None:
    assert pair.ask(method, path) == 200
    assert pair.asked == [1, 1]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/entities",
        "/accounts/login/",
        f"{APPLICATION}people/ada/invitation/",
        "/part/FP-1/renewal/",
        f"{CASE}parties/ada/screening/",
        "/desk/next-case/",
    ],
)
def test_what_would_be_done_twice_is_not_sent_twice(pair: Pair, path: str) -> None:
    assert pair.ask("POST", path) == 502
    assert pair.asked == [1, 0]


def test_a_page_that_brings_back_what_was_typed_arrives(pair: Pair) -> None:
    pair.nodes[0].status = 503
    assert pair.ask("POST", APPLICATION) == 503
    assert pair.asked == [1, 0]


def test_nodes_that_have_just_come_back_are_asked_at_once(pair: Pair) -> None:
    pair.nodes[1].status = 0
    assert pair.ask("GET", "/") == 502
    assert sum(pair.asked) == 4, "each of them twice"
    for node in pair.nodes:
        node.status = 200
    assert pair.ask("POST", APPLICATION) == 200


def test_a_node_that_is_gone_keeps_nobody_waiting(pair: Pair) -> None:
    pair.nodes[0].close()
    assert [pair.ask("POST", path) for path in ("/", APPLICATION, "/desk/texts/", CASE)] == [200] * 4


def test_files_that_one_version_does_not_have_are_asked_of_the_other(pair: Pair) -> None:
    pair.nodes[0].status = 404
    assert [pair.ask("GET", "/static/of-this-version.css") for _ in range(4)] == [200] * 4
    assert {pair.ask("GET", "/somewhere/") for _ in range(4)} == {200, 404}, "a page that is not there is one's answer"
