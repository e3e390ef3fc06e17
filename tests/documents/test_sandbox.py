"""Whatever a task of the sandbox does, it gets so much time, memory, disk and answer, each by itself; and no network,
program or process, and no file but libraries, fonts and what was named."""

import ctypes
import errno
import json
import os
import platform
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from formation_portal.core.monitoring import metrics
from formation_portal.documents import confinement, sandbox, system_calls
from formation_portal.documents.health import check_sandbox
from formation_portal.documents.sandbox_process import MEMORY_BYTES

from .older_kernels import run_without_landlock

LIMIT = 1_000
# Of the numbers of a system call.
COLUMN = 0 if platform.machine() == "x86_64" else 1

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="not run: only root becomes somebody else")


def made(task: str, **arguments: Any) -> bytes:
    """What a task of this module answers."""
    return sandbox.run_task(f"{__name__}:{task}", b"x", answer_limit=LIMIT, **arguments)


def has_limits(content: bytes) -> bytes:
    """What the kernel allows: seconds of processor time, bytes of a core file, and seconds until an alarm."""
    soft = [resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_CPU, resource.RLIMIT_CORE)]
    return json.dumps([*soft, signal.getitimer(signal.ITIMER_REAL)[0] > 0]).encode()


def takes_memory(content: bytes, *, bytes_taken: int) -> bytes:
    return str(len(bytearray(bytes_taken))).encode()


def writes(content: bytes) -> bytes:
    with tempfile.TemporaryFile() as file:
        file.write(content)
    return b"written"


def answers(content: bytes, *, length: int) -> bytes:
    return b"x" * length


@pytest.mark.parametrize("seconds", [2, 5])
def test_a_task_has_its_seconds_and_no_more(seconds: int) -> None:
    assert json.loads(made("has_limits", seconds=seconds)) == [seconds, 0, True]


def test_a_task_that_takes_more_memory_than_there_is_answers_nothing() -> None:
    assert made("takes_memory", bytes_taken=1_000_000) == b"1000000"
    assert made("takes_memory", bytes_taken=MEMORY_BYTES * 11 // 10) == b""
    assert made("takes_memory", bytes_taken=MEMORY_BYTES * 11 // 10, memory_bytes=2 * MEMORY_BYTES) != b""


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
    socket.create_connection(("127.0.0.1", port), timeout=1).close()


def opens_to_write(path: str) -> None:
    """Changes a file that is there; the limit of what is written would not stop an open that empties it."""
    os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))


def has_child(_: str) -> None:
    """Starts a process that goes on alone."""
    if os.fork() == 0:
        os._exit(0)


def ends_process(pid: int) -> None:
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
        return b"refused" if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS) else repr(error).encode()
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
    def ask(_: int) -> bytes:
        try:
            return made("sleeps", seconds=1, seconds_asleep=1)
        except sandbox.SandboxBusy:
            return b"busy"

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(ask, range(8)))
    assert answers == [*[b"awake"] * 5, *[b"busy"] * 3]
    # The others have their places again.
    assert made("answers", length=1) == b"x"


def tells_its_time(content: bytes) -> bytes:
    """Answer with the moments at which the task began and ended, by the clock of all processes."""
    begun = time.monotonic()
    time.sleep(1)
    return json.dumps([begun, time.monotonic()]).encode()


def test_of_large_tasks_one_runs_at_a_time() -> None:
    def ask(_: int) -> list[float]:
        times: list[float] = json.loads(made("tells_its_time", memory_bytes=sandbox.LARGE_MEMORY_BYTES))
        return times

    with ThreadPoolExecutor(2) as pool:
        [first, second] = sorted(pool.map(ask, range(2)))
    assert first[1] <= second[0]


def tells_its_network(content: bytes) -> bytes:
    """The name of the network that it is in: a link's own text takes no right to read."""
    return str(Path("/proc/self/ns/net").readlink()).encode()


def test_a_task_is_in_a_network_of_its_own() -> None:
    mine = str(Path("/proc/self/ns/net").readlink())
    as_root = [] if os.geteuid() == 0 else ["--user"]
    may_leave = subprocess.run(["unshare", "--net", "--ipc", *as_root, "true"], check=False).returncode == 0
    assert (made("tells_its_network").decode() != mine) is may_leave


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
        assert confinement._can_be_read_by_all(str(file)) is can_be_read


def reads_as(content: bytes, *, path: str) -> bytes:
    return json.dumps([os.getuid(), Path(path).read_text()]).encode()


@as_root
def test_a_folder_that_others_cannot_read_is_read_as_nobody_all_the_same(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    path = tmp_path / "font"
    path.write_text("glyphs")
    path.chmod(0o600)
    assert json.loads(made("reads_as", path=str(path), reads=[str(tmp_path)])) == [65534, "glyphs"]
    assert made("reads_as", path=str(path)) == b""


@as_root
@pytest.mark.parametrize(("reads_all", "rights"), [(True, "0000000000000004"), (False, "0000000000000000")])
def test_nobody_keeps_of_roots_rights_that_to_read_or_none(reads_all: bool, rights: str) -> None:
    become = f"os.setgroups([4, 5]); confinement._become_nobody(reads_all={reads_all})"
    importing = "import os; from formation_portal.documents import confinement"
    code = f"{importing}; {become}; print(open('/proc/self/status').read())"
    command = [sys.executable, "-c", code]
    status = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    assert lines["Uid"].split() == lines["Gid"].split() == ["65534"] * 4
    assert lines["Groups"].strip() == ""
    assert [lines[name].strip() for name in ("CapEff", "CapPrm", "CapInh")] == [rights, rights, "0" * 16]


def calls(content: bytes, *, number: int, arguments: list[int]) -> bytes:
    """Makes a system call, and says which error it ends with, 0 for none."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(number, *map(ctypes.c_long, arguments))
    return errno.errorcode.get(ctypes.get_errno(), "?").encode() if result < 0 else b"0"


# On x86-64 and ARM64.
FORBIDDEN = {
    "utimensat": (280, 88),
    "setpriority": (141, 140),
    "sethostname": (170, 161),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "socket": (41, 198),
    "execve": (59, 221),
    "memfd_create": (319, 279),
    "recvmsg": (47, 212),
    "capset": (126, 91),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "setxattr": (188, 5),
    "ptrace": (101, 117),
}


@pytest.mark.parametrize("call", FORBIDDEN)
def test_a_call_that_is_not_on_the_list_is_as_if_the_kernel_had_not_got_it(call: str) -> None:
    assert made("calls", number=FORBIDDEN[call][COLUMN], arguments=[0, 0, 0, 0, 0, 0]) == b"ENOSYS"


@pytest.mark.parametrize(
    ("numbers", "arguments"),
    [
        # Whom a descriptor's signals go to, by F_SETOWN, F_SETSIG and F_SETOWN_EX.
        ((72, 25), [1, 8, 1]),
        ((72, 25), [1, 10, 9]),
        ((72, 25), [1, 15, 0]),
        # A character put into a terminal (TIOCSTI), and a process that is told of its parent's end (PR_SET_DUMPABLE).
        ((16, 29), [0, 0x5412, 0]),
        ((157, 167), [4, 1, 0]),
        # A process, and a thread in a network of its own.
        ((56, 220), [17, 0, 0]),
        ((56, 220), [0x4001_0000, 0, 0]),
        ((46, 211), [1, 0, 0]),
    ],
)
def test_a_listed_call_is_refused_with_an_argument_that_could_harm(
    numbers: tuple[int, int], arguments: list[int]
) -> None:
    assert made("calls", number=numbers[COLUMN], arguments=arguments) == b"EPERM"


def signals(content: bytes, *, others: list[int]) -> bytes:
    """Signals itself in three ways and others in as many, and says which error each ends with."""
    libc = ctypes.CDLL(None, use_errno=True)
    own, errors = os.getpid(), []
    numbers = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)}
    for pid in (own, *others):
        for name, columns in numbers.items():
            ctypes.set_errno(0)
            libc.syscall(columns[COLUMN], *((pid, pid) if name == "tgkill" else (pid,)), 0)
            errors.append(ctypes.get_errno())
    return json.dumps(errors).encode()


SIGNALLED = [0] * 3 + [errno.EPERM] * 9


def test_a_task_signals_itself_alone() -> None:
    others = [os.getpid(), os.getppid(), -1]
    assert json.loads(made("signals", others=others)) == SIGNALLED


def test_a_task_signals_itself_alone_where_landlock_does_not_see_to_it() -> None:
    code = "import os; from tests.documents.test_sandbox import made; "
    answer = run_without_landlock(f"{code}print(made('signals', others=[os.getpid(), 1, -1]).decode())")
    assert json.loads(answer.stdout) == SIGNALLED, answer.stderr


def test_a_font_folder_that_cannot_be_reached_keeps_no_task_from_its_work(tmp_path: Path) -> None:
    """As somebody else than root, in whose home the fonts are."""
    (tmp_path / "fonts").mkdir()
    tmp_path.chmod(0o000)
    ours, theirs = socket.socketpair()
    if (child := os.fork()) == 0:
        with suppress(BaseException):
            if os.getuid() == 0:
                os.setresuid(12345, 12345, 12345)
            confinement.confine([str(tmp_path / "fonts")], theirs.fileno())
            os._exit(7)
        os._exit(1)
    status = os.waitpid(child, 0)[1]
    tmp_path.chmod(0o700)
    ours.close(), theirs.close()
    assert os.waitstatus_to_exitcode(status) == 7


def test_a_call_that_is_not_on_the_list_is_counted(caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    settings.METRICS_TOKEN = "a-token-of-some-length"
    number = FORBIDDEN["memfd_create"][COLUMN]
    before = counted(number)
    assert made("calls", number=number, arguments=[0]) == b"ENOSYS"
    assert made("calls", number=number, arguments=[0]) == b"ENOSYS"
    assert counted(number) - before == 2
    refusal = "The sandbox refused system calls that are not on its list, in tests.documents.test_sandbox:calls"
    assert caplog.messages == [f"{refusal}: {number}."] * 2


def test_where_the_kernel_tells_nobody_a_call_is_refused_all_the_same() -> None:
    """A container's runtime listens already, or forbids it: as with a kernel that has no such call."""
    code = """
import errno, os
from formation_portal.documents import system_calls
system_calls._INSTALL = dict.fromkeys(system_calls._INSTALL, 70_001)
system_calls._libc.prctl(38, 1, 0, 0, 0)
listener = system_calls.restrict_calls(0)
try:
    os.memfd_create("forbidden")
except OSError as error:
    os.write(1, f"{listener} {errno.errorcode[error.errno]}".encode())
os._exit(0)
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.stdout == "None ENOSYS", answer.stderr


def counted(number: int) -> float:
    labels = {"call": str(number)}
    return metrics.all_processes().get_sample_value("formation_sandbox_unlisted_calls_total", labels) or 0


def repeats(content: bytes, *, numbers: list[int], times: int) -> bytes:
    libc = ctypes.CDLL(None, use_errno=True)
    for _ in range(times):
        for number in numbers:
            assert libc.syscall(number, 0) == -1
            assert ctypes.get_errno() == errno.ENOSYS
    return b"done"


def test_such_calls_are_counted_up_to_a_limit_if_a_kernel_has_them_and_a_library_needs_them(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.METRICS_TOKEN = "a-token-of-some-length"
    # Libraries do without these.
    assert made("repeats", numbers=[435, 437], times=1) == b"done"
    assert caplog.messages == []
    before = counted(599)
    assert made("repeats", numbers=[599], times=250) == b"done"
    assert counted(599) - before == 100
    assert made("repeats", numbers=[70_001], times=1) == b"done"
    assert counted(70_001) == 0


def outcome(machine: str, number: int, *arguments: int) -> int:
    """Run the filter as the kernel does, and return what it decides for a call of process 77 with the door 9."""
    architecture, column = system_calls._MACHINES[machine]
    instructions = [*system_calls._filter(architecture, column, 77, 9, otherwise=system_calls._TELL)]
    data = struct.pack("=iIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    loaded = position = 0
    while True:
        code, if_true, if_false, value = instructions[position]
        position += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (loaded,) = struct.unpack_from("=I", data, value)
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
            position += if_true if holds else if_false


ALLOWED, TOLD, KILLED = 0x7FFF_0000, 0x7FC0_0000, 0x8000_0000
DENIED, MISSING = 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS


@pytest.mark.parametrize(
    ("x86", "arm", "arguments", "decision"),
    [
        # read; openat to read and to write; clone of a thread, of a process, and of a thread in another network.
        (0, 63, (5, 0, 10), ALLOWED),
        (257, 56, (0, 0, os.O_RDONLY | os.O_CLOEXEC), ALLOWED),
        (257, 56, (0, 0, os.O_WRONLY), DENIED),
        (56, 220, (0x003D_0F00,), ALLOWED),
        (56, 220, (0x0120_0011,), DENIED),
        (56, 220, (0x403D_0F00,), DENIED),
        # kill, tkill and tgkill of itself and of others.
        (62, 129, (77, 6), ALLOWED),
        (62, 129, (78, 0), DENIED),
        (62, 129, (0, 6), DENIED),
        (200, 130, (77, 6), ALLOWED),
        (200, 130, (1, 6), DENIED),
        (234, 131, (77, 77, 6), ALLOWED),
        (234, 131, (1, 77, 6), DENIED),
        # fcntl: F_GETFD, F_SETOWN; ioctl: TCGETS, TIOCSTI; prctl: PR_SET_NAME, PR_SET_PDEATHSIG.
        (72, 25, (3, 1), ALLOWED),
        (72, 25, (3, 8, 1), DENIED),
        (16, 29, (3, 0x5401), ALLOWED),
        (16, 29, (3, 0x5412), DENIED),
        (157, 167, (15,), ALLOWED),
        (157, 167, (1, 9), DENIED),
        # A handler of SIGSEGV and of SIGALRM; its own limits and another's; a message through the door and elsewhere.
        (13, 134, (11,), ALLOWED),
        (13, 134, (14,), DENIED),
        (302, 261, (0, 7), ALLOWED),
        (302, 261, (78, 7), DENIED),
        (46, 211, (9,), ALLOWED),
        (46, 211, (3,), DENIED),
        # clone3; socket, execve, setitimer, and a number that no kernel has.
        (435, 435, (), MISSING),
        (41, 198, (2, 1), TOLD),
        (59, 221, (), TOLD),
        (38, 103, (), TOLD),
        (9_999, 9_999, (), TOLD),
        # The second way of calling on x86-64.
        (0x4000_0000, 0x4000_0000, (), MISSING),
    ],
)
def test_the_filter_decides_alike_on_both_machines(
    x86: int, arm: int, arguments: tuple[int, ...], decision: int
) -> None:
    assert outcome("x86_64", x86, *arguments) == decision
    assert outcome("aarch64", arm, *arguments) == decision


def test_a_call_of_another_machine_ends_the_task() -> None:
    instructions = [*system_calls._filter(0xC000_003E, 0, 77, 9, otherwise=TOLD)]
    assert instructions[:3] == [(0x20, 0, 0, 4), (0x15, 1, 0, 0xC000_003E), (0x06, 0, 0, KILLED)]


def lists_sockets(content: bytes) -> bytes:
    """Says which of its descriptors are sockets, or tell of system calls: neither is a file or a pipe."""
    others = []
    for descriptor in range(64):
        with suppress(OSError):
            mode = os.fstat(descriptor).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
                others.append(descriptor)
    return json.dumps(others).encode()


def test_a_task_has_no_descriptor_by_which_it_could_allow_itself_a_call() -> None:
    assert made("lists_sockets") == b"[]"


@pytest.mark.skipif(not system_calls.has_filters(), reason="not run: Landlock is taken away by a filter")
def test_files_are_said_to_be_restricted_only_where_landlock_does_it() -> None:
    """Who believes otherwise leaves a task of root's the right to read every file."""
    code = "from formation_portal.documents import confinement; print(confinement._restrict_files(['/usr']))"
    assert run_without_landlock(code).stdout == "False\n"


@pytest.mark.skipif(confinement._landlock_version() < 1, reason="not run: this kernel has no Landlock")
def test_landlock_is_missed_without_it() -> None:
    code = "from formation_portal.documents import confinement; print(confinement.missing_layers())"
    assert run_without_landlock(code).stdout == "['Landlock']\n"


def test_what_is_in_force_is_said() -> None:
    [found] = check_sandbox()
    assert found.verdict == "ok"
    assert "no network" in found.finding


def test_what_is_not_in_force_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "run_task", lambda *_, **__: b'["no network"]')
    [found] = check_sandbox()
    assert (found.verdict, "no programs" in found.finding) == ("look", True)
    monkeypatch.setattr(sandbox, "run_task", lambda *_, **__: b"")
    assert [one.verdict for one in check_sandbox()] == ["fault"]
