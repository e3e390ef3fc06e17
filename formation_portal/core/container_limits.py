"""Read the limits of memory and processor that this process's control groups (version 1 or 2) set."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_ROOT = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")
# Version 1 writes "no limit" as a number of bytes that no machine has.
_NO_LIMIT_BYTES = 1 << 60


class ContainerLimits(NamedTuple):
    """The tightest limits of memory and processor. None is no limit."""

    memory_bytes: int | None = None
    cores: float | None = None


def read_container_limits(root: Path = _ROOT, membership: Path = _MEMBERSHIP) -> ContainerLimits:
    """Return the tightest limits of the control groups that hold this process."""
    memory: list[int] = []
    cores: list[float] = []
    for line in _read(membership).splitlines():
        _, controllers, path = line.split(":", 2)
        names = controllers.split(",")
        if not controllers:
            for folder in _folders(root, path):
                memory += _numbers(folder / "memory.max")
                cores += _share(_numbers(folder / "cpu.max"))
        if "memory" in names:
            for folder in _folders(root / "memory", path):
                memory += _numbers(folder / "memory.limit_in_bytes")
        if "cpu" in names:
            for folder in _folders(root / "cpu", path):
                quota = _numbers(folder / "cpu.cfs_quota_us") + _numbers(folder / "cpu.cfs_period_us")
                cores += _share(quota)
    memory = [limit for limit in memory if limit < _NO_LIMIT_BYTES]
    return ContainerLimits(min(memory, default=None), min(cores, default=None))


def _folders(root: Path, path: str) -> Iterator[Path]:
    """Yield a control group's folder, then its parents' folders. In a container, `root` may be the group's folder."""
    names = [name for name in path.split("/") if name not in ("", "..")]
    for depth in range(len(names), -1, -1):
        yield root.joinpath(*names[:depth])


def _share(quota_and_period: list[int]) -> list[float]:
    """Return a list with the quota in cores, or [] for no quota ("max", or -1 in version 1)."""
    if len(quota_and_period) < 2 or quota_and_period[0] <= 0:
        return []
    return [quota_and_period[0] / quota_and_period[1]]


def _numbers(path: Path) -> list[int]:
    return [int(word) for word in _read(path).split() if word.lstrip("-").isdecimal()]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
