"""Whatever a task of the sandbox does, it gets so much time, memory, disk and answer, each by itself; and no network,
program or process, and no file but libraries, fonts and what was named."""

import errno
import json
import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from formation_portal.documents import confinement, health, sandbox
from formation_portal.documents.health import check_sandbox
from formation_portal.documents.sandbox_process import MEMORY_BYTES

LIMIT = 1_000


def made(task: str, **arguments: Any) -> bytes:
    """What a task of this module answers."""
    return sandbox.run_task(f"{__name__}:{task}", b"x", answer_limit=LIMIT, **arguments)


def has_limits(content: bytes) -> bytes:
    """What the kernel allows: seconds of processor time, bytes of a core file, and seconds until an alarm."""
    soft = [resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_CPU, resource.RLIMIT_CORE)]
    return json.dumps([*soft, signal.getitimer(signal.ITIMER_REAL)[0] > 0]).encode()


def takes_memory(content: bytes, *, bytes_taken: int) -> bytes:
    """Has that much memory, and says so."""
    return str(len(bytearray(bytes_taken))).encode()


def writes(content: bytes) -> bytes:
    """Puts a file on the disk, and says so."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
    return b"written"


def answers(content: bytes, *, length: int) -> bytes:
    """Says that much."""
    return b"x" * length


@pytest.mark.parametrize("seconds", [2, 5])
def test_a_task_has_its_seconds_and_no_more(seconds: int) -> None:
    assert json.loads(made("has_limits", seconds=seconds)) == [seconds, 0, True]


def test_a_task_that_takes_more_memory_than_there_is_answers_nothing() -> None:
    assert made("takes_memory", bytes_taken=1_000_000) == b"1000000"
    assert made("takes_memory", bytes_taken=MEMORY_BYTES * 11 // 10) == b""
    assert made("takes_memory", bytes_taken=MEMORY_BYTES * 11 // 10, memory=2 * MEMORY_BYTES) != b""


def test_a_task_writes_nothing_to_the_disk() -> None:
    assert made("writes") == b""


def test_an_answer_is_read_up_to_its_limit() -> None:
    assert made("answers", length=LIMIT) == b"x" * LIMIT
    assert made("answers", length=LIMIT + 1) == b""


def test_nothing_stays_open_behind_a_task() -> None:
    made("answers", length=1)
    before = len([*Path("/proc/self/fd").iterdir()])
    for length in (1, LIMIT + 1):
        made("answers", length=length)
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def connects(port: int) -> None:
    """Speaks to a server of this machine."""
    socket.create_connection(("127.0.0.1", port), timeout=1).close()


def opens_to_write(path: str) -> None:
    """Changes a file that is there; the limit of what is written would not stop an open that empties it."""
    os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))


def has_child(_: str) -> None:
    """Starts a process that goes on alone."""
    if os.fork() == 0:
        os._exit(0)


def ends_process(pid: int) -> None:
    """Ends whoever has asked."""
    os.kill(pid, signal.SIGCONT)


ATTEMPTS: dict[str, Callable[[Any], object]] = {
    "connect": connects,
    "listen": lambda path: socket.socket(socket.AF_UNIX).bind(path),
    "execute": lambda path: os.execv("/bin/sh", ["sh", "-c", f"touch {path}"]),
    "fork": has_child,
    "write": opens_to_write,
    "make": lambda path: Path(path).mkdir(),
    "remove": os.unlink,
    "rename": lambda path: Path(path).rename(f"{path}-2"),
    "read": lambda path: Path(path).read_bytes(),
    "list": os.listdir,
    "signal": ends_process,
    "limit": lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (9, 9)),
    "become": os.setuid,
    "handle": lambda _: signal.signal(signal.SIGALRM, signal.SIG_IGN),
    "delay": lambda _: signal.setitimer(signal.ITIMER_REAL, 0),
}


def tries(content: bytes, *, attempt: str, argument: Any) -> bytes:
    """What came of it: "done", "refused" by the kernel, or another error."""
    try:
        ATTEMPTS[attempt](argument)
    except OSError as error:
        return b"refused" if error.errno in (errno.EPERM, errno.EACCES) else repr(error).encode()
    return b"done"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file of ours that anybody may read and write."""
    path = tmp_path / "target"
    path.write_text("ours")
    path.chmod(0o666)
    return path


@pytest.mark.parametrize("attempt", ["write", "remove", "rename", "read"])
def test_a_task_neither_reads_nor_changes_a_file(target: Path, attempt: str) -> None:
    assert made("tries", attempt=attempt, argument=str(target)) == b"refused"
    assert target.read_text() == "ours"


def test_a_task_reads_what_was_named(target: Path) -> None:
    for folder in target.parents:
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o11)
    assert made("tries", attempt="read", argument=str(target), reads=[str(target)]) == b"done"


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", f"{Path.cwd()}/pyproject.toml"])
def test_a_task_reads_nothing_of_the_machine(path: str) -> None:
    assert Path(path).read_bytes()
    assert made("tries", attempt="read", argument=path) == b"refused"


@pytest.mark.parametrize("path", ["/", "/etc", "/proc", "/tmp", str(Path.cwd())])
def test_a_task_lists_nothing_of_the_machine(path: str) -> None:
    assert made("tries", attempt="list", argument=path) == b"refused"


@pytest.mark.parametrize("attempt", ["execute", "make", "listen"])
def test_a_task_starts_and_makes_nothing(tmp_path: Path, attempt: str) -> None:
    tmp_path.chmod(0o777)
    assert made("tries", attempt=attempt, argument=str(tmp_path / "made")) == b"refused"
    assert not [*tmp_path.iterdir()]


def test_a_task_reaches_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connects(server.getsockname()[1])
        assert made("tries", attempt="connect", argument=server.getsockname()[1]) == b"refused"


@pytest.mark.parametrize(
    ("attempt", "argument"),
    [("fork", ""), ("signal", os.getpid()), ("limit", os.getpid()), ("become", 12345), ("handle", ""), ("delay", "")],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_task_touches_no_process_and_no_limit(attempt: str, argument: Any) -> None:
    assert made("tries", attempt=attempt, argument=argument) == b"refused"


def sleeps(content: bytes, *, seconds_asleep: float) -> bytes:
    """Takes no processor time, and keeps its alarm waiting."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(seconds_asleep)
    return b"awake"


def test_a_task_that_sleeps_is_ended() -> None:
    begun = time.monotonic()
    assert made("sleeps", seconds=1, seconds_asleep=60) == b""
    assert time.monotonic() - begun < 20
    assert made("answers", length=1) == b"x"


def test_whoever_finds_no_place_is_told_at_once() -> None:
    busy = threading.Semaphore(0)
    asked = []

    def ask() -> None:
        try:
            asked.append(made("sleeps", seconds=1, seconds_asleep=1))
        except sandbox.SandboxBusy:
            asked.append(b"busy")
        busy.release()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(asked) == [*[b"awake"] * 5, *[b"busy"] * 3]
    # The others have their places again.
    assert made("answers", length=1) == b"x"


def tells_its_network(content: bytes) -> bytes:
    """The name of the network that it is in: a link's own text takes no right to read."""
    return str(Path("/proc/self/ns/net").readlink()).encode()


def test_a_task_is_in_a_network_of_its_own() -> None:
    mine = str(Path("/proc/self/ns/net").readlink())
    as_root = [] if os.geteuid() == 0 else ["--user"]
    may_leave = subprocess.run(["unshare", "--net", "--ipc", *as_root, "true"], check=False).returncode == 0
    assert (made("tells_its_network").decode() != mine) is may_leave


@pytest.mark.parametrize(("user", "own_users"), [(0, False), (1000, True)], ids=["root", "anybody else"])
def test_only_root_leaves_the_network_without_users_of_its_own(
    monkeypatch: pytest.MonkeyPatch, user: int, own_users: bool
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(confinement._libc, "unshare", asked.append)
    confinement.leave_network()
    assert asked == [0x4800_0000 | (0x1000_0000 if own_users else 0)]


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "can_be_read"),
    [(0o644, 0o755, True), (0o640, 0o755, False), (0o641, 0o755, False), (0o644, 0o711, True), (0o644, 0o766, False)],
    ids=oct,
)
def test_what_nobody_can_read_is_told_by_the_file_and_all_its_folders(
    file_mode: int, folder_mode: int, can_be_read: bool
) -> None:
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "file"
        file.touch()
        file.chmod(file_mode)
        Path(made).chmod(folder_mode)
        assert confinement._can_be_read_by_all(file) is can_be_read


def tells_who_it_is(content: bytes) -> bytes:
    """Whose the process is, and how much it leaves to others."""
    return json.dumps([os.getuid(), os.getgid(), os.getgroups(), os.getpriority(os.PRIO_PROCESS, 0)]).encode()


def test_a_task_is_nobodys_and_comes_last() -> None:
    user, group, groups, nice = json.loads(made("tells_who_it_is"))
    needed = [Path(one).resolve() for one in confinement._READABLE if Path(one).exists()]
    if os.getuid() == 0 and all(map(confinement._can_be_read_by_all, needed)):
        assert (user, group, groups) == (65534, 65534, [])
    assert nice == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)


def test_a_folder_that_was_named_can_be_listed(tmp_path: Path) -> None:
    (tmp_path / "font").touch()
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o55)
    assert made("tries", attempt="list", argument=str(tmp_path), reads=[str(tmp_path)]) == b"done"


def test_an_attempt_of_the_doctors_leaves_nothing() -> None:
    """Where the kernel refuses nothing."""
    health._write()
    assert not Path("/tmp/sandbox-attempt").exists()


def test_an_interrupt_from_the_keyboard_is_for_whoever_asks() -> None:
    assert made("answers", length=1) == b"x"
    process = sandbox._sandbox.process
    assert process is not None
    os.kill(process.pid, signal.SIGINT)
    assert made("answers", length=1) == b"x"
    assert sandbox._sandbox.process is process


def test_a_kernel_without_landlock_and_filters_leaves_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What isn't there is left out, and a task is done all the same."""
    monkeypatch.setattr(confinement, "_MACHINES", {})
    assert list(confinement._filter(0, 0))[-1][2:] == (0, confinement._ALLOW)
    confinement._restrict_calls()
    assert Path(tempfile.gettempdir()).exists()


def test_what_is_in_force_is_said() -> None:
    [found] = check_sandbox()
    assert found.verdict == "ok"
    assert "no network" in found.found


def test_what_is_not_in_force_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "run_task", lambda *_, **__: b'["no network"]')
    [found] = check_sandbox()
    assert (found.verdict, "no programs" in found.found) == ("look", True)
    monkeypatch.setattr(sandbox, "run_task", lambda *_, **__: b"")
    assert [one.verdict for one in check_sandbox()] == ["fault"]
