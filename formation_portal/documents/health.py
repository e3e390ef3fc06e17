"""Whether strangers' files are opened in confinement, as `manage.py doctor` asks: by attempts within the sandbox."""

import errno
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from formation_portal.core.monitoring.checks import CheckResult, fault, look, ok

from . import malware, sandbox

_TASK = f"{__name__}:attempt_all"
_ANSWER_LIMIT = 1_000
# By Landlock, by an argument of a call, or because the call is not on the list.
_REFUSALS = (errno.EACCES, errno.EPERM, errno.ENOSYS)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _write() -> None:
    folder = Path("/tmp/sandbox-attempt")  # noqa: S108  # nosec B108: it is not meant to be made
    folder.mkdir()
    folder.rmdir()


# What a task must not be able to do, by what is said where it can't.
_ATTEMPTS: dict[str, Callable[[], object]] = {
    "no network": lambda: socket.socket().close(),
    "no programs": lambda: os.execv("/no-such-program", ["no"]),  # noqa: S606 - it is refused
    "no processes": _fork,
    "nothing written": _write,
    "nothing read but libraries and fonts": lambda: Path("/etc/passwd").read_bytes(),
    "no signals to others": lambda: os.kill(os.getppid(), 0),
}


def attempt_all(_content: bytes) -> bytes:
    """A task of the sandbox: what the kernel has refused to it."""
    return json.dumps([name for name, attempt in _ATTEMPTS.items() if _is_refused(attempt)]).encode()


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno in _REFUSALS
    return False


def check_sandbox() -> Iterator[CheckResult]:
    """Which confinement is in force where files are opened."""
    try:
        held = json.loads(sandbox.run_task(_TASK, b"", answer_limit=_ANSWER_LIMIT, is_trial=True) or b"null")
    except sandbox.SandboxBusy:
        yield look("Sandbox", "is busy with other files", "Ask again in a minute.")
        return
    if held is None:
        yield fault("Sandbox", "does not answer, so every upload is refused", "The log of the start may say why.")
    elif missing := [name for name in _ATTEMPTS if name not in held]:
        found = f"the kernel does not see to: {', '.join(missing)}"
        yield look("Sandbox", found, "Use Linux 5.13 or later on x86-64 or ARM64, with Landlock and seccomp.")
    else:
        yield ok("Sandbox", f"files are opened with {', '.join(held)}")


def check_scanner(url: str) -> Iterator[CheckResult]:
    """Whether the malware scanner at the URL answers, where there is one."""
    if not url:
        yield ok("Malware scanner", "none: files are judged by the sandbox alone")
    elif malware.ping(url):
        yield ok("Malware scanner", "answers")
    else:
        yield fault(
            "Malware scanner", "does not answer, so new files wait for it", "Start clamd, or correct CLAMD_URL."
        )
