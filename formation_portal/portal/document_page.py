"""What the page that shows one document shows: a page of it, the way to the others, and what may be amiss."""

from dataclasses import dataclass

from django.http import Http404
from django.urls import reverse

from formation_portal.applications.documents import findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.models import Document
from formation_portal.portal.advice import facts

from .advice import advice

# A4, which most pages of a PDF are.
_PAPER = (1240, 1754)


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One page of one document. `room` is whose addresses its links have: the portal's, or the desk's.

    `is_locked` where its customer can't replace it, since it was accepted.
    """

    draft: Draft
    document: Document
    page: int
    room: str
    is_locked: bool = False

    @property
    def holder(self) -> str:
        """Whom the document is about."""
        party = self.draft.party(self.document.party.token) if self.document.party else None
        return party.label if party else self.draft.title

    @property
    def facts(self) -> str:
        return facts(self.document)

    @property
    def advice(self) -> tuple[str, ...]:
        """What may be amiss with it; nothing is to be done about an earlier file or an accepted one."""
        if self.document.replaced_at or self.is_locked:
            return ()
        party = self.draft.party(self.document.party.token) if self.document.party else None
        return advice(self.draft, party, self.document)

    @property
    def can_be_shown(self) -> bool:
        """Whether there is a picture of it."""
        return findings_of(self.document).can_be_shown

    @property
    def pages(self) -> int:
        return findings_of(self.document).pages or 1

    @property
    def width(self) -> int:
        """How wide it is beside its height, so that the page keeps its place while the picture comes."""
        return findings_of(self.document).width or _PAPER[0]

    @property
    def height(self) -> int:
        return findings_of(self.document).height or _PAPER[1]

    @property
    def picture_url(self) -> str:
        return self._url("document_picture", self.page)

    @property
    def file_url(self) -> str:
        return self._url("document")

    @property
    def before_url(self) -> str:
        return self._url("document_page", self.page - 1) if self.page > 1 else ""

    @property
    def after_url(self) -> str:
        return self._url("document_page", self.page + 1) if self.page < self.pages else ""

    @property
    def back_url(self) -> str:
        """The list that the document stands in."""
        view = "desk:review" if self.room == "desk" else "portal:documents"
        return reverse(view, args=[self.draft.application.reference])

    def _url(self, view: str, *more: int) -> str:
        return reverse(f"{self.room}:{view}", args=[self.draft.application.reference, self.document.pk, *more])


def document_page(draft: Draft, document: Document, page: int, *, room: str = "portal") -> DocumentPage:
    """The page, or 404 for one that the document hasn't got."""
    is_locked = room == "portal" and locks_of(draft).has_document(document)
    found = DocumentPage(draft, document, page, room, is_locked=is_locked)
    if not 1 <= page <= found.pages:
        raise Http404
    return found
