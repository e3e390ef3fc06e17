"""What a PDF holds beside its pages: a part of the sandbox's inspection, never called anywhere else.

qpdf reads the objects as a viewer does: also those in compressed streams, and names however they are written. Links,
form fields, signatures and an action that opens the file at a page do nothing by themselves, and are no finding.
"""

import io
import re
from collections.abc import Iterator
from typing import Any

import pikepdf

from .findings import MAX_PAGES, FindingCode

# How deep containers may stand in one another within an object; honest ones have a handful.
_MAX_DEPTH = 100
# A stream packed more often is meant to unfold without end.
_MAX_FILTERS = 3

_DOING = frozenset(
    f"/{name}"
    for name in (
        *("JavaScript", "Launch", "SubmitForm", "ImportData", "Rendition", "Movie", "Sound", "GoToE", "GoTo3DView"),
        "RichMediaExecute",
    )
)
_MEDIA = frozenset({"/RichMedia", "/3D", "/Movie", "/Sound", "/Screen", "/U3D", "/PRC"})
# An object without any of these names needs no closer look; qpdf writes each name in one way.
_TELLING = re.compile(
    rb"/(?:JS|AA|EF|XFA|URI|FileAttachment|EmbeddedFile|Collection|Filter"
    rb"|" + b"|".join(name[1:].encode() for name in (*_DOING, *_MEDIA)) + rb")(?![^\s/<>\[\]()])"
)
# What scanners fill a file up with.
_PADDING = b"\0 \t\r\n"
# Of qpdf's warnings those after which two readers may see two files; others, of a wrong count or a missing entry, are
# about slips of honest programs.
_GUESSED = re.compile("recover|endstream|duplicated key|loop|damaged", re.IGNORECASE)
_SCRIPT_ADDRESS = re.compile(rb"\s*(?:javascript|vbscript|data):", re.IGNORECASE)


def judge_pdf(content: bytes) -> frozenset[FindingCode]:
    """Why the file is refused; nothing where there is no reason. Raises what pikepdf raises for a broken one."""
    try:
        # What a reader would have to guess, each would guess in its own way.
        with pikepdf.open(io.BytesIO(content.rstrip(_PADDING)), attempt_recovery=False, suppress_warnings=True) as pdf:
            if pdf.is_encrypted:
                return frozenset({FindingCode.PROTECTED})
            if len(pdf.pages) > MAX_PAGES:
                return frozenset({FindingCode.TOO_MANY_PAGES})
            found = {*_judge_root(pdf.Root), *(code for one in pdf.objects for code in _judge_object(one))}
            is_guessed = any(_GUESSED.search(str(warning)) for warning in pdf.get_warnings())
            return frozenset(found | ({FindingCode.UNREADABLE} if is_guessed else set()))
    except pikepdf.PasswordError:
        return frozenset({FindingCode.PROTECTED})


def _judge_root(root: Any) -> Iterator[FindingCode]:
    if "/OpenAction" in root and not _is_jump(root.OpenAction):
        yield FindingCode.ACTIVE


def _judge_object(one: Any) -> Iterator[FindingCode]:
    holder = one.stream_dict if isinstance(one, pikepdf.Stream) else one
    if isinstance(holder, (pikepdf.Dictionary, pikepdf.Array)) and _TELLING.search(holder.unparse(resolved=True)):
        for dictionary in _dictionaries(holder):
            yield from _judge_dictionary(dictionary)


def _dictionaries(holder: Any, depth: int = 0) -> Iterator[Any]:
    """The dictionary and those within it; what is an object of its own is looked at by itself."""
    if depth > _MAX_DEPTH:
        raise ValueError("containers stand too deep in one another")
    if isinstance(holder, pikepdf.Dictionary):
        yield holder
    parts = holder.values() if isinstance(holder, pikepdf.Dictionary) else holder
    for part in parts:
        if isinstance(part, (pikepdf.Dictionary, pikepdf.Array)) and not part.is_indirect:
            yield from _dictionaries(part, depth + 1)


def _judge_dictionary(one: Any) -> Iterator[FindingCode]:
    kinds = {str(value) for name in ("/S", "/Subtype") if isinstance(value := one.get(name), pikepdf.Name)}
    if "/JS" in one or "/JavaScript" in one or kinds & (_DOING | _MEDIA):
        yield FindingCode.ACTIVE
    if "/AA" in one and not all(map(_is_jump, one.AA.values())):
        yield FindingCode.ACTIVE
    if isinstance(address := one.get("/URI"), pikepdf.String) and _SCRIPT_ADDRESS.match(bytes(address)):
        yield FindingCode.ACTIVE
    if "/EF" in one or "/FileAttachment" in kinds or one.get("/Type") == "/EmbeddedFile" or "/Collection" in one:
        yield FindingCode.ATTACHMENT
    if "/XFA" in one:
        yield FindingCode.XFA
    if isinstance(filters := one.get("/Filter"), pikepdf.Array) and (
        len(filters) > _MAX_FILTERS or len({str(name) for name in filters}) < len(filters)
    ):
        yield FindingCode.TOO_HEAVY


def _is_jump(action: Any) -> bool:
    """Whether an action only opens another place of the same file."""
    if not isinstance(action, pikepdf.Dictionary):
        return True
    follows: Any = action.get("/Next", [])
    follows = [follows] if isinstance(follows, pikepdf.Dictionary) else follows
    return action.get("/S") in ("/GoTo", None) and all(map(_is_jump, follows))
