"""The confinement of a process by a namespace without network, by Landlock, which allows reading only below named
folders, and by a list of system calls. Child processes inherit all three. Linux on x86-64 or ARM64 is required."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from . import system_calls

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)

_PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS = 8, 38
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x0800_0000, 0x1000_0000, 0x4000_0000
_NOBODY = 65534
# linux/capability.h: version 3 of the header, and the right to read and list the files of other users.
_CAPABILITY_VERSION, _READ_ALL = 0x2008_0522, 1 << 2

# The folders of libraries and of the system's fonts; a task may name more. The last two exist only for some users.
_PACKAGE = Path(__file__).resolve().parents[1]
_READABLE = (
    *(sys.prefix, sys.base_prefix, str(_PACKAGE), "/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache"),
    *("/etc/localtime", os.path.expanduser("~/.fonts"), os.path.expanduser("~/.local/share/fonts")),  # noqa: PTH111
)


def missing_layers() -> list[str]:
    """Return the names of confinement layers that this kernel lacks.

    The network namespace is not checked: without it, the list of system calls still keeps a task off the network.
    """
    layers = []
    if _landlock_version() < 1:
        layers.append("Landlock")
    if not system_calls.has_filters():
        layers.append("seccomp")
    return layers


def leave_network() -> None:
    """Move this process into its own namespaces, without network, as far as the kernel allows."""
    spaces = _CLONE_NEWNET | _CLONE_NEWIPC
    if os.geteuid() != 0:
        # Without root, a user namespace is needed too, which gives no rights outside it.
        spaces |= _CLONE_NEWUSER
    _libc.unshare(spaces)


def confine(readable: Iterable[str], door: int) -> int | None:
    """Forbid this process network, programs, processes, writing, and reading except libraries, fonts and these paths.

    Layers that the kernel lacks are left out. Returns the result of `system_calls.restrict_calls`.
    """
    paths = [path for path in (*_READABLE, *readable) if path]
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "The kernel does not keep new rights away")
    reads_paths_only = _restrict_files(paths)
    if os.geteuid() == 0:
        # Without Landlock, the right to read all files would have no limits, so the process does not keep it.
        _become_nobody(reads_all=reads_paths_only and not all(map(_can_be_read_by_all, paths)))
    return system_calls.restrict_calls(door)


def _become_nobody(*, reads_all: bool) -> None:
    """Turn root into the user nobody. With `reads_all` the process keeps the right to read other users' files."""
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    _libc.prctl(_PR_SET_KEEPCAPS, int(reads_all), 0, 0, 0)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    if reads_all:
        header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
        if _libc.capset(header, struct.pack("=6I", _READ_ALL, _READ_ALL, 0, 0, 0, 0)) != 0:
            raise OSError(ctypes.get_errno(), "The kernel keeps root's rights")


def _can_be_read_by_all(path: str) -> bool:
    try:
        target = Path(path).resolve()
        return bool(target.stat().st_mode & 0o4) and all(folder.stat().st_mode & 0o1 for folder in target.parents)
    except FileNotFoundError:
        return True
    except OSError:
        return False


# linux/landlock.h; the numbers of these calls are the same on all machines.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_PATH_BENEATH = 1
# The number of file rights, by Landlock version, and the versions that introduced network rights and scopes.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_FILE_RIGHTS, _NETWORK_SINCE, _SCOPE_SINCE = 16, 4, 6


def _landlock_version() -> int:
    """Return Landlock's version; a number below 1 if the kernel lacks Landlock or forbids the question."""
    return int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def _restrict_files(paths: Iterable[str]) -> bool:
    """Allow reading only below the paths that can be opened. Return False if the kernel has no Landlock."""
    version = _landlock_version()
    if version < 1:
        return False
    handled = [(1 << _FILE_RIGHTS.get(version, _ALL_FILE_RIGHTS)) - 1]
    if version >= _NETWORK_SINCE:
        handled.append(3)
    if version >= _SCOPE_SINCE:
        handled.append(3)
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    rules = _libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "The kernel makes no rules of Landlock")
    for path in paths:
        with suppress(OSError):
            _add_rule(rules, path)
    if _libc.syscall(_RESTRICT_SELF, rules, 0) != 0:
        raise OSError(ctypes.get_errno(), "The kernel does not hold to the rules of Landlock")
    os.close(rules)
    return True


def _add_rule(rules: int, path: str) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    allowed = _READ_FILE | (_READ_DIR if Path(path).is_dir() else 0)
    _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
    os.close(descriptor)
