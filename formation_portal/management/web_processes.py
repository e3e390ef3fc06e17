"""Choose the number of web processes: one per core, but no more than fit into the memory limit."""

import math
import os

from formation_portal.core.container_limits import ContainerLimits
from formation_portal.documents import sandbox

# The memory of the first process, which sets up, then starts and watches the others: measured 170 MB.
FIRST_BYTES = 200_000_000
# The memory of a web process, measured 280 MB at work, and of its sandbox, which opens documents and typesets records.
WEB_BYTES = 320_000_000 + sandbox.MEMORY_AT_MOST
# The memory of a process of workers, measured 180 MB at work, and of files of 10 MB in transfer.
WORKER_BYTES = 250_000_000


def available_cores(limits: ContainerLimits) -> int:
    """Return the number of available cores. Part of a core counts as a whole core."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    if limits.cores:
        cores = min(cores, math.ceil(limits.cores))
    return cores


def memory_needed(processes: int, *, workers: int) -> int:
    """Return the bytes that the web processes, the first process and the workers need."""
    return FIRST_BYTES + processes * WEB_BYTES + workers * WORKER_BYTES


def fitting_processes(desired: int, memory: int | None, *, workers: int) -> int:
    if memory is None:
        return desired
    return max(1, min(desired, (memory - memory_needed(0, workers=workers)) // WEB_BYTES))


def memory_warnings(desired: int, memory: int | None, *, workers: int) -> list[str]:
    if memory is None or memory >= memory_needed(desired, workers=workers):
        return []
    limit = _megabytes(memory)
    needed = _megabytes(memory_needed(1, workers=workers))
    if memory < memory_needed(1, workers=workers):
        return [
            f"Warning: the memory limit is {limit}, and one web process with the rest needs {needed}. "
            "A large document may end it. Raise the limit."
        ]
    number = fitting_processes(desired, memory, workers=workers)
    return [
        f"Web processes: {number} instead of {desired}, because the memory limit is {limit}. "
        f"One with the rest needs {needed}, each more {_megabytes(WEB_BYTES)}."
    ]


def _megabytes(size: int) -> str:
    return f"{size // 1_000_000:,} MB"
