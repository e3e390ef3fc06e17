"""Checks of a sheet's headings: known, repeated, missing."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from openpyxl.utils import get_column_letter

from formation_portal.contract.localisation import gettext, in_quotes, join_list
from formation_portal.contract.schema import FormSchema

from ..draft import Draft
from .columns import KIND, Key, columns, keys_by_heading, kind_choices
from .grid import SheetRefused, normalized_heading
from .template import template_columns

_MAX_SHOWN = 12


def check_headings(draft: Draft, found: Sequence[str]) -> None:
    """Raises SheetRefused where the headings are unknown, repeated, or lack the kind or the roles."""
    known = keys_by_heading(draft.schema)
    keys = [known.get(normalized_heading(heading)) for heading in found]
    heads = {column.key: column.heading for column in columns(draft.schema)}
    if not any(keys):
        expected = _quoted([*heads.values()][:3])
        words = gettext("Keep the headings in the first row as they are in our spreadsheet, such as {expected}")
        raise SheetRefused(words.format(expected=expected))
    doubled = (key for key, times in Counter(key for key in keys if key is not None).items() if times > 1)
    for key in doubled:
        places = join_list([get_column_letter(at) for at, one in enumerate(keys, start=1) if one == key])
        words = gettext("Keep only one column called “{heading}”. Columns {places} have the same heading")
        raise SheetRefused(words.format(heading=heads[key], places=places))
    _check_kind_and_roles(draft, set(keys))


def _check_kind_and_roles(draft: Draft, keys: set[Key | None]) -> None:
    asked = [section for section in draft.schema.role_sections if draft.form_state.section_activation(section).active]
    heads = {column.key: column.heading for column in columns(draft.schema)}
    if KIND not in keys and len(kind_choices(asked)) > 1:
        raise SheetRefused(gettext("Add the missing column “{heading}”", heading=heads[KIND]))
    roles = [(section.role or "", "", "") for section in asked]
    if len(roles) > 1 and not keys.intersection(roles):
        missing = _quoted(heads[key] for key in roles)
        raise SheetRefused(gettext("Add the missing role columns: {missing}", missing=missing))


def unknown_headings(schema: FormSchema, found: Sequence[str]) -> tuple[str, ...]:
    """The headings that the form does not have; their columns are not read."""
    known = keys_by_heading(schema)
    return tuple(heading.strip() for heading in found if heading.strip() and normalized_heading(heading) not in known)


def missing_headings(draft: Draft, found: Sequence[str], *, kinds: Collection[str]) -> tuple[str, ...]:
    """The headings of required answers of these kinds that have no column."""
    known = keys_by_heading(draft.schema)
    there = {known.get(normalized_heading(heading)) for heading in found}
    absent = (one.column for one in template_columns(draft) if one.column.is_needed and one.column.key not in there)
    return tuple(column.heading for column in absent if any(one.kind in kinds for one in column.asked_in))


def quoted_headings(found: Sequence[str]) -> str:
    """Headings in a sentence, shortened where there are very many."""
    return _quoted(found[:_MAX_SHOWN]) + (" …" if len(found) > _MAX_SHOWN else "")


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(map(in_quotes, words))
