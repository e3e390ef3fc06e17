"""The processes of a campaign: forked from one that has loaded everything, killed by whoever likes, started again."""

import contextlib
import socket
from collections import Counter
from collections.abc import Callable, Iterator

from django.db import connections

from formation_portal.management.supervision import Child
from formation_portal.management.web_server import listen, serve
from formation_portal.relay.worker import Worker
from tests.waiting import wait_until


class Process(Child):
    """One process of a group. `stays`: it is started again when it ends; else it has one thing to do."""

    def __init__(self, name: str, work: Callable[[], None], *, stays: bool) -> None:
        super().__init__(name, work)
        self.stays = stays

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


class Processes:
    def __init__(self) -> None:
        self.members: list[Process] = []
        # How often each kind of process has died.
        self.deaths: Counter[str] = Counter()

    def add(self, name: str, work: Callable[[], None], *, stays: bool = True, port: int = 0) -> None:
        """Start one more process, of the kind that the name says. One with a port is waited for until it listens."""
        member = Process(name, work, stays=stays)
        self.members.append(member)
        _start(member)
        if port:
            wait_until(lambda: is_listened_at(port), what=f"{name} listens at {port}")

    def look_after(self) -> None:
        """Start again whoever should stay and has died."""
        for member in self.members:
            if member.stays and member.process.exitcode is not None:
                self.deaths[member.name] += 1
                _start(member)

    def finish(self, name: str, *, seconds: float = 1_800) -> None:
        """Wait until all of a kind have done what they had to do. Raises RuntimeError where one has failed."""

        def have_ended() -> bool:
            self.look_after()
            return all(member.process.exitcode is not None for member in self.of(name))

        wait_until(have_ended, seconds, f"every {name} has finished")
        for member in self.of(name):
            self.members.remove(member)
            if member.process.exitcode:
                raise RuntimeError(f"A {name} ended with {member.process.exitcode}; standard error or the log says why")

    def of(self, name: str) -> list[Process]:
        return [member for member in self.members if member.name == name]


@contextlib.contextmanager
def process_group() -> Iterator[Processes]:
    """Processes that end with the block, the youngest first."""
    processes = Processes()
    try:
        yield processes
    finally:
        while processes.members:
            processes.members.pop().stop()


def relay() -> None:
    worker = Worker()
    worker.stop_on_signals()
    worker.run()


def serve_site(port: int) -> None:
    """Serve the whole site, with the embedded service in it, until the process ends."""
    from formation_portal.wsgi import application

    serve(application, listen("127.0.0.1", port))


def is_listened_at(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _start(member: Process) -> None:
    # A connection that two processes hold is nobody's.
    connections.close_all()
    member.start()
