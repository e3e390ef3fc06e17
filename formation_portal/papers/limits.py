"""What a process may use that works on what a stranger has made. The kernel sees to it, whatever a library does."""

import resource
import signal

# The name of a task, in bytes.
NAME = 256

# Of processor time, unless a task says otherwise.
SECONDS = 6
# Of a busy machine a task waits for so many seconds for each of its own.
PATIENCE = 5
MEMORY = 700 * 1024 * 1024


def confine(seconds: int) -> None:
    """From now on: some seconds, some memory, no writing to disk, no core file, no alarm that code could catch."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * seconds)
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
