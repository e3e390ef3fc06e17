"""Has an uploaded file read into a grid in the sandbox, since anybody may have made it; the task is in `readers`."""

import fcntl
import json
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.conf import settings

from formation_portal.documents import sandbox

from .grid import MAX_BYTES, MAX_CHARACTERS, Grid, SheetRefusal, SheetRefused

_TASK = "formation_portal.applications.imports.readers:read_file"
# In JSON a character takes up to six bytes; the syntax around the cells takes as much again.
_ANSWER_AT_MOST = 12 * MAX_CHARACTERS


def read_sheet(content: bytes, headings: Collection[str], *, account: int) -> Grid:
    """The grid of a file. `headings` are those of the form, normalized. An account reads one file at a time.

    Raises SheetRefused for a file that is not a sheet, is too large, or takes too long to read.
    """
    if len(content) > MAX_BYTES:
        raise SheetRefused(SheetRefusal.TOO_LARGE, limit=MAX_BYTES // 1_000_000)
    with _one_at_a_time(account), tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            answer = sandbox.run_task(_TASK, file, answer_limit=_ANSWER_AT_MOST, headings=sorted(headings))
        except sandbox.SandboxBusy as error:
            raise SheetRefused(SheetRefusal.BUSY) from error
    return _grid(answer)


def _grid(answer: bytes) -> Grid:
    """Parse the sandbox's answer, which a hostile file may have forged: anything but a grid is refused."""
    try:
        said = json.loads(answer)
        if "refused" not in said:
            return Grid.from_json(said)
        refused = SheetRefused(
            SheetRefusal(said["refused"]), **{str(name): int(one) for name, one in said["values"].items()}
        )
        # The text must be complete with these values.
        assert refused.message
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SheetRefused(SheetRefusal.TOO_HEAVY) from None
    raise refused


@contextmanager
def _one_at_a_time(account: int) -> Iterator[None]:
    """A lock so that an account reads one sheet at a time on this machine. Raises SheetRefused."""
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
