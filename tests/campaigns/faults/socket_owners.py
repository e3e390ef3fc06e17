"""Which process holds the other end of a connection on this machine, read from /proc."""

from pathlib import Path

_PROC = Path("/proc")
_ESTABLISHED = "01"


def child_with_port(port: int, *, parent: int) -> int | None:
    """The child of `parent` whose connection has this local port; None where there is none any more."""
    inode = _inode(port)
    if inode is None:
        return None
    return next((pid for pid in children(parent) if _holds(pid, inode)), None)


def children(parent: int) -> list[int]:
    """The living children of a process."""
    found = []
    for path in _PROC.glob("[0-9]*"):
        try:
            # The second field is the name in brackets, which may hold anything.
            state, above = (path / "stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if int(above) == parent and state != "Z":
            found.append(int(path.name))
    return found


def _inode(port: int) -> str | None:
    for line in (_PROC / "net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == port and fields[3] == _ESTABLISHED:
            return fields[9]
    return None


def _holds(pid: int, inode: str) -> bool:
    wanted = f"socket:[{inode}]"
    try:
        return any(str(path.readlink()) == wanted for path in (_PROC / str(pid) / "fd").iterdir())
    except OSError:
        return False
