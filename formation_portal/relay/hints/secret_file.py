"""The secrets that the service signs its events with: what it told when we subscribed, and what a setting says."""

import os
import secrets
from pathlib import Path

from django.conf import settings

NAME = "portal-webhook-secret"


def known() -> tuple[str, ...]:
    """Every secret that counts, none being among them as little as an empty one."""
    return tuple(dict.fromkeys((*settings.WEBHOOK_SECRET.split(), *_told())))


def is_kept() -> bool:
    """Whether the service has told us one."""
    return bool(_told())


def keep(secret: str) -> None:
    """Take the place of the one before, whole or not at all. Nobody else on this machine can read it."""
    path = _path()
    unseen = path.with_name(f"{NAME}-{secrets.token_hex(8)}")
    with os.fdopen(os.open(unseen, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    unseen.replace(path)


def _told() -> list[str]:
    try:
        return _path().read_text().split()
    except FileNotFoundError:
        return []


def _path() -> Path:
    return Path(settings.DATA_DIR) / NAME
