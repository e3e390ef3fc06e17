"""Checks for `manage.py doctor`: that the sandbox refuses forbidden attempts, and that the malware scanner answers."""

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
# The errors by which Landlock refuses, and by which the filter refuses an argument and an unlisted call.
_REFUSALS = (errno.EACCES, errno.EPERM, errno.ENOSYS)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _write() -> None:
    folder = Path("/tmp/sandbox-attempt")  # noqa: S108  # nosec B108: it is not meant to be made
    folder.mkdir()
    folder.rmdir()


# Attempts that must fail in the sandbox, by the words that describe the protection.
_ATTEMPTS: dict[str, Callable[[], object]] = {
    "no network": lambda: socket.socket().close(),
    "no programs": lambda: os.execv("/no-such-program", ["no"]),  # noqa: S606 - it is refused
    "no processes": _fork,
    "nothing written": _write,
    "nothing read but libraries and fonts": lambda: Path("/etc/passwd").read_bytes(),
    "no signals to others": lambda: os.kill(os.getppid(), 0),
}


def attempt_all(_content: bytes) -> bytes:
    """Make all attempts, as a task of the sandbox, and return the names of the refused ones."""
    refused = []
    for name, attempt in _ATTEMPTS.items():
        try:
            attempt()
        except OSError as error:
            if error.errno in _REFUSALS:
                refused.append(name)
    return json.dumps(refused).encode()


def check_sandbox() -> Iterator[CheckResult]:
    try:
        refused = json.loads(sandbox.run_task(_TASK, b"", answer_limit=_ANSWER_LIMIT, is_trial=True) or b"null")
    except sandbox.SandboxBusy:
        yield look("Sandbox", "is busy with other files", "Ask again in a minute.")
        return
    if refused is None:
        yield fault("Sandbox", "does not answer, so every upload is refused", "The log of the start may say why.")
    elif missing := [name for name in _ATTEMPTS if name not in refused]:
        message = f"the kernel does not see to: {', '.join(missing)}"
        yield look("Sandbox", message, "Use Linux 5.13 or later on x86-64 or ARM64, with Landlock and seccomp.")
    else:
        yield ok("Sandbox", f"files are opened with {', '.join(refused)}")


def check_scanner(url: str) -> Iterator[CheckResult]:
    if not url:
        yield ok("Malware scanner", "none: files are judged by the sandbox alone")
    elif malware.ping(url):
        yield ok("Malware scanner", "answers")
    else:
        yield fault(
            "Malware scanner", "does not answer, so new files wait for it", "Start clamd, or correct CLAMD_URL."
        )
