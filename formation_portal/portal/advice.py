"""What may be amiss with a file, in words that say what to do. Nobody has to: whoever knows better keeps the file."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from formation_portal.applications.documents import expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import figure
from formation_portal.papers.findings import Code

from . import moments

_WORDS: Mapping[Code, object] = {
    Code.UNREADABLE: gettext_lazy("We can’t open this file. It may be damaged. Upload it again, or keep it."),
    Code.PROTECTED: gettext_lazy("This PDF needs a password. Upload one without a password, or keep it."),
    Code.NO_PAGES: gettext_lazy("This PDF has no pages. Upload another, or keep it."),
    Code.TOO_LARGE: gettext_lazy(
        "This picture has %(width)s × %(height)s pixels, too many to show. Upload a smaller one, or keep it."
    ),
    Code.TOO_HEAVY: gettext_lazy(
        "This file took too long to open. Upload a simpler one, or keep it if it opens for you."
    ),
    Code.MISNAMED: gettext_lazy(
        "The file name ends in “%(ending)s”, but the file is a %(type)s. If it is the right file, keep it."
    ),
    Code.FEW_PIXELS: gettext_lazy(
        "This picture is %(width)s × %(height)s pixels. Small print may be hard to read. Upload a "
        "larger one, or keep it."
    ),
    Code.BLURRED: gettext_lazy("This picture looks blurred. Upload a sharper one, or keep it."),
    Code.BLANK: gettext_lazy("The first page looks nearly blank. Upload the page with the text, or keep it."),
    Code.LOCATION: gettext_lazy(
        "This picture contains the location where it was taken, and we pass it on. Upload one without it, or keep it."
    ),
}
_TYPES = {"application/pdf": "PDF", "image/jpeg": "JPEG", "image/png": "PNG"}


def advice(draft: Draft, party: PartyRow | None, document: Document) -> tuple[str, ...]:
    """Everything that can be said of the file in a slot: what was found in it, and what answers say of it."""
    return (*_of_file(document), *_of_answers(draft, party, document.slot))


def _of_file(document: Document) -> Iterator[str]:
    found = findings_of(document)
    values = {
        "width": figure(found.width),
        "height": figure(found.height),
        "ending": PurePath(document.name).suffix,
        "type": _TYPES.get(document.mime_type, document.mime_type),
    }
    for code in found.codes:
        if code is Code.MANY_PAGES:
            yield ngettext(
                "This file has %(count)s page. Upload only the pages we ask for, or keep it.",
                "This file has %(count)s pages. Upload only the pages we ask for, or keep it.",
                found.pages,
            ) % {"count": figure(found.pages)}
        else:
            yield str(_WORDS[code]) % values


def _of_answers(draft: Draft, party: PartyRow | None, slot: str) -> Iterator[str]:
    for label, day in expired_dates(draft, party, slot):
        said = _("“%(label)s” is %(day)s, which is in the past. Upload a valid document, correct the date, or keep it.")
        yield said % {"label": label, "day": moments.day(day)}


def facts(document: Document) -> str:
    """1.4 MB, 2 pages, 20 November 2026."""
    pages = findings_of(document).pages
    counted = [ngettext("%(count)s page", "%(count)s pages", pages) % {"count": figure(pages)}] if pages else []
    return ", ".join((moments.size(document.size), *counted, moments.day(document.uploaded_at.date())))
