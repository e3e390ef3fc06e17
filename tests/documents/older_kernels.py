"""Kernels that lack a call, made of this one: a filter of our own refuses the call to this process and its children."""

import ctypes
import errno
import subprocess
import sys
from pathlib import Path

from formation_portal.documents import confinement, system_calls

PROJECT = Path(__file__).resolve().parents[2]
LANDLOCK = 444


def forbid(call: int) -> None:
    """Refuse a system call to this process from now on, as a kernel does that has not got it."""
    program = system_calls._Program(
        iter(
            (
                (system_calls._LOAD, 0, 0, system_calls._NUMBER),
                (system_calls._IF_EQUAL, 0, 1, call),
                (system_calls._RETURN, 0, 0, system_calls._REFUSE | errno.ENOSYS),
                (system_calls._RETURN, 0, 0, system_calls._ALLOW),
            )
        )
    )
    libc = confinement._libc
    assert libc.prctl(confinement._PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    if libc.prctl(system_calls._PR_SET_SECCOMP, system_calls._MODE_FILTER, program.address, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "The filter was refused")


def run_without_landlock(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    lines = f"from tests.documents.older_kernels import forbid; forbid({LANDLOCK})\n{code}"
    command = [sys.executable, "-c", lines]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
