"""Read an uploaded file into a grid in the sandbox (`readers`), since it may be hostile, and check its headings."""

import fcntl
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext
from openpyxl.utils import get_column_letter

from formation_portal.contract.localisation import in_quotes, join_list
from formation_portal.contract.schema import FormSchema
from formation_portal.documents import sandbox

from ..draft import Draft
from .columns import KIND, Key, columns, keys_by_heading, kind_choices
from .grid import MAX_BYTES, MAX_CHARACTERS, Grid, SheetRefusal, SheetRefused, normalized_heading
from .template import template_columns

_TASK = "formation_portal.applications.imports.readers:read_file"
# In JSON a character takes up to six bytes; the syntax around the cells takes as much again.
_ANSWER_AT_MOST = 12 * MAX_CHARACTERS
# The most headings that a sentence lists.
_MAX_SHOWN = 12


def read_sheet(content: bytes, headings: Collection[str], *, account: int) -> Grid:
    """Read a file into a grid, one file per account at a time; `headings` are normalized. Raises SheetRefused."""
    if len(content) > MAX_BYTES:
        raise SheetRefused(SheetRefusal.TOO_LARGE, limit=MAX_BYTES // 1_000_000)
    with _one_at_a_time(account):
        try:
            answer = sandbox.run_task(_TASK, content, answer_limit=_ANSWER_AT_MOST, headings=sorted(headings))
        except sandbox.SandboxBusy as error:
            raise SheetRefused(SheetRefusal.ALL_BUSY) from error
    return _grid(answer)


def _grid(answer: bytes) -> Grid:
    """Parse the sandbox's answer, which a hostile file may have forged: anything but a grid is refused."""
    try:
        parsed = json.loads(answer)
        if "refused" not in parsed:
            return Grid.from_json(parsed)
        values = {str(name): int(value) for name, value in parsed["values"].items()}
        refused = SheetRefused(SheetRefusal(parsed["refused"]), **values)
        # The text must be complete with these values.
        assert refused.message
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SheetRefused(SheetRefusal.TOO_HEAVY) from None
    raise refused


@contextmanager
def _one_at_a_time(account: int) -> Iterator[None]:
    """Lock an account, so that it reads one sheet at a time on this machine. Raises SheetRefused."""
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


def check_headings(draft: Draft, headings: Sequence[str]) -> None:
    """Raise SheetRefused if the headings are unknown, repeated, or lack the kind or the roles."""
    by_heading = keys_by_heading(draft.schema)
    keys = [by_heading.get(normalized_heading(heading)) for heading in headings]
    heads = {column.key: column.heading for column in columns(draft.schema)}
    if not any(keys):
        expected = _quoted([*heads.values()][:3])
        message = gettext("Keep the headings in the first row as they are in our spreadsheet, such as {expected}")
        raise SheetRefused(message.format(expected=expected))
    letters: dict[Key, list[str]] = {}
    for place, key in enumerate(keys, start=1):
        if key is not None:
            letters.setdefault(key, []).append(get_column_letter(place))
    for key, places in letters.items():
        if len(places) > 1:
            message = gettext("Keep only one column called “{heading}”. Columns {places} have the same heading")
            raise SheetRefused(message.format(heading=heads[key], places=join_list(places)))
    sections = draft.active_role_sections
    if KIND not in keys and len(kind_choices(sections)) > 1:
        raise SheetRefused(gettext("Add the missing column “{heading}”").format(heading=heads[KIND]))
    roles = [(section.role or "", "", "") for section in sections]
    if len(roles) > 1 and not set(keys).intersection(roles):
        missing = _quoted(heads[key] for key in roles)
        raise SheetRefused(gettext("Add the missing role columns: {missing}").format(missing=missing))


def unknown_headings(schema: FormSchema, headings: Sequence[str]) -> tuple[str, ...]:
    """Return the headings that the form does not have; their columns are not read."""
    keys = keys_by_heading(schema)
    return tuple(text.strip() for text in headings if text.strip() and normalized_heading(text) not in keys)


def missing_headings(draft: Draft, headings: Sequence[str], *, kinds: Collection[str]) -> tuple[str, ...]:
    """Return the headings that the sheet lacks for answers required of these party kinds."""
    by_heading = keys_by_heading(draft.schema)
    keys = {by_heading.get(normalized_heading(heading)) for heading in headings}
    absent = (column for column in template_columns(draft) if column.is_needed and column.key not in keys)
    return tuple(column.heading for column in absent if any(place.kind in kinds for place in column.asked_in))


def quoted_headings(headings: Sequence[str]) -> str:
    return _quoted(headings[:_MAX_SHOWN]) + (" …" if len(headings) > _MAX_SHOWN else "")


def _quoted(headings: Iterable[str]) -> str:
    return ", ".join(map(in_quotes, headings))
