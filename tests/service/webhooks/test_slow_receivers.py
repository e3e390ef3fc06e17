"""A receiver has a time for its whole answer, however often it sends another byte of it."""

import socket
import threading
from collections.abc import Iterator

import pytest

from formation_portal.service.webhooks import posting

ANSWER = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def trickle() -> Iterator[str]:
    """The URL of a server that sends its answer byte by byte, each well within the time for all of it."""
    is_over = threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            for byte in ANSWER:
                if is_over.wait(0.2):
                    return
                connection.sendall(bytes([byte]))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/in"
        finally:
            is_over.set()
            thread.join()


def test_an_answer_that_trickles_is_given_up(trickle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "POST_SECONDS", 1.0)
    assert posting.post(trickle, b"{}", {}) == ("timed_out", None)
