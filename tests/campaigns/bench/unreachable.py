"""The two ways in which a service can be unreachable: connections are refused, or never accepted."""

import contextlib
import socket
from collections.abc import Callable, Iterator

_HOST = "127.0.0.1"
# On one machine a connection stands at once, or never.
_SECONDS = 0.05


@contextlib.contextmanager
def refused(port: int) -> Iterator[None]:
    """Nobody listens."""
    yield


@contextlib.contextmanager
def never_accepted(port: int) -> Iterator[None]:
    """A socket listens, and its backlog is full: the system answers nobody, so that callers wait."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_HOST, port))
        listening.listen(0)
        while _connects(stack.enter_context(socket.socket()), port):
            pass
        yield


def _connects(caller: socket.socket, port: int) -> bool:
    caller.settimeout(_SECONDS)
    try:
        caller.connect((_HOST, port))
    except TimeoutError:
        return False
    return True


FAILURES: dict[str, Callable[[int], contextlib.AbstractContextManager[None]]] = {
    "refused": refused,
    "never_accepted": never_accepted,
}
