"""The proxy's listening socket: open, shut so that connections are refused, or so full that none is ever accepted."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

REFUSED, NEVER_ACCEPTED = "refused", "never_accepted"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_BACKLOG = 100
# By then a full backlog has taken what it takes: on one machine a connection stands at once or never.
_FILL_SECONDS = 0.002


class Entrance:
    """Listens at one port of this machine for as long as the proxy lives. Lines that stand are never touched."""

    def __init__(self, port: int, serve: Serve) -> None:
        self._port, self._serve = port, serve
        self._server: asyncio.Server | None = None
        self._shut = contextlib.ExitStack()
        self._changing = asyncio.Lock()

    async def stand(self, kind: str | None) -> None:
        """Open with None; else shut in the way that the kind says, until told otherwise."""
        async with self._changing:
            self._shut.close()
            if kind is None:
                await self._open()
            else:
                self._close(kind)

    async def _open(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, sock=_listening(self._port, _BACKLOG))

    def _close(self, kind: str) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        if kind == NEVER_ACCEPTED:
            self._shut.enter_context(_full(self._port))


class _full(contextlib.ExitStack):  # noqa: N801  # used like a function
    """A socket that listens and whose backlog is full: the system answers nobody any more."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.enter_context(_listening(port, 0))
        while self._takes_another(port):
            pass

    def _takes_another(self, port: int) -> bool:
        filler = self.enter_context(socket.socket())
        filler.settimeout(_FILL_SECONDS)
        try:
            filler.connect(("127.0.0.1", port))
        except TimeoutError:
            return False
        return True


def _listening(port: int, backlog: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(backlog)
    listening.setblocking(False)
    return listening
