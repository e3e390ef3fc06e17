"""The processes of a campaign: forked from one that has loaded everything, killed by whoever likes, started again."""

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator

from django.db import connections

from formation_portal.management.supervision import Child
from formation_portal.relay.worker import Worker

_LOOK_SECONDS = 0.02


class Process(Child):
    """One process of the crew. `stays`: it is started again when it ends; else it has one thing to do."""

    def __init__(self, name: str, work: Callable[[], None], *, stays: bool) -> None:
        super().__init__(name, work)
        self.stays = stays

    def kill(self) -> None:
        """kill -9: no word, no end in order."""
        self.process.kill()
        self.process.join()


class Processes:
    """Processes that are looked after until they are ended."""

    def __init__(self) -> None:
        self._members: list[Process] = []
        # How often each kind of process has died.
        self.deaths: Counter[str] = Counter()

    def add(self, name: str, work: Callable[[], None], *, stays: bool = True) -> None:
        """Start one more process, of the kind that the name says."""
        member = Process(name, work, stays=stays)
        self._members.append(member)
        _start(member)

    def look_after(self) -> None:
        """Start again whoever should stay and has died."""
        for member in self._members:
            if member.stays and member.process.exitcode is not None:
                self.deaths[member.name] += 1
                _start(member)

    def finish(self, name: str) -> None:
        """Wait until all of a kind have done what they had to do. Raises RuntimeError where one has failed."""
        while any(member.process.exitcode is None for member in self.of(name)):
            time.sleep(_LOOK_SECONDS)
            self.look_after()
        for member in self.of(name):
            self._members.remove(member)
            if member.process.exitcode:
                raise RuntimeError(f"A {name} ended with {member.process.exitcode}; standard error or the log says why")

    def of(self, name: str) -> list[Process]:
        """The processes of one kind."""
        return [member for member in self._members if member.name == name]

    def end(self) -> None:
        """End them all, the youngest first."""
        while self._members:
            self._members.pop().stop()


@contextlib.contextmanager
def process_group() -> Iterator[Processes]:
    """A crew, ended whatever happens."""
    made = Processes()
    try:
        yield made
    finally:
        made.end()


def relay() -> None:
    """The work of a relay worker, as `manage.py relay` does it."""
    worker = Worker()
    worker.stop_on_signals()
    worker.run()


def _start(member: Process) -> None:
    # A connection that two processes hold is nobody's.
    connections.close_all()
    member.start()
