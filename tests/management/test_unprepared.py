"""Commands where no database is ready, and Ctrl-C while a command loads or sets up: one line and no traceback."""

import signal
from pathlib import Path

import pytest

from .served import Served, free_port, manage

SET_UP_FIRST = "CommandError: The databases are not set up for this version. Run setup first: manage.py setup_portal\n"
INTERRUPTED = 130
EARLY_AND_LATE = ("django", "formation_portal.settings", "formation_portal.accounts.demo")
# Presses Ctrl-C when a module is loaded.
INTERRUPTING = """
import os, signal, sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
"""


@pytest.mark.parametrize("command", ["agent list", pytest.param("secrets", marks=pytest.mark.long)])
def test_a_command_before_the_first_start_asks_for_the_setup(tmp_path: Path, command: str) -> None:
    (tmp_path / "data").mkdir()
    done = manage(tmp_path / "data", *command.split())
    assert (done.returncode, done.stdout, done.stderr) == (1, "", SET_UP_FIRST)


@pytest.mark.parametrize(
    "module", ["formation_portal.desk.urls", *(pytest.param(name, marks=pytest.mark.long) for name in EARLY_AND_LATE)]
)
def test_ctrl_c_while_a_start_loads_ends_it_without_a_traceback(tmp_path: Path, module: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING)
    done = manage(tmp_path / "data", "web", PYTHONPATH=f"{tmp_path}:.", INTERRUPT_AT=module, PORT=str(free_port()))
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")


@pytest.mark.long
def test_ctrl_c_while_a_start_sets_up_ends_it_without_a_traceback(tmp_path: Path) -> None:
    portal = Served(tmp_path, free_port()).start()
    portal.until("Setting up the database")
    assert portal.end(signal.SIGINT) == INTERRUPTED
    assert "Traceback" not in "".join(portal.lines)
