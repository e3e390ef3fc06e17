"""Sets a printed record as a tagged PDF, PDF/UA-1 wherever every character has a font, by Typst.

The source is one file of ours; what people typed reaches it as JSON and is never read as mark-up. A page of answers
takes a tenth of a second, a hundred people about a second; so it is set while its reader waits, and kept nowhere.
"""

import json
import logging
import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, Literal

import typst
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.contract.reading import LINES_LIMIT
from formation_portal.environment import PROJECT

from .printed import PrintedRecord

logger = logging.getLogger(__name__)

SOURCE = PROJECT / "templates/portal/record.typ"
_ACCESSIBLE: Literal["ua-1"] = "ua-1"
# What text may hold and no page can show: control characters, but for the end of a line.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
# How the setter names a text that it has no font for, and how a character in it is written.
_NAMED = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")
# Every font has these; they are named where they stand with others.
_COMMON = frozenset(map(chr, range(0x20, 0x17F)))
_ROUNDS = 10
# No answer that can be read is longer, with the codes of its characters; of one that can't, the beginning is enough.
_LONGEST = 10 * LINES_LIMIT


def typeset(record: PrintedRecord) -> bytes:
    """The PDF. Where no font has a character its code stands beside it, and the PDF promises less; it is always set."""
    try:
        return _compiled(record.as_json(), _ACCESSIBLE)
    except typst.TypstError as refused:
        lost = _all_lost(record, refused)
    return _compiled(record.with_codes(lost, warning=_warning()).as_json(), None)


def _all_lost(record: PrintedRecord, refused: typst.TypstError) -> frozenset[str]:
    """Every character that no font has: the setter names some at a time, so it is asked until it names no more."""
    lost = _lost(refused)
    for _ in range(_ROUNDS):
        try:
            _compiled(_without(record.as_json(), lost), _ACCESSIBLE)
        except typst.TypstError as again:
            if _lost(again) <= lost:
                # Without its words: they may name somebody.
                logger.error("A record could not be set as PDF/UA, and not for want of a font")
                break
            lost |= _lost(again)
        else:
            break
    return lost


def _compiled(said: dict[str, Any], standard: Literal["ua-1"] | None) -> bytes:
    return bytes(
        typst.compile(
            SOURCE.read_bytes(),
            sys_inputs={"record": json.dumps(_printable(said))},
            font_paths=fonts(),
            pdf_standards=standard,
            timestamp=int(timezone.now().timestamp()),
        )
    )


@cache
def fonts() -> typst.Fonts:
    """Typst's own fonts, the system's, and those of PDF_FONTS; looked for once a process."""
    return typst.Fonts(font_paths=[settings.PDF_FONTS] if settings.PDF_FONTS else [])


def _printable(said: Any) -> Any:
    """The same without what can't be shown: control characters stand as what was lost, ends of lines are one kind."""
    return _everywhere(said, lambda text: _CONTROLS.sub("\ufffd", "\n".join(_begun(text).splitlines())))


def _begun(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _everywhere(said: Any, change: Callable[[str], str]) -> Any:
    """The same with every text changed."""
    if isinstance(said, str):
        return change(said)
    if isinstance(said, dict):
        return {name: _everywhere(one, change) for name, one in said.items()}
    return [_everywhere(one, change) for one in said] if isinstance(said, (list, tuple)) else said


def _without(said: Any, lost: Collection[str]) -> Any:
    """The same with a mark in the place of each lost character, to find out whether anything else is in the way."""
    marks = str.maketrans(dict.fromkeys(lost, "?"))
    return _everywhere(said, lambda text: text.translate(marks)) if lost else said


def _lost(refused: typst.TypstError) -> frozenset[str]:
    """The characters that the setter says no font has; it names some at a time."""
    named = (_ESCAPED.sub(lambda one: chr(int(one[1], 16)), text) for text in _NAMED.findall(refused.diagnostic))
    return frozenset(one for text in named for one in text if one not in _COMMON)


def _warning() -> str:
    return gettext(
        "Some characters have no font here. Their codes stand beside them; the copy as JSON has every answer in full."
    )
