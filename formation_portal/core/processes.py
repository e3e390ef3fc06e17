"""Names the process that works on something, so that others on its machine can tell at once when it has ended.

A name holds the machine, the process id and when the process started: neither a process of another machine nor a later
one under the same id is taken for it. Where the system doesn't tell (it has no /proc), names are empty.
"""

import functools
import os
import socket
from pathlib import Path
from typing import TypeVar

from django.db.models import Model, QuerySet

NAME_LIMIT = 200

Row = TypeVar("Row", bound=Model)

_PROC = Path("/proc")
# Of /proc/<pid>/stat, counted behind the command's name (proc(5)): the state, and the start in ticks since boot.
_STATE, _START_TIME = 0, 19


def current_process() -> str:
    """The name of the process that asks; empty where nobody could tell whether it lives."""
    stat, machine = _proc_stat(os.getpid()), _machine_name()
    return f"{machine}/{os.getpid()}/{stat[_START_TIME]}" if stat and machine else ""


def has_ended(name: str) -> bool:
    """Whether the process is surely gone; False also where that can't be told from here."""
    machine, _, process = name.partition("/")
    if not process or machine != _machine_name():
        return False
    pid, _, started = process.partition("/")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # it lives, and is somebody else's
    stat = _proc_stat(int(pid))
    # One that has ended stays in the table until its parent has asked for its exit code.
    return bool(stat) and (stat[_STATE] in "ZX" or stat[_START_TIME] != started)


def held_by_ended(rows: QuerySet[Row]) -> QuerySet[Row]:
    """Those of the rows whose `holder` names a process that is surely gone."""
    holders = set(rows.exclude(holder="").values_list("holder", flat=True))
    return rows.filter(holder__in=[name for name in holders if has_ended(name)])


@functools.cache
def _machine_name() -> str:
    """This machine since it was started, and whose process ids are meant: a container counts its own."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{socket.gethostname()[:100]}:{boot}:{(_PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def _proc_stat(pid: int) -> list[str]:
    """What the system says of a process; empty where it says nothing."""
    try:
        # The command's name stands in brackets, and may hold anything.
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
