"""A worker as an operator starts it: a command of its own, on the databases of the test."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connections

from formation_portal.core.databases import SERVICE
from tests.management.served import PATIENCE, begin


@contextlib.contextmanager
def worker_process(command: str, **more: str) -> Iterator["subprocess.Popen[str]"]:
    urls = {"DATABASE_URL": _url("default"), "SERVICE_DATABASE_URL": _url(SERVICE)}
    process = begin(Path(settings.DATA_DIR), command, **urls, **more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def end(process: "subprocess.Popen[str]") -> None:
    """It was told to end, and does so in order."""
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said


def tell_to_end(process: "subprocess.Popen[str]") -> None:
    """While it is busy, so that it doesn't end yet."""
    process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    assert process.returncode is None


def _url(alias: str) -> str:
    database: dict[str, Any] = connections[alias].settings_dict
    if connections[alias].vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    return f"postgres://{database['USER']}@{quote(database['HOST'], safe='')}/{database['NAME']}"
