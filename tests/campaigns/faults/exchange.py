"""One HTTP exchange as the proxy sees it: a request read whole, and the service's whole answer to it."""

import asyncio
import contextlib
import hashlib
import json
import socket
import struct
from dataclasses import dataclass

from tests.service.fault_plan import ENDPOINTS

# What is told beside the documented POSTs: that it was submitted, and what agents did.
STATUS_ENDPOINTS = ("submit", "status")
_HEAD_ENDS = b"\r\n\r\n"
# A service that is just being started again is waited for this long, well within the caller's patience.
_CONNECT_SECONDS = 0.3
_AGAIN_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Request:
    """A request with its bytes; header names are in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def key(self) -> str:
        return self.headers.get("idempotency-key", "")

    @property
    def thing(self) -> str:
        """What it is about, whatever its key: what is sent anew after a look has another. An upload goes by its key."""
        is_json = "json" in self.headers.get("content-type", "")
        return digest_of(self.path, self.raw.partition(_HEAD_ENDS)[2]) if is_json else self.key

    @property
    def endpoint(self) -> str:
        """Which documented POST it is, or which transition; empty for everything else."""
        name = self.path.partition("?")[0].rpartition("/")[2]
        return name if self.method == "POST" and name in (*ENDPOINTS, *STATUS_ENDPOINTS) else ""


def digest_of(path: str, body: bytes) -> str:
    return hashlib.sha256(path.encode() + b" " + body).hexdigest()


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request of a line; None where there is none."""
    try:
        head = await reader.readuntil(_HEAD_ENDS)
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
        body = await reader.readexactly(int(headers.get("content-length") or 0))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    method, path, _ = first.split(" ", 2)
    return Request(method, path, headers, _closing(head) + body)


def _closing(head: bytes) -> bytes:
    """The head of a request after which the service closes the line, so that its answer ends with it."""
    kept = [line for line in head.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
    return b"\r\n".join((*kept, b"Connection: close")) + _HEAD_ENDS


async def answer_to(request: Request, *, port: int) -> bytes:
    """What the service on the port answers; as much as there is where it dies, nothing where it isn't there."""
    try:
        reader, writer = await _connected(port)
    except OSError:
        return b""
    answer = b""
    try:
        writer.write(request.raw)
        await writer.drain()
        while piece := await reader.read(65_536):
            answer += piece
    except ConnectionError:
        pass
    finally:
        writer.close()
    return answer


async def _connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    patience = asyncio.get_running_loop().time() + _CONNECT_SECONDS
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if asyncio.get_running_loop().time() > patience:
                raise
            await asyncio.sleep(_AGAIN_SECONDS)


def is_good(answer: bytes) -> bool:
    """Whether the service has done what was asked, and says so in an answer that can be read."""
    head, _, body = answer.partition(_HEAD_ENDS)
    if not head.startswith(b"HTTP/1") or head.split(b" ", 2)[1][:1] != b"2":
        return False
    try:
        return not body or bool(json.loads(body))
    except ValueError:
        return False


def cut(answer: bytes) -> bytes:
    """Half of the body; of an answer without one, not even the whole status line."""
    head, ends, body = answer.partition(_HEAD_ENDS)
    return head + ends + body[: len(body) // 2] if body else head[:7]


def reset(writer: asyncio.StreamWriter) -> None:
    """End the line at once, as a machine does that knows nothing of it."""
    with contextlib.suppress(OSError):
        line: socket.socket = writer.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
