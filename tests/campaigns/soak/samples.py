"""What a process holds at one moment, read from /proc: memory, sockets, descriptors."""

from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory in bytes that is in the machine's memory, shared pages included, so that a fork changes nothing."""

    memory: int
    sockets: int
    descriptors: int


def sample(pid: int) -> Sample:
    """Raises OSError where there is no such process any more."""
    links = list(_links(_PROC / str(pid) / "fd"))
    sockets = sum(link.startswith("socket:") for link in links)
    return Sample(_memory(pid), sockets, len(links))


def _memory(pid: int) -> int:
    # The quick numbers in `status` are counted by thread and only now and then added up.
    for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"Process {pid} has no memory")


def _links(folder: Path) -> list[str]:
    found = []
    for path in folder.iterdir():
        try:
            found.append(str(path.readlink()))
        except FileNotFoundError:
            # Closed since the folder was read.
            continue
    return found
