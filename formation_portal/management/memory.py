"""How a process of many threads keeps its memory small. Nothing but size and pauses changes by it."""

import ctypes
import gc
import os

# Of glibc's malloc.h.
_M_ARENA_MAX = -8
_ARENAS = 2


def limit_malloc_arenas() -> None:
    """Have all threads share two of malloc's arenas, before the threads begin.

    glibc gives each thread an arena of its own, and what is freed there serves no other thread. Python's threads take
    turns anyway, so that this would buy nothing. `MALLOC_ARENA_MAX` in the environment goes before; other libraries
    than glibc have no such thing.
    """
    if "MALLOC_ARENA_MAX" in os.environ:
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(_M_ARENA_MAX, _ARENAS)


def freeze_loaded_objects() -> None:
    """Take what is loaded by now out of the garbage collector's rounds: modules, models, addresses.

    A full round begins when what is new has come to a quarter of what is old. With all modules counted in, tens of
    megabytes of ended requests would wait for it, and it would stop every thread for a while.
    """
    gc.collect()
    gc.freeze()
    # What is old was counted before it was set aside: a round over nothing counts again.
    gc.collect()
