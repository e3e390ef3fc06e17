"""The task of the sandbox that typesets a record as a PDF with Typst. People's text is never read as mark-up."""

import json
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Literal

import typst

_ACCESSIBLE: Literal["ua-1"] = "ua-1"
# Typst's error for a text that no font can show, and its notation for a character in that text.
_MISSING_TEXT = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")
# Characters that every font has; Typst names them too if they stand beside missing ones.
_COMMON = frozenset(map(chr, range(0x20, 0x17F)))
_MAX_ROUNDS = 11


def typeset(content: bytes, *, source: str, fonts: str, logo: str, made_at: int, is_accessible: bool) -> bytes:
    """Typeset a record (JSON) as a PDF, or return, as JSON, the characters that no font has.

    `source` is the path of the Typst file, `fonts` a folder of more fonts or "", `logo` an SVG or PNG file or "",
    `made_at` the time in seconds since 1970. With `is_accessible` the PDF conforms to PDF/UA-1.
    """
    record = json.loads(content)
    picture = list(Path(logo).read_bytes()) if logo else []
    missing: frozenset[str] = frozenset()
    # Typst names only some of the missing characters at a time.
    for _ in range(_MAX_ROUNDS):
        try:
            pdf = typst.compile(
                Path(source).read_bytes(),
                sys_inputs={"record": json.dumps(record), "logo": json.dumps(picture)},
                font_paths=fonts_in(fonts),
                pdf_standards=_ACCESSIBLE if is_accessible else None,
                timestamp=made_at,
            )
        except typst.TypstError as error:
            named = _missing_characters(error)
            if named <= missing:
                break
            missing |= named
            record = _with_marks(record, missing)
        else:
            if missing:
                break
            return bytes(pdf)
    return json.dumps("".join(sorted(missing))).encode()


def fonts_in(folder: str) -> typst.Fonts:
    return typst.Fonts(font_paths=[folder] if folder else [])


def map_texts(record: Any, change: Callable[[str], str]) -> Any:
    if isinstance(record, str):
        return change(record)
    if isinstance(record, dict):
        return {name: map_texts(value, change) for name, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [map_texts(value, change) for value in record]
    return record


def _with_marks(record: Any, missing: Collection[str]) -> Any:
    """Replace the missing characters, so that the next compilation names further ones."""
    marks = str.maketrans(dict.fromkeys(missing, "?"))
    return map_texts(record, lambda text: text.translate(marks))


def _missing_characters(error: typst.TypstError) -> frozenset[str]:
    characters: set[str] = set()
    for text in _MISSING_TEXT.findall(error.diagnostic):
        characters.update(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))
    return frozenset(characters - _COMMON)
