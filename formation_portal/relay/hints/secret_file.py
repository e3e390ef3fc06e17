"""The secrets that the service signs its events with: what it told when we subscribed, and what a setting says."""

from pathlib import Path

from django.conf import settings

from formation_portal import secret_files

NAME = "portal-webhook-secret"


def known() -> tuple[str, ...]:
    """Every secret that counts, none being among them as little as an empty one."""
    return tuple(dict.fromkeys((*settings.WEBHOOK_SECRET.split(), *_told())))


def is_kept() -> bool:
    """Whether the service has told us one."""
    return bool(_told())


def keep(secret: str) -> None:
    """Take the place of the one before."""
    secret_files.replace(_path(), secret)


def _told() -> list[str]:
    try:
        return _path().read_text().split()
    except FileNotFoundError:
        return []


def _path() -> Path:
    return Path(settings.DATA_DIR) / NAME
