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
_NAMED = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")
# Every font has these; they are named where they stand with others.
_COMMON = frozenset(map(chr, range(0x20, 0x17F)))
_ROUNDS = 10


def typeset(content: bytes, *, source: str, fonts: str, made_at: int, is_accessible: bool) -> bytes:
    """The PDF of a record (JSON), as PDF/UA-1 where it `is_accessible`; or, as JSON, the characters that no font has.

    `source` is the path of the Typst file, `fonts` a folder of more fonts or nothing, `made_at` seconds since 1970.
    """
    said, found = json.loads(content), fonts_in(fonts)

    def compiled(said: Any) -> bytes:
        return bytes(
            typst.compile(
                Path(source).read_bytes(),
                sys_inputs={"record": json.dumps(said)},
                font_paths=found,
                pdf_standards=_ACCESSIBLE if is_accessible else None,
                timestamp=made_at,
            )
        )

    try:
        return compiled(said)
    except typst.TypstError as refused:
        return json.dumps("".join(sorted(_all_lost(said, refused, compiled)))).encode()


def fonts_in(folder: str) -> typst.Fonts:
    """Typst's own fonts, the system's, and those of the folder, if any."""
    return typst.Fonts(font_paths=[folder] if folder else [])


def everywhere(said: Any, change: Callable[[str], str]) -> Any:
    """The same JSON with every text changed."""
    if isinstance(said, str):
        return change(said)
    if isinstance(said, dict):
        return {name: everywhere(one, change) for name, one in said.items()}
    return [everywhere(one, change) for one in said] if isinstance(said, (list, tuple)) else said


def _all_lost(said: Any, refused: typst.TypstError, compiled: Callable[[Any], bytes]) -> frozenset[str]:
    """Every character that no font has: some are named at a time, so it is asked until no more are."""
    lost = _lost(refused)
    for _ in range(_ROUNDS):
        try:
            compiled(_without(said, lost))
        except typst.TypstError as again:
            if _lost(again) <= lost:
                break
            lost |= _lost(again)
        else:
            break
    return lost


def _without(said: Any, lost: Collection[str]) -> Any:
    """The same with a mark in the place of each lost character, to find out whether anything else is in the way."""
    marks = str.maketrans(dict.fromkeys(lost, "?"))
    return everywhere(said, lambda text: text.translate(marks)) if lost else said


def _lost(refused: typst.TypstError) -> frozenset[str]:
    named = (_ESCAPED.sub(lambda one: chr(int(one[1], 16)), text) for text in _NAMED.findall(refused.diagnostic))
    return frozenset(one for text in named for one in text if one not in _COMMON)
