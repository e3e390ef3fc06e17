"""Hold a process and what it starts to so much memory, or to a share of a core, by a control group of the kernel."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.waiting import wait_until

_ROOT = Path("/sys/fs/cgroup")
# Short, so that a process that has used up its share waits for milliseconds and not for a tenth of a second.
_PERIOD_MICROSECONDS = 20_000


def memory_controller() -> Path | None:
    return _controller("memory", "memory.limit_in_bytes")


def processor_controller() -> Path | None:
    return _controller("cpu", "cpu.cfs_quota_us")


def _controller(name: str, limit: str) -> Path | None:
    """Return the folder in which groups with a limit can be made, or None where this process may not."""
    if (_ROOT / "cgroup.controllers").exists():
        has_controller = name in (_ROOT / "cgroup.subtree_control").read_text().split()
        return _ROOT if has_controller and os.access(_ROOT, os.W_OK) else None
    folder = _ROOT / name
    return folder if os.access(folder, os.W_OK) and (folder / limit).exists() else None


@contextmanager
def held_to_memory(size: int, pid: int) -> Iterator[Path]:
    """Put the process into a group with this limit while the block lasts; gives the group's folder."""
    controller = memory_controller()
    assert controller is not None
    name = "memory.max" if controller == _ROOT else "memory.limit_in_bytes"
    with _group(controller, pid, {name: str(size)}) as group:
        yield group


@contextmanager
def held_to_share(share: float, pid: int) -> Iterator[Path]:
    """The process and its children may use `share` of a core while the block lasts."""
    controller = processor_controller()
    assert controller is not None
    quota, period = str(round(share * _PERIOD_MICROSECONDS)), str(_PERIOD_MICROSECONDS)
    limits = {"cpu.max": f"{quota} {period}"}
    if controller != _ROOT:
        limits = {"cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota}
    with _group(controller, pid, limits) as group:
        yield group


@contextmanager
def _group(controller: Path, pid: int, limits: Mapping[str, str]) -> Iterator[Path]:
    group = controller / f"formation-portal-{os.getpid()}-{pid}"
    group.mkdir()
    try:
        for name, limit in limits.items():
            (group / name).write_text(limit)
        (group / "cgroup.procs").write_text(str(pid))
        yield group
    finally:
        for remaining in (group / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (controller / "cgroup.procs").write_text(remaining)
        # A process that is ending may still be in it for a moment.
        wait_until(lambda: _is_removed(group), what="the control group is empty")


def _is_removed(group: Path) -> bool:
    with suppress(OSError):
        group.rmdir()
    return not group.exists()
