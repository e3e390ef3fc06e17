"""Hold a process and what it starts to so much memory, by a control group of the kernel."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def memory_controller() -> Path | None:
    """Return the folder in which groups with a memory limit can be made, or None where this process may not."""
    if (_ROOT / "cgroup.controllers").exists():
        has_memory = "memory" in (_ROOT / "cgroup.subtree_control").read_text().split()
        return _ROOT if has_memory and os.access(_ROOT, os.W_OK) else None
    folder = _ROOT / "memory"
    return folder if os.access(folder, os.W_OK) and (folder / "memory.limit_in_bytes").exists() else None


@contextmanager
def held_to_memory(size: int, pid: int) -> Iterator[Path]:
    """Put the process into a group with this limit while the block lasts; gives the group's folder."""
    controller = memory_controller()
    assert controller is not None
    group = controller / f"formation-portal-{os.getpid()}-{pid}"
    group.mkdir()
    try:
        name = "memory.max" if controller == _ROOT else "memory.limit_in_bytes"
        (group / name).write_text(str(size))
        (group / "cgroup.procs").write_text(str(pid))
        yield group
    finally:
        for remaining in (group / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (controller / "cgroup.procs").write_text(remaining)
        _remove(group)


def _remove(group: Path) -> None:
    """Remove the group. A process that is ending may still be in it for a moment."""
    for _ in range(100):
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)
