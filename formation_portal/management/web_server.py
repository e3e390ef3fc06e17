"""Gunicorn's settings, as `--config python:formation_portal.management.web_server` reads them. Names are gunicorn's."""

import logging
import threading
from pathlib import Path
from typing import Any

from django.conf import settings

from formation_portal.environment import PROJECT

_MEMORY = Path("/dev/shm")  # noqa: S108  # heartbeats only; on a disk they could stall the worker

bind = (
    f"[{settings.ENV.host}]:{settings.ENV.port}"
    if ":" in settings.ENV.host
    else f"{settings.ENV.host}:{settings.ENV.port}"
)
chdir = str(PROJECT)
wsgi_app = "formation_portal.wsgi:application"
# Pages are short work; threads wait for files and for the relay's first answer.
worker_class = "gthread"
threads = 8
# An upload over a slow line.
timeout = 120
graceful_timeout = 10
loglevel = "warning"
control_socket_disable = True
worker_tmp_dir = str(_MEMORY) if _MEMORY.is_dir() else None


def post_worker_init(_worker: Any) -> None:
    """Read the catalog before the first visitor asks for it, without keeping anybody waiting."""
    threading.Thread(target=_warm_up, daemon=True).start()


def _warm_up() -> None:
    from formation_portal.gateway.catalog import catalog
    from formation_portal.gateway.errors import GatewayError

    try:
        catalog()
    except GatewayError as error:
        logging.getLogger(__name__).warning("No catalog yet: %s", error)
