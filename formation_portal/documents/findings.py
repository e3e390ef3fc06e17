"""What was found in a file: facts for people to read, and codes for what speaks against it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import Any

PDF, JPEG, PNG = "application/pdf", "image/jpeg", "image/png"
_EXTENSIONS: Mapping[str, tuple[str, ...]] = {PDF: (".pdf",), JPEG: (".jpg", ".jpeg", ".jpe", ".jfif"), PNG: (".png",)}

# Of a PDF: more than anybody reads, or than a file of ten megabytes honestly has.
MAX_PAGES = 2_000


class FindingCode(StrEnum):
    """What may be wrong with a file. With those of REFUSED it is refused; all else is said as advice, and whoever knows
    better keeps the file."""

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


# In the order in which the first that applies is said. Files from before some of these were refused are still there.
REFUSED = (
    *(FindingCode.PROTECTED, FindingCode.HIDDEN_FILE, FindingCode.ACTIVE, FindingCode.XFA, FindingCode.ATTACHMENT),
    *(FindingCode.ANIMATED, FindingCode.TOO_MANY_PAGES, FindingCode.NO_PAGES, FindingCode.TOO_LARGE),
    *(FindingCode.TOO_HEAVY, FindingCode.UNREADABLE),
)

# Endings that name another type than the three: whoever opens such a file by its name would not see what we have seen.
_OTHER_TYPES = """
    html htm xhtml shtml mht mhtml xml svg svgz js mjs css json hta php asp aspx jsp cgi exe scr bat cmd msi msp ps1
    vbs vbe wsf jar dll lnk url reg sh bash py pl rb apk dmg pkg deb rpm iso img zip rar 7z gz tgz tar bz2 xz cab
    doc docx docm dot dotx dotm xls xlsx xlsm xlsb ppt pptx pptm odt ods odp rtf pages numbers txt csv md eml msg ps
    eps ai psd indd xps epub chm gif bmp tif tiff webp heic heif avif ico raw dng cr2 nef jp2 jxl mp3 mp4 mov avi
    mkv wav swf
"""
# No honest name has one of these before its ending.
_PROGRAMS = "html htm xhtml svg hta php asp aspx jsp exe scr bat cmd msi ps1 vbs jar lnk"


def names_another_type(name: str) -> bool:
    """Whether a file's name says that it is no PDF, JPEG or PNG: by its ending, or by one before it that only a program
    or a page has. Without an ending, and with one that is no type, it says nothing."""
    *before, last = (suffix[1:].strip().lower() for suffix in ("", *PurePath(name.rstrip(". ")).suffixes))
    return last in _OTHER_TYPES.split() or not set(_PROGRAMS.split()).isdisjoint(before)


@dataclass(frozen=True, slots=True)
class Findings:
    """`pages` of a PDF, `width` and `height` of a picture in pixels as it is seen, upright; 0 for what is unknown."""

    pages: int = 0
    width: int = 0
    height: int = 0
    codes: tuple[FindingCode, ...] = ()

    @classmethod
    def from_json(cls, kept: Any) -> "Findings":
        """What was kept, or has come from the sandbox: whatever can't be understood is left out."""
        kept = kept if isinstance(kept, Mapping) else {}
        numbers = {name: kept[name] for name in ("pages", "width", "height") if _is_count(kept.get(name))}
        said = kept.get("codes")
        codes = tuple(code for code in FindingCode if code in said) if isinstance(said, list | tuple) else ()
        return cls(**numbers, codes=codes)

    def to_json(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {"pages": self.pages, "width": self.width, "height": self.height, "codes": list(self.codes)}

    @property
    def refusal(self) -> FindingCode | None:
        """Why such a file is not taken."""
        return next((code for code in REFUSED if code in self.codes), None)

    @property
    def can_be_shown(self) -> bool:
        """Whether there is a picture of it."""
        return self.refusal is None

    def with_name_check(self, name: str, mime_type: str) -> "Findings":
        """The same, and whether the file's name claims another of the three types than its content has."""
        ending = PurePath(name).suffix.lower()
        is_misnamed = bool(ending) and ending not in _EXTENSIONS.get(mime_type, ())
        return self.also({FindingCode.MISNAMED} if is_misnamed else ())

    def also(self, codes: Collection[FindingCode]) -> "Findings":
        """The same with these codes, all of them in their order."""
        return replace(self, codes=tuple(code for code in FindingCode if code in self.codes or code in codes))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
