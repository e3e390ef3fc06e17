"""Files of strangers, made when they are needed: 120 that mean harm, and 60 that are as they should be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

PDF, JPEG, PNG = "application/pdf", "image/jpeg", "image/png"
# Stands where nothing of the file may go on: in no picture that we draw.
MARK = b"HOSTILE-MARK-7e1"


@dataclass(frozen=True, slots=True)
class Sample:
    """One upload as a browser, or somebody without one, sends it. `is_taken` where it is accepted and made harmless;
    `body` where the whole request's body is unusual, with its content type."""

    content: bytes = b""
    name: str = "passport.pdf"
    declared: str = PDF
    is_taken: bool = False
    body: tuple[str, bytes] | None = None


Samples = Mapping[str, Callable[[], Sample]]
