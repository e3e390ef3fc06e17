"""Secrets that are files: whole or not there, whoever looks meanwhile, and for this user's eyes alone."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def kept(path: Path, make: Callable[[], str]) -> str:
    """What the file says. It is made on the first call; where several make it at once, all get the one that stays."""
    if not path.exists():
        with _written(path, make()) as unseen, suppress(FileExistsError):
            os.link(unseen, path)
    return path.read_text()


def replace(path: Path, secret: str) -> None:
    """Take the place of the one before."""
    with _written(path, secret) as unseen:
        unseen.replace(path)


@contextmanager
def _written(path: Path, secret: str) -> Iterator[Path]:
    """The secret on the disk, beside its place: under its own name somebody might read half of it."""
    unseen = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(unseen, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        yield unseen
    finally:
        unseen.unlink(missing_ok=True)
