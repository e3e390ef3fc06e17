"""Typesets a record as a PDF, by Typst: a task of the sandbox, never called anywhere else.

The source is one file of ours; what people typed reaches it as JSON and is never read as mark-up.
"""

import json
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Literal

import typst

_ACCESSIBLE: Literal["ua-1"] = "ua-1"
# How the typesetter names a text that it has no font for, and how a character in it is written.
_MISSING_TEXT = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")
# Every font has these; they are named where they stand with others.
_COMMON = frozenset(map(chr, range(0x20, 0x17F)))
_ROUNDS = 10


def typeset(content: bytes, *, source: str, fonts: str, logo: str, made_at: int, is_accessible: bool) -> bytes:
    """The PDF of a record (JSON), as PDF/UA-1 where it `is_accessible`; or, as JSON, the characters that no font has.

    `source` is the path of the Typst file, `fonts` a folder of more fonts or nothing, `logo` an SVG or PNG file or
    nothing, `made_at` seconds since 1970.
    """
    record, found = json.loads(content), fonts_in(fonts)
    picture = list(Path(logo).read_bytes()) if logo else []

    def compiled(record: Any) -> bytes:
        return bytes(
            typst.compile(
                Path(source).read_bytes(),
                sys_inputs={"record": json.dumps(record), "logo": json.dumps(picture)},
                font_paths=found,
                pdf_standards=_ACCESSIBLE if is_accessible else None,
                timestamp=made_at,
            )
        )

    try:
        return compiled(record)
    except typst.TypstError as refused:
        return json.dumps("".join(sorted(_all_missing(record, refused, compiled)))).encode()


def fonts_in(folder: str) -> typst.Fonts:
    """Typst's own fonts, the system's, and those of the folder, if any."""
    return typst.Fonts(font_paths=[folder] if folder else [])


def map_texts(record: Any, change: Callable[[str], str]) -> Any:
    """The same JSON with every text changed."""
    if isinstance(record, str):
        return change(record)
    if isinstance(record, dict):
        return {name: map_texts(one, change) for name, one in record.items()}
    return [map_texts(one, change) for one in record] if isinstance(record, (list, tuple)) else record


def _all_missing(record: Any, refused: typst.TypstError, compiled: Callable[[Any], bytes]) -> frozenset[str]:
    """Every character that no font has: some are named at a time, so it is asked until no more are."""
    missing = _missing_characters(refused)
    for _ in range(_ROUNDS):
        try:
            compiled(_with_marks(record, missing))
        except typst.TypstError as again:
            if _missing_characters(again) <= missing:
                break
            missing |= _missing_characters(again)
        else:
            break
    return missing


def _with_marks(record: Any, missing: Collection[str]) -> Any:
    """The same with a mark in the place of each lost character, to find out whether anything else is in the way."""
    marks = str.maketrans(dict.fromkeys(missing, "?"))
    return map_texts(record, lambda text: text.translate(marks)) if missing else record


def _missing_characters(refused: typst.TypstError) -> frozenset[str]:
    named = (_ESCAPED.sub(lambda one: chr(int(one[1], 16)), text) for text in _MISSING_TEXT.findall(refused.diagnostic))
    return frozenset(one for text in named for one in text if one not in _COMMON)
