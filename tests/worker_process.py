"""A worker as an operator starts it: a command of its own, on the databases of the test."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connections

from formation_portal.core.databases import SERVICE

PROJECT = Path(__file__).resolve().parent.parent
PATIENCE = 60


@contextlib.contextmanager
def worker_process(command: str, **more: str) -> Iterator["subprocess.Popen[str]"]:
    clean = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    clean |= {"DATABASE_URL": _url("default"), "SERVICE_DATABASE_URL": _url(SERVICE)}
    clean |= {"DATA_DIR": str(settings.DATA_DIR)} | more
    arguments = [sys.executable, "manage.py", command]
    process = subprocess.Popen(
        arguments, cwd=PROJECT, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
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
