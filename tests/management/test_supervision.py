"""How a web process keeps the garbage collector short, in a process of its own: it can't be undone."""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent

# Of 800,000 old objects, 200,000 would have to be added before a full round.
ROUNDS = """
import gc
from formation_portal.management.supervision import freeze_loaded_objects

old_objects = [[] for _ in range(800_000)]
freeze_loaded_objects()
counted = len(gc.get_objects())
before = gc.get_stats()[2]["collections"]
new_objects = [[] for _ in range(100_000)]
print(counted < 100, gc.get_stats()[2]["collections"] > before)
"""


def test_what_is_loaded_is_in_no_round_of_the_collector_and_delays_none() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "True"]
