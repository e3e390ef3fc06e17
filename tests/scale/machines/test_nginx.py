"""What nginx does with a request whose node dies: forms and pages go to the other node, the service's posts don't."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests.faults.environment import free_port
from tests.needed import needed

from . import nginx

pytestmark = needed("nginx", nginx.PROGRAM is not None)

# Told apart by the number of bytes, which says that it has read the whole of it.
BODY = b"name=Larkfield&version=3"


class FakeNode:
    """Takes requests one after the other, keeps them, and answers with these bytes; with none it hangs up, as a node
    does that dies."""

    def __init__(self, answer: bytes) -> None:
        self.port, self.answer, self.seen = free_port(), answer, list[bytes]()
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                asking, _ = self._listening.accept()
            except OSError:
                return
            with asking:
                got = asking.recv(65_536)
                while b"\r\n\r\n" not in got or (got.startswith(b"POST") and not got.endswith(BODY)):
                    got += asking.recv(65_536)
                self.seen.append(got)
                asking.sendall(self.answer)

    def close(self) -> None:
        """Listen no more."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


def _answer(status: str) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere".encode()


class Pair:
    """A node that dies of every request, one that answers, and nginx before them."""

    def __init__(self, folder: Path, stack: ExitStack, first: bytes, second: bytes) -> None:
        self.nodes = [FakeNode(first), FakeNode(second)]
        for node in self.nodes:
            stack.callback(node.close)
        self.proxy = nginx.Nginx(folder / "nginx", free_port(), [node.port for node in self.nodes])
        self.proxy.start()
        stack.callback(self.proxy.stop)

    def ask(self, method: str, path: str) -> requests.Response:
        """By the node that is asked first."""
        body = BODY if method == "POST" else None
        return requests.request(method, f"http://127.0.0.1:{self.proxy.port}{path}", data=body, timeout=30)

    @property
    def seen(self) -> list[bool]:
        """Whether each was asked."""
        return [bool(node.seen) for node in self.nodes]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/applications/x/"), ("GET", "/api/v1/catalog")])
def test_the_other_node_answers_for_one_that_dies(tmp_path: Path, stack: ExitStack, method: str, path: str) -> None:
    pair = Pair(tmp_path, stack, b"", _answer("200 OK"))
    answer = pair.ask(method, path)
    assert (answer.status_code, answer.text) == (200, "here")
    assert pair.seen == [True, True]


def test_a_post_of_the_interface_is_not_repeated_behind_its_callers_back(tmp_path: Path, stack: ExitStack) -> None:
    pair = Pair(tmp_path, stack, b"", _answer("201 Created"))
    assert pair.ask("POST", "/api/v1/entities").status_code == 502
    assert pair.seen == [True, False]


def test_a_page_that_brings_back_what_was_typed_arrives(tmp_path: Path, stack: ExitStack) -> None:
    pair = Pair(tmp_path, stack, _answer("503 Service Unavailable"), _answer("200 OK"))
    answer = pair.ask("POST", "/applications/x/")
    assert (answer.status_code, answer.text) == (503, "here")
    assert pair.seen == [True, False]


def test_nodes_that_have_just_come_back_are_asked_at_once(tmp_path: Path, stack: ExitStack) -> None:
    pair = Pair(tmp_path, stack, b"", b"")
    assert pair.ask("GET", "/").status_code == 502
    for node in pair.nodes:
        node.answer = _answer("200 OK")
    assert pair.ask("POST", "/applications/x/").status_code == 200


def test_a_node_that_is_gone_keeps_nobody_waiting(tmp_path: Path, stack: ExitStack) -> None:
    pair = Pair(tmp_path, stack, b"", _answer("200 OK"))
    pair.nodes[0].close()
    stack.pop_all()
    with ExitStack() as rest:
        rest.callback(pair.proxy.stop)
        rest.callback(pair.nodes[1].close)
        assert [pair.ask("POST", "/applications/x/").status_code for _ in range(4)] == [200] * 4
