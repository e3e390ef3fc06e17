"""What a process may use that works on what a stranger has made. The kernel sees to it, whatever a library does."""

import os
import resource
import signal

# The name of a task, in bytes.
NAME = 256

SECONDS = 6
MEMORY = 700 * 1024 * 1024


def confine(seconds: int) -> None:
    """From now on: some seconds, some memory, no writing to disk, no core file, no alarm that code could catch.

    Pages that people wait for come first.
    """
    os.nice(10)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
