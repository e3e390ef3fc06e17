"""Numbers as people type them in their language, and as a draft keeps them: one way, whatever language they come in.

A draft keeps 1,234.56. A page in German takes 1.234,56 for that and shows it so; one in French 1 234,56. What is no
number in the page's notation is kept as it was typed, and so is one that can only be meant in the other way, like 1.5
or 1,234.56 on a page in German.
"""

import re

from ..localisation import get_language, gettext
from .parsing import GROUPED_NUMBER, PLAIN_NUMBER, without_group_marks

# What stands between thousands where a comma begins the decimals.
_GROUP_MARKS = {"de": ".", "es": ".", "fr": "\u202f"}
_COMMA_NUMBER = re.compile(r"-?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?", re.ASCII)
# In French a point between digits is the one of the keypad's key, unless decimals or another point follow.
_FRENCH_NUMBER = re.compile(r"-?(\d{1,3}(\.\d{3}){2,}|\d{1,3}(\.\d{3})+(?=,)|\d+)(,\d+)?", re.ASCII)
# One mark with three digits behind it: decimals to some, and the thousands before it to others.
_POINT_AND_THREE = re.compile(r"(-?[1-9]\d{0,2})\.(\d{3})", re.ASCII)
_COMMA_AND_THREE = re.compile(r"(-?\d{1,3}),(?!000)(\d{3})", re.ASCII)


def normalised(text: str) -> str:
    """A number that was typed in the reader's notation, as a draft keeps it; anything else as it is."""
    if get_language() not in _GROUP_MARKS:
        return text
    own = _FRENCH_NUMBER if get_language() == "fr" else _COMMA_NUMBER
    # A narrow space that doesn't stand between thousands was only a slip of the thumb.
    if not own.fullmatch(without_group_marks(text)):
        return text.replace("\u202f", "") if _is_readable(text) else text
    turned = text.translate(str.maketrans(".,\u202f", ",.,"))
    return turned if _is_readable(turned) else text.replace("\u202f", "").translate(str.maketrans(".,", ",."))


def localised(text: str) -> str:
    """A number that a draft keeps, in the reader's notation; anything else as it is."""
    # Digits alone, and words, read the same everywhere.
    mark = None if not text or text.isalnum() else _GROUP_MARKS.get(get_language())
    if mark is None or not _is_readable(text):
        return text
    return text.translate(str.maketrans(".,", f",{mark}"))


def ambiguity_note(text: str) -> str:
    """How a kept number was read, where its only mark may have been meant the other way; else nothing.

    So nobody is off by a factor of a thousand without having been told. Three zeros behind a comma, which then stands
    between thousands, are no doubt: nobody writes decimals so.
    """
    bare = without_group_marks(text)
    if found := _POINT_AND_THREE.fullmatch(bare):
        return gettext(
            "We read this as {number}, with three decimals. If you mean a whole number, enter {whole}.",
            number=localised(bare),
            whole=int(found[1] + found[2]),
        )
    if found := _COMMA_AND_THREE.fullmatch(bare):
        return gettext("We read this as the whole number {whole}.", whole=int(found[1] + found[2]))
    return ""


def has_point_and_three(raw: object) -> bool:
    """Whether a kept text has a point with three digits behind it, as some write thousands."""
    return isinstance(raw, str) and bool(_POINT_AND_THREE.fullmatch(without_group_marks(raw)))


def _is_readable(text: str) -> bool:
    bare = without_group_marks(text)
    return bool(PLAIN_NUMBER.fullmatch(bare) or GROUPED_NUMBER.fullmatch(bare))
