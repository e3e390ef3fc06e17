"""Search a PDF for active and hidden content with qpdf, which reads objects as a viewer does.

Links, form fields, signatures and actions that only open a page are allowed: they do nothing by themselves.
"""

import io
import re
from collections.abc import Iterator
from typing import Any

import pikepdf

from .findings import MAX_PAGES, FindingCode

# The deepest nesting of containers within an object; honest files have a handful of levels.
_MAX_DEPTH = 100
# A stream with more filters is probably meant to expand without end.
_MAX_FILTERS = 3

# The kinds of actions, annotations and media that do something.
_ACTIVE_KINDS = frozenset(
    {
        *("/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/Rendition", "/GoToE", "/GoTo3DView"),
        *("/RichMediaExecute", "/RichMedia", "/3D", "/Movie", "/Sound", "/Screen", "/U3D", "/PRC"),
    }
)
# An object without any of these names needs no closer look; qpdf always writes a name the same way.
_TELLING = re.compile(
    rb"/(?:JS|AA|EF|XFA|URI|FileAttachment|EmbeddedFile|Collection|Filter"
    rb"|" + b"|".join(name[1:].encode() for name in _ACTIVE_KINDS) + rb")(?![^\s/<>\[\]()])"
)
# The bytes with which scanners pad a file at its end.
_PADDING = b"\0 \t\r\n"
# Warnings of qpdf about faults that two viewers may read differently. Other warnings, as of a wrong count or a missing
# entry, are about slips of honest programs.
_GUESSED = re.compile("recover|endstream|duplicated key|loop|damaged", re.IGNORECASE)
_SCRIPT_ADDRESS = re.compile(rb"\s*(?:javascript|vbscript|data):", re.IGNORECASE)


def judge_pdf(content: bytes) -> frozenset[FindingCode]:
    """Return the reasons to refuse the file. Raises the errors of pikepdf for a broken file."""
    try:
        # Without recovery, since each viewer would guess in its own way.
        with pikepdf.open(io.BytesIO(content.rstrip(_PADDING)), attempt_recovery=False, suppress_warnings=True) as pdf:
            if len(pdf.pages) > MAX_PAGES:
                return frozenset({FindingCode.TOO_MANY_PAGES})
            codes: set[FindingCode] = set()
            if "/OpenAction" in pdf.Root and not _is_jump(pdf.Root.OpenAction):
                codes.add(FindingCode.ACTIVE)
            for pdf_object in pdf.objects:
                codes.update(_judge_object(pdf_object))
            if any(_GUESSED.search(str(warning)) for warning in pdf.get_warnings()):
                codes.add(FindingCode.UNREADABLE)
            return frozenset(codes)
    except pikepdf.PasswordError:
        return frozenset({FindingCode.PROTECTED})


def _judge_object(pdf_object: Any) -> Iterator[FindingCode]:
    container = pdf_object.stream_dict if isinstance(pdf_object, pikepdf.Stream) else pdf_object
    if isinstance(container, (pikepdf.Dictionary, pikepdf.Array)) and _TELLING.search(container.unparse(resolved=True)):
        for dictionary in _dictionaries(container):
            yield from _judge_dictionary(dictionary)


def _dictionaries(container: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the container, if it is a dictionary, and the dictionaries nested in it, but not in separate objects."""
    if depth > _MAX_DEPTH:
        raise ValueError("containers stand too deep in one another")
    parts = container
    if isinstance(container, pikepdf.Dictionary):
        yield container
        parts = container.values()
    for part in parts:
        if isinstance(part, (pikepdf.Dictionary, pikepdf.Array)) and not part.is_indirect:
            yield from _dictionaries(part, depth + 1)


def _judge_dictionary(dictionary: Any) -> Iterator[FindingCode]:
    kinds = {str(value) for name in ("/S", "/Subtype") if isinstance(value := dictionary.get(name), pikepdf.Name)}
    if "/JS" in dictionary or "/JavaScript" in dictionary or kinds & _ACTIVE_KINDS:
        yield FindingCode.ACTIVE
    if "/AA" in dictionary and not all(map(_is_jump, dictionary.AA.values())):
        yield FindingCode.ACTIVE
    if isinstance(url := dictionary.get("/URI"), pikepdf.String) and _SCRIPT_ADDRESS.match(bytes(url)):
        yield FindingCode.ACTIVE
    if "/FileAttachment" in kinds or "/EF" in dictionary or "/Collection" in dictionary:
        yield FindingCode.ATTACHMENT
    if dictionary.get("/Type") == "/EmbeddedFile":
        yield FindingCode.ATTACHMENT
    if "/XFA" in dictionary:
        yield FindingCode.XFA
    if isinstance(filters := dictionary.get("/Filter"), pikepdf.Array) and (
        len(filters) > _MAX_FILTERS or len({str(name) for name in filters}) < len(filters)
    ):
        yield FindingCode.TOO_HEAVY


def _is_jump(action: Any) -> bool:
    if not isinstance(action, pikepdf.Dictionary):
        return True
    follows: Any = action.get("/Next", [])
    if isinstance(follows, pikepdf.Dictionary):
        follows = [follows]
    return action.get("/S") in ("/GoTo", None) and all(map(_is_jump, follows))
