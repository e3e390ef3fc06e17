"""A data folder of its own, with the portal's real settings for its databases, and children forked from it."""

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

FORK = multiprocessing.get_context("fork")
Result = tuple[str, object]


def environment(folder: str | Path, **more: str) -> dict[str, str]:
    """The environment of a process that works in that folder."""
    return os.environ | {
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.durability.settings",
        "RELAY_WAIT_MS": "0",
        # How fast the relay may call is another campaign's matter.
        "RELAY_CALLS_PER_SECOND": "100000",
        "LOG_LEVEL": "CRITICAL",
        **more,
    }


@contextmanager
def portal(**more: str) -> Iterator[Path]:
    """Set up Django in an empty folder, with everything that `manage.py setup_portal` makes. Once a process."""
    with tempfile.TemporaryDirectory(prefix="durability-") as folder:
        os.environ.update(environment(folder, **more))
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections
        from django.urls import get_resolver

        call_command("setup_portal", verbosity=0, stdout=open(os.devnull, "w"))  # noqa: SIM115, PTH123
        # Loaded before any fork, instead of in each child.
        assert get_resolver().url_patterns
        connections.close_all()
        yield Path(folder)
        connections.close_all()


def start(work: Callable[..., None], *arguments: Any) -> ForkProcess:
    """A child that does the work with connections of its own. None may be open here."""
    child = FORK.Process(target=work, args=arguments)
    child.start()
    return child
