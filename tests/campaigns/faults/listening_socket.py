"""The proxy's listening socket: open, shut so that connections are refused, or so full that none is ever accepted."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator

REFUSED, NEVER_ACCEPTED = "refused", "never_accepted"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_BACKLOG = 100
# By then a full backlog has taken what it takes: on one machine a connection stands at once or never.
_FILL_SECONDS = 0.002


class ListeningSocket:
    """Listens at one port of this machine for as long as the proxy lives. Lines that stand are never touched."""

    def __init__(self, port: int, serve: Serve) -> None:
        self._port, self._serve = port, serve
        self._listening: socket.socket | None = None
        self._shut = contextlib.ExitStack()
        self._served: set[asyncio.Task[None]] = set()

    def stand(self, kind: str | None) -> None:
        """Open with None; else shut in the way that the kind says, until told otherwise."""
        self._close()
        self._shut.close()
        if kind is None:
            self._listening = _listening(self._port, _BACKLOG)
            asyncio.get_running_loop().add_reader(self._listening, self._accept, self._listening)
        elif kind == NEVER_ACCEPTED:
            self._shut.enter_context(full_socket(self._port))

    async def finish(self) -> None:
        """Take no more, and wait for what has begun."""
        self.stand(REFUSED)
        await asyncio.gather(*self._served)

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            task = asyncio.get_running_loop().create_task(self._begin(listening.accept()[0]))
            self._served.add(task)
            task.add_done_callback(self._served.discard)

    async def _begin(self, line: socket.socket) -> None:
        await self._serve(*await asyncio.open_connection(sock=line))

    def _close(self) -> None:
        if self._listening is not None:
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
            self._listening = None


@contextlib.contextmanager
def full_socket(port: int) -> Iterator[None]:
    """A socket that listens and whose backlog is full: the system answers nobody any more."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(_listening(port, 0))
        with contextlib.suppress(TimeoutError):
            while True:
                filler = stack.enter_context(socket.socket())
                filler.settimeout(_FILL_SECONDS)
                filler.connect(("127.0.0.1", port))
        yield


def _listening(port: int, backlog: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(backlog)
    listening.setblocking(False)
    return listening
