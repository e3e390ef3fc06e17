"""The findings of an inspection: facts about a file, and codes of what is wrong with it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import Any

PDF, JPEG, PNG = "application/pdf", "image/jpeg", "image/png"
_EXTENSIONS: Mapping[str, tuple[str, ...]] = {PDF: (".pdf",), JPEG: (".jpg", ".jpeg", ".jpe", ".jfif"), PNG: (".png",)}

# Nobody reads more pages, and no honest PDF of ten megabytes has more.
MAX_PAGES = 2_000


class FindingCode(StrEnum):
    """A fault of a file. Codes in REFUSED make us refuse the file; other codes are advice."""

    ACTIVE = "active"
    ATTACHMENT = "attachment"
    XFA = "xfa"
    HIDDEN_FILE = "hidden_file"
    ANIMATED = "animated"
    TOO_MANY_PAGES = "too_many_pages"
    UNREADABLE = "unreadable"
    PROTECTED = "protected"
    NO_PAGES = "no_pages"
    TOO_LARGE = "too_large"
    TOO_HEAVY = "too_heavy"
    MISNAMED = "misnamed"
    FEW_PIXELS = "few_pixels"
    BLURRED = "blurred"
    BLANK = "blank"
    MANY_PAGES = "many_pages"
    LOCATION = "location"


# The first code that applies is shown. Older files with some of these codes are still stored.
REFUSED = (
    *(FindingCode.PROTECTED, FindingCode.HIDDEN_FILE, FindingCode.ACTIVE, FindingCode.XFA, FindingCode.ATTACHMENT),
    *(FindingCode.ANIMATED, FindingCode.TOO_MANY_PAGES, FindingCode.NO_PAGES, FindingCode.TOO_LARGE),
    *(FindingCode.TOO_HEAVY, FindingCode.UNREADABLE),
)

# Endings of other types: a program that opens a file by such a name would not show the inspected content. HEIC is
# none of them, since telephones keep that ending for pictures that they have made JPEG.
_OTHER_TYPES = """
    html htm xhtml shtml mht mhtml xml svg svgz js mjs css json hta php asp aspx jsp cgi exe scr bat cmd msi msp ps1
    vbs vbe wsf jar dll lnk url reg sh bash py pl rb apk dmg pkg deb rpm iso img zip rar 7z gz tgz tar bz2 xz cab
    doc docx docm dot dotx dotm xls xlsx xlsm xlsb ppt pptx pptm odt ods odp rtf pages numbers txt csv md eml msg ps
    eps ai psd indd xps epub chm gif bmp tif tiff webp avif ico raw dng cr2 nef jp2 jxl mp3 mp4 mov avi
    mkv wav swf
"""
# The endings of programs and web pages; no honest name has such an ending before its last one.
_PROGRAMS = "html htm xhtml svg hta php asp aspx jsp exe scr bat cmd msi ps1 vbs jar lnk"


def names_another_type(name: str) -> bool:
    """Tell whether a file name ends like another type, or has a program's ending before its last ending."""
    endings = [suffix[1:].strip().lower() for suffix in PurePath(name.rstrip(". ")).suffixes]
    if not endings:
        return False
    return endings[-1] in _OTHER_TYPES.split() or not set(_PROGRAMS.split()).isdisjoint(endings[:-1])


@dataclass(frozen=True, slots=True)
class Findings:
    """The number of a PDF's pages, the size in pixels of an upright picture (0: unknown), and the codes of faults."""

    pages: int = 0
    width: int = 0
    height: int = 0
    codes: tuple[FindingCode, ...] = ()

    @classmethod
    def from_json(cls, content: Any) -> "Findings":
        """Read findings from a row or from the sandbox. Leaves out all unknown members and codes."""
        content = content if isinstance(content, Mapping) else {}
        numbers = {name: content[name] for name in ("pages", "width", "height") if _is_count(content.get(name))}
        codes = content.get("codes")
        if not isinstance(codes, list | tuple):
            codes = ()
        return cls(**numbers).with_codes(codes)

    def to_json(self) -> dict[str, Any]:
        return {"pages": self.pages, "width": self.width, "height": self.height, "codes": list(self.codes)}

    @property
    def refusal(self) -> FindingCode | None:
        return next((code for code in REFUSED if code in self.codes), None)

    @property
    def can_be_shown(self) -> bool:
        return self.refusal is None

    def with_name_check(self, name: str, mime_type: str) -> "Findings":
        """Add MISNAMED if the ending of the file's name does not fit its content."""
        ending = PurePath(name).suffix.lower()
        if not ending or ending in _EXTENSIONS.get(mime_type, ()):
            return self.with_codes(())
        return self.with_codes({FindingCode.MISNAMED})

    def with_codes(self, codes: Collection[FindingCode]) -> "Findings":
        return replace(self, codes=tuple(code for code in FindingCode if code in self.codes or code in codes))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
