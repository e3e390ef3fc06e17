"""What the web server does about its memory, each in a process of its own: it can't be undone."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent.parent

# As many threads as a web server may have hold something at once; then malloc says how many arenas it has.
ARENAS = """
import ctypes, sys, threading
from formation_portal.management import supervision

supervision.limit_malloc_arenas()
all_hold = threading.Barrier(9)
def hold():
    kept = [b"x" * 700 for _ in range(100)]
    all_hold.wait()
    all_hold.wait()
    del kept
for _ in range(8):
    threading.Thread(target=hold).start()
all_hold.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
all_hold.wait()
"""
# Of much that was there at the start, a quarter would have to come anew before a round over all of it.
ROUNDS = """
import gc
from formation_portal.management import supervision

there_at_the_start = [[] for _ in range(800_000)]
supervision.freeze_loaded_objects()
counted = len(gc.get_objects())
before = gc.get_stats()[2]["collections"]
come_since = [[] for _ in range(100_000)]
print(counted < 100, gc.get_stats()[2]["collections"] > before)
"""


def run(code: str, *arguments: str, **environment: str) -> str:
    clean = {key: value for key, value in os.environ.items() if key != "MALLOC_ARENA_MAX"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=PROJECT,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="not run: another libc than glibc")
@pytest.mark.parametrize(("environment", "arenas"), [({}, 2), ({"MALLOC_ARENA_MAX": "5"}, 5)], ids=["ours", "theirs"])
def test_threads_share_their_arenas(tmp_path: Path, environment: dict[str, str], arenas: int) -> None:
    run(ARENAS, str(tmp_path / "said"), **environment)
    assert (tmp_path / "said").read_text().count("<heap nr=") == arenas


def test_what_is_loaded_is_in_no_round_of_the_collector_and_delays_none() -> None:
    assert run(ROUNDS).split() == ["True", "True"]
