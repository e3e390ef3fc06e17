"""The list of system calls that a task may make, enforced by a seccomp filter. An unlisted call fails with ENOSYS, so
that a library falls back to another call, and is reported. A listed call with a harmful argument fails with EPERM."""

import ctypes
import errno
import fcntl
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterator

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)

# Each call with its numbers on x86-64 and on ARM64; - where the call does not exist.
_ALLOWED = """
    read 0 63, readv 19 65, pread64 17 67, preadv 295 69, write 1 64, writev 20 66, close 3 57, lseek 8 62
    dup 32 23, dup3 292 24, fadvise64 221 223, getdents 78 -, getdents64 217 61, getcwd 79 17
    stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, readlink 89 -, readlinkat 267 78
    access 21 -, faccessat 269 48, faccessat2 439 439, poll 7 -, ppoll 271 73
    brk 12 214, mmap 9 222, mprotect 10 226, mremap 25 216, munmap 11 215, madvise 28 233
    futex 202 98, set_robust_list 273 99, rseq 334 293
    sched_yield 24 124, sched_getaffinity 204 123, getcpu 309 168, exit 60 93, exit_group 231 94
    rt_sigprocmask 14 135, rt_sigreturn 15 139, sigaltstack 131 132, restart_syscall 219 128
    nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169
    time 201 -, times 100 153, getitimer 36 102, getrandom 318 278, uname 63 160, sysinfo 99 179
    getrusage 98 165, getrlimit 97 163, getpriority 140 141, getpid 39 172, gettid 186 178, getppid 110 173
    getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getgroups 115 158
"""
# Libraries replace these calls by older ones if they are missing, so they are refused and not counted.
_MISSING = "clone3 435 435, openat2 437 437"

# By machine: its number in linux/audit.h, and its column in the list above.
_MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
_INSTALL = {"x86_64": 317, "aarch64": 277}
# From here, call numbers on x86-64 belong to a second interface (x32), which no task may use.
_X32 = 0x4000_0000

_PR_SET_SECCOMP, _MODE_FILTER, _FLAG_NEW_LISTENER = 22, 2, 1 << 3
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD, _CLONE_NAMESPACES = 0x0001_0000, 0x7E02_0080
# Duplicating a descriptor, and reading or setting its flags, but no command that directs its signals.
_FCNTL = (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC)
# Testing for a terminal (TCGETS, TIOCGWINSZ), and closing a file when a program starts (FIOCLEX).
_IOCTL = (0x5401, 0x5413, 0x5451)
# The names of a thread (PR_SET_NAME, PR_GET_NAME) and of its memory (PR_SET_VMA).
_PRCTL = (15, 16, 0x53564D41)

_LOAD, _IF_EQUAL, _IF_FROM, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _TELL, _REFUSE, _KILL = 0x7FFF_0000, 0x7FC0_0000, 0x0005_0000, 0x8000_0000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16

_Instruction = tuple[int, int, int, int]
_ALLOW_CALL = (_RETURN, 0, 0, _ALLOW)
_REFUSE_CALL = (_RETURN, 0, 0, _REFUSE | errno.EPERM)
_LACK_CALL = (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)


def has_filters() -> bool:
    """Tell whether the kernel accepts filters, and this module has a filter for the machine."""
    if platform.machine() not in _MACHINES or sys.byteorder != "little":
        return False
    # A kernel with filters fails with EFAULT, since no program is given.
    _libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, None, 0, 0)
    return ctypes.get_errno() == errno.EFAULT


def restrict_calls(door: int) -> int | None:
    """Restrict this thread to the listed calls. Return a descriptor that reports other calls; None if that fails.

    The descriptor and the socket `door` must be closed before a task begins, since the descriptor can allow any call.
    """
    if not has_filters():
        return None
    machine = platform.machine()
    program = _Program(_filter(*_MACHINES[machine], os.getpid(), door, otherwise=_TELL))
    listener: int = _libc.syscall(_INSTALL[machine], 1, ctypes.c_ulong(_FLAG_NEW_LISTENER), program.address)
    if listener >= 0:
        return listener
    # A container's runtime may already listen to calls, or forbid that: then no call is reported.
    program = _Program(_filter(*_MACHINES[machine], os.getpid(), door, otherwise=_REFUSE | errno.ENOSYS))
    if _libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, program.address, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "The kernel refuses the filter of system calls")
    return None


class _Program:
    def __init__(self, instructions: Iterator[_Instruction]) -> None:
        code = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
        self._code = ctypes.create_string_buffer(code, len(code))
        self._header = ctypes.create_string_buffer(struct.pack("HP", len(code) // 8, ctypes.addressof(self._code)))
        self.address = ctypes.c_void_p(ctypes.addressof(self._header))


def _filter(machine: int, column: int, pid: int, door: int, *, otherwise: int) -> Iterator[_Instruction]:
    yield (_LOAD, 0, 0, _MACHINE)
    yield (_IF_EQUAL, 1, 0, machine)
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_IF_FROM, 0, 1, _X32)
    yield _LACK_CALL
    for calls, decision in _decisions(pid, door).items():
        for number in _numbers(calls, column):
            yield (_IF_EQUAL, 0, len(decision), number)
            yield from decision
    yield (_RETURN, 0, 0, otherwise)


def _decisions(pid: int, door: int) -> dict[str, list[_Instruction]]:
    return {
        _ALLOWED: [_ALLOW_CALL],
        _MISSING: [_LACK_CALL],
        # A file may only be opened for reading, a thread may be started but no process, and no alarm handler changed.
        "open 2 -": _allow_without_bits(1, _WRITING),
        "openat 257 56": _allow_without_bits(2, _WRITING),
        "clone 56 220": _allow_without_bits(0, _CLONE_NAMESPACES, needed=_CLONE_THREAD),
        "rt_sigaction 13 134": _refuse_value(0, signal.SIGALRM),
        # A task may only limit and signal its own process.
        "prlimit64 302 261": _allow_values(0, (0,)),
        "kill 62 129, tkill 200 130, tgkill 234 131": _allow_values(0, (pid,)),
        "fcntl 72 25": _allow_values(1, _FCNTL),
        "ioctl 16 29": _allow_values(1, _IOCTL),
        "prctl 157 167": _allow_values(0, _PRCTL),
        "sendmsg 46 211": _allow_values(0, (door,)),
    }


def _load(argument: int) -> _Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)


def _allow_values(argument: int, values: tuple[int, ...]) -> list[_Instruction]:
    decision = [_load(argument)]
    for value in values:
        decision += [(_IF_EQUAL, 0, 1, value), _ALLOW_CALL]
    return [*decision, _REFUSE_CALL]


def _refuse_value(argument: int, value: int) -> list[_Instruction]:
    return [_load(argument), (_IF_EQUAL, 0, 1, value), _REFUSE_CALL, _ALLOW_CALL]


def _allow_without_bits(argument: int, bits: int, *, needed: int = 0) -> list[_Instruction]:
    decision = [_load(argument), (_IF_ANY_BIT, 0, 1, bits), _REFUSE_CALL]
    if needed:
        decision += [(_IF_ANY_BIT, 1, 0, needed), _REFUSE_CALL]
    return [*decision, _ALLOW_CALL]


def _numbers(calls: str, column: int) -> Iterator[int]:
    for call in calls.replace("\n", ",").split(","):
        columns = call.split()
        if columns and columns[1 + column] != "-":
            yield int(columns[1 + column])


# linux/seccomp.h: a notification has 80 bytes, beginning with its id, with the call's number at byte 16.
_RECEIVE, _SEND = 0xC050_2100, 0xC018_2101
_NOTIFICATION_BYTES, _CALL_AT = 80, 16


def refuse_unlisted_call(listener: int) -> int:
    """Refuse an unlisted call with ENOSYS, and return the call's number. Raises OSError if the task has ended."""
    notification = bytearray(_NOTIFICATION_BYTES)
    fcntl.ioctl(listener, _RECEIVE, notification)
    (identifier,) = struct.unpack_from("=Q", notification)
    (number,) = struct.unpack_from("=i", notification, _CALL_AT)
    fcntl.ioctl(listener, _SEND, struct.pack("=QqiI", identifier, 0, -errno.ENOSYS, 0))
    return int(number)
