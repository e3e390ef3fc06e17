"""The name of a process tells whether it lives: never of another machine's, nor of a later one under the same id."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from formation_portal.core import processes
from formation_portal.core.processes import NAME_LIMIT, current_process, has_ended

_SAYS_ITS_NAME = (
    "from formation_portal.core.processes import current_process; print(current_process(), flush=True); input()"
)


@pytest.fixture
def other() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another process, and its name."""
    command = [sys.executable, "-c", _SAYS_ITS_NAME]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def test_a_process_has_ended_as_soon_as_it_is_killed(other: tuple[subprocess.Popen[str], str]) -> None:
    process, name = other
    assert not has_ended(name)
    process.kill()
    process.wait()
    assert has_ended(name)


def test_one_whose_parent_does_not_look_has_ended_too(other: tuple[subprocess.Popen[str], str]) -> None:
    process, name = other
    process.kill()
    stat = Path(f"/proc/{process.pid}/stat")
    while ") Z " not in stat.read_text():
        pass
    assert has_ended(name)


def test_this_process_lives_and_keeps_its_name() -> None:
    assert current_process() == current_process() != ""
    assert not has_ended(current_process())


def test_a_later_process_under_the_same_id_is_not_taken_for_it() -> None:
    machine, pid, started = current_process().split("/")
    assert has_ended(f"{machine}/{pid}/{int(started) - 1}")


def test_nothing_is_told_of_a_process_of_another_machine(other: tuple[subprocess.Popen[str], str]) -> None:
    process, name = other
    process.kill()
    process.wait()
    assert not has_ended(f"elsewhere:{name}")


@pytest.mark.parametrize("name", ["", "/", "//", "elsewhere"])
def test_nothing_is_told_of_what_is_no_name(name: str) -> None:
    assert not has_ended(name)


def test_where_the_system_does_not_tell_nothing_has_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = current_process()
    monkeypatch.setattr(processes, "_PROC", tmp_path)
    assert current_process() == ""
    assert not has_ended(name)


def test_the_longest_name_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes.socket, "gethostname", lambda: "x" * 255)
    processes._machine_name.cache_clear()
    try:
        assert len(current_process()) <= NAME_LIMIT - 20
    finally:
        processes._machine_name.cache_clear()
