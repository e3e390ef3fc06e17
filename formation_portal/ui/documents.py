"""A document: its size and pages in words, advice about it, and the page that shows it."""

from collections.abc import Mapping
from pathlib import PurePath

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from formation_portal.applications.documents import can_be_shown, expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import format_number, ngettext
from formation_portal.documents.findings import FindingCode

from . import formats
from .pagination import PEOPLE_AT_ONCE

_WORDS: Mapping[FindingCode, object] = {
    FindingCode.UNREADABLE: gettext_lazy("We can’t open this file. It may be damaged. Upload it again, or keep it."),
    FindingCode.PROTECTED: gettext_lazy("This PDF needs a password. Upload one without a password, or keep it."),
    FindingCode.NO_PAGES: gettext_lazy("This PDF has no pages. Upload another, or keep it."),
    FindingCode.TOO_LARGE: gettext_lazy(
        "This picture has %(width)s × %(height)s pixels, too many to show. Upload a smaller one, or keep it."
    ),
    FindingCode.TOO_HEAVY: gettext_lazy(
        "This file took too long to open. Upload a simpler one, or keep it if it opens for you."
    ),
    FindingCode.MISNAMED: gettext_lazy(
        "The file name ends in “%(ending)s”, but the file is a %(type)s. If it is the right file, keep it."
    ),
    FindingCode.FEW_PIXELS: gettext_lazy(
        "This picture is %(width)s × %(height)s pixels. Small print may be hard to read. Upload a "
        "larger one, or keep it."
    ),
    FindingCode.BLURRED: gettext_lazy("This picture looks blurred. Upload a sharper one, or keep it."),
    FindingCode.BLANK: gettext_lazy("The first page looks nearly blank. Upload the page with the text, or keep it."),
    FindingCode.LOCATION: gettext_lazy(
        "This picture contains the location where it was taken, and we pass it on. Upload one without it, or keep it."
    ),
}
_TYPES = {"application/pdf": "PDF", "image/jpeg": "JPEG", "image/png": "PNG"}


def documents_url(draft: Draft, party: str, query: str = "") -> str:
    """Return the URL of the customer's list of documents; a long list opens at the party with the token `party`."""
    # The entity takes a row of the page too.
    is_long = len(draft.parties) >= PEOPLE_AT_ONCE
    parameters = [query]
    if party and is_long:
        parameters.insert(0, f"party={party}")
    url = reverse("portal:documents", args=[draft.application.reference])
    joined = "&".join(filter(None, parameters))
    return f"{url}?{joined}" if joined else url


def advice(draft: Draft, party: PartyRow | None, document: Document) -> tuple[str, ...]:
    """Return advice about a file, from the sandbox's findings and from answers on expiry dates."""
    findings = findings_of(document)
    values = {
        "width": format_number(findings.width),
        "height": format_number(findings.height),
        "ending": PurePath(document.name).suffix,
        "type": _TYPES.get(document.mime_type, document.mime_type),
    }
    sentences: list[str] = []
    for code in findings.codes:
        if code is FindingCode.MANY_PAGES:
            sentences.append(
                ngettext(
                    "This file has {count} page. Upload only the pages we ask for, or keep it.",
                    "This file has {count} pages. Upload only the pages we ask for, or keep it.",
                    findings.pages,
                )
            )
        elif code in _WORDS:
            sentences.append(str(_WORDS[code]) % values)
    past = gettext(
        "“%(label)s” is %(day)s, which is in the past. Upload a valid document, correct the date, or keep it."
    )
    for label, day in expired_dates(draft, party, document.slot):
        sentences.append(past % {"label": label, "day": formats.day(day)})
    return tuple(sentences)


def file_facts(document: Document) -> str:
    """Describe a file, like "1.4 MB, 2 pages, 20 November 2026"."""
    facts = [formats.file_size(document.size)]
    if pages := findings_of(document).pages:
        facts.append(ngettext("{count} page", "{count} pages", pages))
    facts.append(formats.day(document.uploaded_at))
    if not document.has_copy:
        facts.append(gettext("kept by the formation service"))
    return ", ".join(facts)


# A4 in pixels, the size of most PDF pages.
_PAPER = (1240, 1754)


class DocumentPage:
    """A page of a document, with URLs in the `room`: portal or desk. Raises Http404 if there is no such page."""

    def __init__(self, draft: Draft, document: Document, page: int, *, room: str = "portal") -> None:
        findings = findings_of(document)
        self.draft = draft
        self.document = document
        self.page = page
        self.pages = findings.pages or 1
        if not 1 <= page <= self.pages:
            raise Http404
        # In proportion, so that the page keeps its place while the picture loads.
        self.width = findings.width or _PAPER[0]
        self.height = findings.height or _PAPER[1]
        self.slot_words = draft.slot_words(document.slot)
        self.facts = file_facts(document)
        self.can_be_shown = can_be_shown(document)
        token = document.party.token if document.party else ""
        party = draft.party(token)
        self.holder = party.label if party else draft.title
        # An accepted file can't be replaced by its customer.
        is_locked = room == "portal" and locks_of(draft).has_document(document)
        self.advice: tuple[str, ...] = ()
        if not document.replaced_at and not is_locked:
            self.advice = advice(draft, party, document)
        self._room = room
        self.picture_url = self._url("document_picture", page)
        self.file_url = self._url("document")
        self.before_url = self._page_url(page - 1)
        self.after_url = self._page_url(page + 1)
        self.back_url = documents_url(draft, token)
        if room == "desk":
            self.back_url = reverse("desk:case", args=[draft.application.reference])

    def _page_url(self, page: int) -> str:
        """Return the URL of a page; "" before the first and after the last."""
        return self._url("document_page", page) if 1 <= page <= self.pages else ""

    def _url(self, view: str, *more: int) -> str:
        return reverse(f"{self._room}:{view}", args=[self.draft.application.reference, self.document.pk, *more])
