"""What was found in a file: facts for people to read, and codes for what speaks against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

PDF, JPEG, PNG = "application/pdf", "image/jpeg", "image/png"
_EXTENSIONS: Mapping[str, tuple[str, ...]] = {PDF: (".pdf",), JPEG: (".jpg", ".jpeg", ".jpe", ".jfif"), PNG: (".png",)}


class FindingCode(StrEnum):
    """What may be wrong with a file. It is said as advice: whoever knows better keeps the file."""

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


# With one of these there is nothing to show.
NOT_SHOWABLE = frozenset(
    {FindingCode.UNREADABLE, FindingCode.PROTECTED, FindingCode.NO_PAGES, FindingCode.TOO_LARGE, FindingCode.TOO_HEAVY}
)


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
    def can_be_shown(self) -> bool:
        """Whether there is a picture of it."""
        return not NOT_SHOWABLE.intersection(self.codes)

    def with_name_check(self, name: str, mime_type: str) -> "Findings":
        """The same, and whether the file's name claims another type than its content has."""
        ending = PurePath(name).suffix.lower()
        is_misnamed = bool(ending) and ending not in _EXTENSIONS.get(mime_type, ())
        codes = tuple(
            code for code in FindingCode if code in self.codes or (is_misnamed and code is FindingCode.MISNAMED)
        )
        return Findings(self.pages, self.width, self.height, codes)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
