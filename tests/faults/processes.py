"""The processes of a campaign: forked from one that has loaded everything, killed by whoever likes, started again."""

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator

from django.db import connections

from formation_portal.management.supervision import Child
from formation_portal.relay.worker import Worker


class Member(Child):
    """One process of the crew."""

    @property
    def pid(self) -> int:
        """Of its latest start."""
        assert self._process is not None
        return self._process.pid or 0

    def kill(self) -> None:
        """kill -9: no word, no end in order."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def join(self) -> int:
        """Wait for its end; its exit code."""
        assert self._process is not None
        self._process.join()
        return self.exit_code or 0


class Crew:
    """Processes that are started again when they die, until they are ended."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        # How often each kind of process has died.
        self.deaths: Counter[str] = Counter()

    def add(self, name: str, work: Callable[[], None]) -> Member:
        """Start one more process, of the kind that the name says."""
        member = Member(name, work)
        self.members.append(member)
        _start(member)
        return member

    def look_after(self) -> None:
        """Start again whoever has died."""
        for member in self.members:
            if member.exit_code is not None:
                self.deaths[member.name] += 1
                _start(member)

    def join(self) -> None:
        """Wait until all have done their work. Raises RuntimeError where one has failed."""
        for member in self.members:
            if code := member.join():
                raise RuntimeError(f"A {member.name} ended with {code}; the log says why")

    def of(self, name: str) -> list[Member]:
        """The processes of one kind."""
        return [member for member in self.members if member.name == name]

    def end(self, *names: str) -> None:
        """End the processes of these kinds, or all of them; the youngest first."""
        ended = [member for member in reversed(self.members) if not names or member.name in names]
        for member in ended:
            member.end()
            self.members.remove(member)


@contextlib.contextmanager
def crew() -> Iterator[Crew]:
    """A crew, ended whatever happens."""
    made = Crew()
    try:
        yield made
    finally:
        made.end()


def relay() -> None:
    """The work of a relay worker, as `manage.py relay` does it."""
    worker = Worker()
    worker.stop_on_signals()
    worker.run()


def _start(member: Member) -> None:
    # A connection that two processes hold is nobody's.
    connections.close_all()
    member.start()
