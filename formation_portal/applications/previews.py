"""Pictures of documents: the small one, kept from the upload on, and those of single pages, drawn when asked for."""

from typing import IO, cast

from formation_portal.papers.asking import CLOSE, LARGE, SMALL, look_at
from formation_portal.papers.findings import Findings

from .models import Document, Preview


def findings_of(document: Document) -> Findings:
    """What was found in it."""
    return Findings.read(document.findings)


def small_picture(document: Document) -> bytes:
    """The first page, small, as a JPEG; empty where there is none. One that isn't kept yet is drawn, and kept."""
    kept = Preview.objects.filter(document=document).first()
    if kept is not None:
        return bytes(kept.picture)
    picture = _drawn(document, side=SMALL)
    if picture:
        Preview.objects.get_or_create(document=document, defaults={"picture": picture})
    return picture


def page_picture(document: Document, page: int, *, is_close: bool = False) -> bytes:
    """One page, as large as a screen, or larger, to be looked at closely, as a JPEG; empty where it can't be drawn."""
    close = _drawn(document, side=CLOSE, page=page) if is_close else b""
    # A picture full of noise may be more than the sandbox hands out at that size.
    return close or _drawn(document, side=LARGE, page=page)


def _drawn(document: Document, *, side: int, page: int = 1) -> bytes:
    if not findings_of(document).can_be_shown:
        return b""
    try:
        with document.file.storage.open(str(document.file.name)) as file:
            return look_at(cast(IO[bytes], file), document.mime_type, side=side, page=page).picture
    except FileNotFoundError:
        return b""
