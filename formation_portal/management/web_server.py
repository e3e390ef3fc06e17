"""The web server that `manage.py serve` starts: gunicorn, with the portal's settings."""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]  # gunicorn has no types

from formation_portal.gateway.catalog import catalog
from formation_portal.gateway.errors import GatewayError

from . import memory

# Heartbeats only; on a disk they could stall the worker.
_MEMORY = Path("/dev/shm")  # noqa: S108

log = logging.getLogger(__name__)


class WebServer(BaseApplication):  # type: ignore[misc]  # of an untyped class
    """Serves the portal at an address, in a process of its own."""

    def __init__(self, *, host: str, port: int) -> None:
        # Loading the application reads the names of the static files, which must have been collected by then.
        from formation_portal.wsgi import application

        self._application = application
        self._settings: Mapping[str, Any] = {
            "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            "worker_class": "gthread",
            # Pages are short work; threads wait for files and for the relay's first answer.
            "threads": 8,
            # An upload over a slow line.
            "timeout": 120,
            "graceful_timeout": 10,
            "loglevel": "warning",
            "control_socket_disable": True,
            "worker_tmp_dir": str(_MEMORY) if _MEMORY.is_dir() else None,
            "post_worker_init": _warm_up,
        }
        super().__init__()

    def load_config(self) -> None:
        """Gunicorn asks for its settings."""
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIHandler:
        """Gunicorn asks for what it serves."""
        return self._application


def _warm_up(_worker: Any) -> None:
    """Read the catalog before the first visitor asks for it, without keeping anybody waiting."""
    memory.set_aside_what_stays()
    threading.Thread(target=_read_catalog, daemon=True).start()


def _read_catalog() -> None:
    try:
        catalog()
    except GatewayError as error:
        log.warning("No catalog yet: %s", error)
