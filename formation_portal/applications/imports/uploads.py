"""Takes in an uploaded file: it is read into a grid in the sandbox, since anybody may have made it, and its headings
are checked. The task of the sandbox is in `readers`.
"""

import fcntl
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext
from openpyxl.utils import get_column_letter

from formation_portal.contract.localisation import in_quotes, join_list
from formation_portal.contract.schema import FormSchema
from formation_portal.documents import sandbox

from ..draft import Draft
from .columns import KIND, columns, keys_by_heading, kind_choices
from .grid import MAX_BYTES, MAX_CHARACTERS, Grid, SheetRefusal, SheetRefused, normalized_heading
from .template import template_columns

_TASK = "formation_portal.applications.imports.readers:read_file"
# In JSON a character takes up to six bytes; the syntax around the cells takes as much again.
_ANSWER_AT_MOST = 12 * MAX_CHARACTERS
# More headings are not listed in a sentence.
_MAX_SHOWN = 12


def read_sheet(content: bytes, headings: Collection[str], *, account: int) -> Grid:
    """The grid of a file. `headings` are those of the form, normalized. An account reads one file at a time.

    Raises SheetRefused for a file that is not a sheet, is too large, or takes too long to read.
    """
    if len(content) > MAX_BYTES:
        raise SheetRefused(SheetRefusal.TOO_LARGE, limit=MAX_BYTES // 1_000_000)
    with _one_at_a_time(account):
        try:
            answer = sandbox.run_task(_TASK, content, answer_limit=_ANSWER_AT_MOST, headings=sorted(headings))
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


def check_headings(draft: Draft, found: Sequence[str]) -> None:
    """Raises SheetRefused where the headings are unknown, repeated, or lack the kind or the roles."""
    known = keys_by_heading(draft.schema)
    keys = [known.get(normalized_heading(heading)) for heading in found]
    heads = {column.key: column.heading for column in columns(draft.schema)}
    if not any(keys):
        expected = _quoted([*heads.values()][:3])
        words = gettext("Keep the headings in the first row as they are in our spreadsheet, such as {expected}")
        raise SheetRefused(words.format(expected=expected))
    for key, times in Counter(key for key in keys if key is not None).items():
        if times == 1:
            continue
        places = join_list([get_column_letter(at) for at, one in enumerate(keys, start=1) if one == key])
        words = gettext("Keep only one column called “{heading}”. Columns {places} have the same heading")
        raise SheetRefused(words.format(heading=heads[key], places=places))
    asked = [section for section in draft.schema.role_sections if draft.form_state.section_activation(section).active]
    if KIND not in keys and len(kind_choices(asked)) > 1:
        raise SheetRefused(gettext("Add the missing column “{heading}”").format(heading=heads[KIND]))
    roles = [(section.role or "", "", "") for section in asked]
    if len(roles) > 1 and not set(keys).intersection(roles):
        missing = _quoted(heads[key] for key in roles)
        raise SheetRefused(gettext("Add the missing role columns: {missing}").format(missing=missing))


def unknown_headings(schema: FormSchema, found: Sequence[str]) -> tuple[str, ...]:
    """The headings that the form does not have; their columns are not read."""
    known = keys_by_heading(schema)
    return tuple(heading.strip() for heading in found if heading.strip() and normalized_heading(heading) not in known)


def missing_headings(draft: Draft, found: Sequence[str], *, kinds: Collection[str]) -> tuple[str, ...]:
    """The headings of required answers of these kinds that have no column."""
    known = keys_by_heading(draft.schema)
    there = {known.get(normalized_heading(heading)) for heading in found}
    absent = (column for column in template_columns(draft) if column.is_needed and column.key not in there)
    return tuple(column.heading for column in absent if any(one.kind in kinds for one in column.asked_in))


def quoted_headings(found: Sequence[str]) -> str:
    """Headings in a sentence, shortened where there are very many."""
    return _quoted(found[:_MAX_SHOWN]) + (" …" if len(found) > _MAX_SHOWN else "")


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(map(in_quotes, words))
