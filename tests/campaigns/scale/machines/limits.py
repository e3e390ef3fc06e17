"""Holds processes to a small share of a core, so that a measurement doesn't depend on how many cores there are."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

# Short, so that who has used up a share waits for milliseconds and not for a tenth of a second.
_PERIOD_MICROSECONDS = 20_000
_ROOT = Path("/sys/fs/cgroup")


def controller() -> Path | None:
    """Where groups with a share of the processor can be made: cgroup v2 or v1, and None where we may not."""
    is_unified = (_ROOT / "cgroup.controllers").exists()
    if is_unified and "cpu" not in (_ROOT / "cgroup.subtree_control").read_text().split():
        return None
    place = _ROOT if is_unified else _ROOT / "cpu"
    return place if os.access(place, os.W_OK) and (is_unified or (place / "cpu.cfs_quota_us").exists()) else None


@contextmanager
def held_to(share: float, groups: Sequence[Sequence[int]]) -> Iterator[None]:
    """Each group of processes may use `share` of a core while the block lasts; their children too."""
    place = controller()
    assert place is not None
    made = []
    try:
        for number, pids in enumerate(groups):
            group = place / f"formation-scale-{os.getpid()}-{number}"
            group.mkdir()
            made.append(group)
            _limit(group, share)
            for pid in pids:
                (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        for group in made:
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(OSError):
                    (place / "cgroup.procs").write_text(pid)
            _remove(group)


def _limit(group: Path, share: float) -> None:
    quota = round(share * _PERIOD_MICROSECONDS)
    if (group / "cpu.max").exists():
        (group / "cpu.max").write_text(f"{quota} {_PERIOD_MICROSECONDS}")
    else:
        (group / "cpu.cfs_period_us").write_text(str(_PERIOD_MICROSECONDS))
        (group / "cpu.cfs_quota_us").write_text(str(quota))


def _remove(group: Path) -> None:
    """A process that is on its way out may still stand in it for a moment."""
    for _ in range(100):
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)
