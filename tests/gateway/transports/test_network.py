"""A call ends when its time is over, and nothing is tried twice."""

import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from formation_portal.gateway import FormationService
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.errors import NotSent, Unclear
from formation_portal.gateway.transports.network import Timeouts
from tests.gateway.conftest import Start, client_at
from tests.gateway.raw_server import Line
from tests.service.webhooks.authority import Authority, needs_openssl

OK = 'HTTP/1.1 201 Created\r\nContent-Length: 25\r\n\r\n{"data": {"id": "ent_1"}}'


def upload(client: FormationService, size: int) -> None:
    client.upload_document("ent_1", file=b"x" * size, filename="a", mime_type="image/png", document_key="d", key="k")


def test_a_server_that_reads_slowly_is_cut_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client = client_at(f"http://127.0.0.1:{listener.getsockname()[1]}")
        # Nobody accepts or reads: the kernel takes the first part, and the rest has nowhere to go.
        with pytest.raises(Unclear):
            upload(client, 20_000_000)


def test_a_long_upload_may_take_longer_than_a_connection() -> None:
    """The time-out for connecting must not cut off the sending."""
    limits = Limits(upload_timeouts=Timeouts(connect=0.3, read=5, whole=5))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def read_late() -> None:
            line, _ = listener.accept()
            with line:
                threading.Event().wait(0.6)
                received = 0
                while received < 8_000_000 and (piece := line.recv(1_000_000)):
                    received += len(piece)
                line.sendall(OK.encode())

        thread = threading.Thread(target=read_late)
        thread.start()
        client = client_at(f"http://127.0.0.1:{listener.getsockname()[1]}", limits=limits)
        upload(client, 8_000_000)
        thread.join()


def test_what_reaches_nobody_or_fails_in_its_handshake_is_not_sent(raw_server: Start) -> None:
    server = raw_server(lambda line: line.send("this is no TLS"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}"
    for url in (closed, server.url.replace("http:", "https:")):
        with pytest.raises(NotSent):
            client_at(url).create_entity({}, key="k")
    assert server.requests == []


BROKEN = {
    "silence": Line.wait_for_end,
    # Both would succeed after several seconds if only the read time-out counted.
    "dripping headers": lambda line: line.drip(OK),
    "a dripping body": lambda line: (line.send(OK[: OK.index("{")]), line.drip(OK[OK.index("{") :])),
    "closed": lambda line: line.send(""),
    "no HTTP": lambda line: line.send("garbage\r\n\r\n"),
    "short": lambda line: line.send("HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{"),
    "short without a length": lambda line: line.send('HTTP/1.1 201 Created\r\nConnection: close\r\n\r\n{"data": {"'),
    "bad chunk": lambda line: line.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_an_answer_that_does_not_come_in_time_or_breaks_off_is_unclear_and_not_tried_again(
    raw_server: Start, kind: str
) -> None:
    server = raw_server(BROKEN[kind])
    with pytest.raises(Unclear):
        client_at(server.url).create_entity({}, key="k")
    assert len(server.requests) == 1


def serve(line: Line) -> None:
    """Answer until the client leaves."""
    line.send(OK)
    while line.read_request():
        line.send(OK)


def test_reads_of_a_process_share_a_connection_until_it_idles_and_writes_have_their_own(
    raw_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = raw_server(serve)
    client = client_at(server.url)
    client.entity("ent_1")
    client.entity("ent_1")
    assert server.connections == 1
    monkeypatch.setattr("formation_portal.gateway.transports.network._IDLE_LIMIT", -1.0)
    client.entity("ent_1")
    assert server.connections == 2
    monkeypatch.undo()
    client.create_entity({}, key="k")
    assert server.connections == 3
    monkeypatch.setattr("os.getpid", lambda: -1)  # as after a fork
    client.entity("ent_1")
    client.entity("ent_1")
    assert server.connections == 4
    assert len(server.requests) == 6


@needs_openssl
@pytest.mark.parametrize("name", ["IP:127.0.0.1", "DNS:elsewhere.example"])
def test_a_certificate_that_nobody_vouches_for_is_told_nothing(tmp_path: Path, name: str) -> None:
    """Neither what is sent nor the key: the connection ends before either."""
    context = Authority(tmp_path / "unknown").certify(name)
    received: list[bytes] = []

    def answer(listener: socket.socket) -> None:
        with suppress(OSError), context.wrap_socket(listener.accept()[0], server_side=True) as line:
            received.append(line.recv(65_536))
            line.sendall(OK.encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=answer, args=(listener,))
        server.start()
        with pytest.raises(NotSent):
            client_at(f"https://127.0.0.1:{listener.getsockname()[1]}", key="sk").create_entity({}, key="k")
        server.join()
    assert received in ([], [b""])
