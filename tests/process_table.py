"""The processes of this machine, read from /proc. One that has ended and that nobody has waited for counts as gone."""

from pathlib import Path


def parents() -> dict[int, int]:
    """Return the parent of each process."""
    table: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The second field is the name in brackets, which may hold anything.
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != "Z":
            table[int(path.parent.name)] = int(parent)
    return table


def children(pid: int) -> list[int]:
    return sorted(child for child, parent in parents().items() if parent == pid)


def descendants(pid: int) -> list[int]:
    """Return the children of a process, and theirs."""
    table, processes = parents(), list[int]()
    generation = {pid}
    while generation:
        generation = {child for child, parent in table.items() if parent in generation}
        processes += sorted(generation)
    return processes


def is_running(pid: int) -> bool:
    return pid in parents()
