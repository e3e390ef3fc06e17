"""A file becomes a grid, by what it holds and not by what it is called.

Anybody may have made it, so it is opened in the sandbox: `read_sheet` asks, `read` is the task.
"""

import fcntl
import json
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.conf import settings

from formation_portal.papers import sandbox

from .grid import MAX_BYTES, MAX_CHARACTERS, Grid, SheetRefusal, SheetRefused

_TASK = "formation_portal.applications.imports.readers:read_file"
# In JSON a character takes six bytes at most; what stands around the cells is as much again.
_ANSWER_AT_MOST = 12 * MAX_CHARACTERS


def read_sheet(content: bytes, headings: Collection[str], *, account: int) -> Grid:
    """What the file says; `headings` are those that the form knows, plain. One at a time for an account.

    Raises SheetRefused for what is no sheet, too much of one, or takes too much to read.
    """
    if len(content) > MAX_BYTES:
        raise SheetRefused(SheetRefusal.TOO_LARGE, limit=MAX_BYTES // 1_000_000)
    with _one_at_a_time(account), tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            answer = sandbox.perform(_TASK, file, answer_limit=_ANSWER_AT_MOST, headings=sorted(headings))
        except sandbox.Busy as error:
            raise SheetRefused(SheetRefusal.BUSY) from error
    return _grid(answer)


def _grid(answer: bytes) -> Grid:
    """What has come from a process that a hostile file may have taken over is read with care, and never believed."""
    try:
        said = json.loads(answer)
        if "refused" not in said:
            return Grid.from_json(said)
        refused = SheetRefused(
            SheetRefusal(said["refused"]), **{str(name): int(one) for name, one in said["values"].items()}
        )
        # Its words ask for the numbers that go with them.
        assert refused.message
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SheetRefused(SheetRefusal.TOO_HEAVY) from None
    raise refused


@contextmanager
def _one_at_a_time(account: int) -> Iterator[None]:
    """One sheet of an account at a time, whichever process of this machine reads it. Raises SheetRefused."""
    path = settings.FILE_UPLOAD_TEMP_DIR / f"sheet-of-{account}"
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SheetRefused(SheetRefusal.BUSY) from error
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
