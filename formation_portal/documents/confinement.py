"""Takes from a process what a hostile file could use: network, programs, other processes, the disk and new rights.

Three layers, each as far as the kernel has it: a network namespace without any network, Landlock, which lets a process
read only below the folders named, and a seccomp filter, which refuses system calls. All three are kept by whatever the
process starts, and none can be taken off. Linux on x86-64 and ARM64; elsewhere only the limits of `sandbox_process`
hold. `manage.py doctor` says what is in force.
"""

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x0800_0000, 0x1000_0000, 0x4000_0000
_NOBODY = 65534

# Where libraries and the system's fonts are; a task may name more.
_PACKAGE = Path(__file__).resolve().parents[1]
_READABLE = (
    *(sys.prefix, sys.base_prefix, str(_PACKAGE), "/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache"),
    *("/etc/localtime", str(Path("~/.fonts").expanduser()), str(Path("~/.local/share/fonts").expanduser())),
)


def leave_network() -> None:
    """Move this process into namespaces of its own, where there is no network, as far as it may.

    Whoever isn't root needs a namespace of users for it, in which they have no rights outside.
    """
    spaces = _CLONE_NEWNET | _CLONE_NEWIPC | (0 if os.geteuid() == 0 else _CLONE_NEWUSER)
    _libc.unshare(spaces)


def confine(readable: Iterable[str]) -> None:
    """From now on: no network, no program, no process, nothing written, and nothing read but libraries, fonts and what
    is below these paths. What the kernel hasn't got is left out."""
    paths = [path for path in (*_READABLE, *readable) if path and Path(path).exists()]
    _become_nobody(paths)
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        _restrict_files(paths)
        _restrict_calls()


def _become_nobody(paths: Iterable[str]) -> None:
    """Root becomes nobody, unless nobody can't read what the task needs."""
    if os.geteuid() == 0 and all(_can_be_read_by_all(Path(path).resolve()) for path in paths):
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _can_be_read_by_all(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o4) and all(folder.stat().st_mode & 0o1 for folder in path.parents)


# linux/landlock.h; the numbers of the calls are the same on all machines.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_PATH_BENEATH = 1
# By version: how many rights over files there are, over connections, and what is kept to the process itself.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_FILE_RIGHTS, _NETWORK_SINCE, _SCOPE_SINCE = 16, 4, 6


def _restrict_files(paths: Iterable[str]) -> None:
    version = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    rights = (1 << _FILE_RIGHTS.get(version, _ALL_FILE_RIGHTS)) - 1
    handled = [rights, *([3] if version >= _NETWORK_SINCE else []), *([3] if version >= _SCOPE_SINCE else [])]
    wanted = struct.pack(f"={len(handled)}Q", *handled)
    rules = _libc.syscall(_CREATE_RULESET, wanted, ctypes.c_size_t(len(wanted)), 0)
    if rules < 0:
        return
    for path in paths:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = _READ_FILE | (_READ_DIR if Path(path).is_dir() else 0)
        rule = struct.pack("=Qi", allowed, opened)
        _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
        os.close(opened)
    _libc.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


# Refused altogether: each call with its number on x86-64 and on ARM64, as far as it has one there.
_CALLS = """
    socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242
    sendto 44 206, sendmsg 46 211, sendmmsg 307 269, recvfrom 45 207, recvmsg 47 212
    execve 59 221, execveat 322 281, fork 57 -, vfork 58 -, ptrace 101 117, kcmp 312 272
    process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440
    kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240
    pidfd_send_signal 424 424, pidfd_open 434 434, pidfd_getfd 438 438, setitimer 38 103, alarm 37 -
    mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, unshare 272 97, setns 308 268
    open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433
    mount_setattr 442 442, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, personality 135 92
    add_key 248 217, request_key 249 218, keyctl 250 219, init_module 175 105, finit_module 313 273
    delete_module 176 106, kexec_load 246 104, kexec_file_load 320 294, reboot 169 142, swapon 167 224
    swapoff 168 225, acct 163 89, syslog 103 116, io_uring_setup 425 425, io_uring_enter 426 426
    io_uring_register 427 427, memfd_create 319 279, memfd_secret 447 447
    open_by_handle_at 304 265, name_to_handle_at 303 264, creat 85 -, truncate 76 45, ftruncate 77 46
    fallocate 285 47, unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276
    mkdir 83 -, mkdirat 258 34, rmdir 84 -, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36
    mknod 133 -, mknodat 259 33, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452
    chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, utimensat 280 88
    setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7
    setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149
    setgroups 116 159, capset 126 91, shmget 29 194, shmat 30 196, msgget 68 186, semget 64 190, mq_open 240 180
"""
# The libraries fall back to an older call where the kernel hasn't got these.
_MISSING_CALLS = "clone3 435 435, openat2 437 437"
# The machine, its number in linux/audit.h, and the column above.
_MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
# The second way of calling on x86-64 begins here.
_X32 = 0x4000_0000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD = 0x0001_0000

_LOAD, _JUMP_EQUAL, _JUMP_FROM, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16

_Instruction = tuple[int, int, int, int]


def _restrict_calls() -> None:
    """By a filter that the kernel runs at each system call: what is refused ends with EPERM, as if a right lacked."""
    if platform.machine() not in _MACHINES or sys.byteorder != "little":
        return
    filtering = b"".join(struct.pack("=HBBI", *one) for one in _filter(*_MACHINES[platform.machine()]))
    instructions = ctypes.create_string_buffer(filtering, len(filtering))
    program = struct.pack("HP", len(filtering) // 8, ctypes.addressof(instructions))
    _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0)


def _filter(machine: int, column: int) -> Iterator[_Instruction]:
    yield (_LOAD, 0, 0, _MACHINE)
    yield (_JUMP_EQUAL, 1, 0, machine)
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_JUMP_FROM, 0, 1, _X32)
    yield (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)
    for calls, error in ((_CALLS, errno.EPERM), (_MISSING_CALLS, errno.ENOSYS)):
        for number in _numbers(calls, column):
            yield (_JUMP_EQUAL, 0, 1, number)
            yield (_RETURN, 0, 0, _REFUSE | error)
    # A file may be opened to read it; a thread be started, and no process; an alarm stays what it is.
    yield from _refuse_if("open 2 -", 1, _JUMP_ANY_BIT, _WRITING, column)
    yield from _refuse_if("openat 257 56", 2, _JUMP_ANY_BIT, _WRITING, column)
    yield from _refuse_if("rt_sigaction 13 134", 0, _JUMP_EQUAL, signal.SIGALRM, column)
    yield from _refuse_if("clone 56 220", 0, _JUMP_ANY_BIT, _CLONE_THREAD, column, unless=True)
    # Limits are this process's own.
    yield from _refuse_if("prlimit64 302 261", 0, _JUMP_EQUAL, 0, column, unless=True)
    yield (_RETURN, 0, 0, _ALLOW)


def _refuse_if(
    call: str, argument: int, test: int, value: int, column: int, *, unless: bool = False
) -> Iterator[_Instruction]:
    """Refuse a call where the test of one of its arguments holds; or, with `unless`, where it doesn't."""
    for number in _numbers(call, column):
        yield (_JUMP_EQUAL, 0, 4, number)
        yield (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)
        yield (test, 0, 1, value)
        yield (_RETURN, 0, 0, _ALLOW if unless else _REFUSE | errno.EPERM)
        yield (_RETURN, 0, 0, _REFUSE | errno.EPERM if unless else _ALLOW)


def _numbers(calls: str, column: int) -> Iterator[int]:
    for call in calls.replace("\n", ",").split(","):
        if (words := call.split()) and (number := words[1 + column]) != "-":
            yield int(number)
