"""What a process may use that opens a stranger's file. The kernel keeps to it, whatever the file makes a library do."""

import resource
import signal

# A request to a workshop, in bytes.
REQUEST = 256

SECONDS = 6
MEMORY = 700 * 1024 * 1024


def confine(seconds: int) -> None:
    """From now on: some seconds, some memory, no writing to disk, no core file, no alarm that code could catch."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
