"""Show one page of a party's document, with links to its other pages and documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse

from formation_portal.applications.documents import can_be_shown, findings_of
from formation_portal.applications.models import Document
from formation_portal.ui.documents import file_facts

from ..documents import ZOOMS, ViewerState

# A4, which most pages of a PDF are.
_A4 = (1240, 1754)
# The page numbers on each side of the present one.
_NEIGHBOURS = 2


@dataclass(frozen=True)
class Viewer:
    """The viewer with its documents. `url` is the page's address without a query; `is_open` reports that the reader has
    opened the document, now or before."""

    documents: tuple[Document, ...]
    document: Document
    state: ViewerState
    url: str
    is_open: bool = False

    @property
    def file_facts(self) -> str:
        """Return "1.4 MB, 2 pages, 20 November 2026"."""
        return file_facts(self.document)

    @property
    def can_be_shown(self) -> bool:
        return can_be_shown(self.document)

    @property
    def document_links(self) -> list[tuple[Document, str]]:
        """Return all documents, in the order of the form, each with the URL that opens it."""
        return [
            (document, self.url + self.state.for_document(document.pk).opening_query) for document in self.documents
        ]

    @property
    def next_document(self) -> Document | None:
        following = self.documents[self.documents.index(self.document) + 1 :]
        return following[0] if following else None

    @property
    def pages(self) -> int:
        return findings_of(self.document).pages or 1

    @property
    def page_words(self) -> str:
        return f"{self.state.page} of {self.pages}"

    @property
    def page_links(self) -> list[tuple[int, str, bool]]:
        """Return the first page, those around the present one, and the last: number, URL, and whether pages are left
        out before it."""
        links = []
        before = 0
        for page in range(1, self.pages + 1):
            if abs(page - self.state.page) <= _NEIGHBOURS or page in (1, self.pages):
                links.append((page, self.url + self.state.for_page(page).opening_query, page - before > 1))
                before = page
        return links

    @cached_property
    def urls(self) -> dict[str, str]:
        """Return the URL of each control; "" where it leads nowhere."""
        state = self.state
        page = state.page
        states = {
            "open": state,
            "larger": state.larger,
            "smaller": state.smaller,
            "turned": state.rotated,
            "before": state.for_page(page - 1) if page > 1 else None,
            "after": state.for_page(page + 1) if page < self.pages else None,
            "next_document": state.for_document(self.next_document.pk) if self.next_document else None,
        }
        return {name: self.url + target.opening_query if target else "" for name, target in states.items()}

    @property
    def picture_url(self) -> str:
        """Return the URL of the page's picture: a larger one where it is enlarged, so that small print can be read."""
        args = [self.document.application.reference, self.document.pk, self.state.page]
        url = reverse("desk:document_picture", args=args)
        return f"{url}?size=close" if self.state.zoom > ZOOMS[0] else url

    @property
    def size(self) -> tuple[int, int]:
        """Return its width and height, which keep the place of the picture while it loads."""
        findings = findings_of(self.document)
        return (findings.width or _A4[0], findings.height or _A4[1])

    @property
    def turned_size(self) -> tuple[int, int]:
        width, height = self.size
        return (height, width) if self.state.turn % 180 else (width, height)

    @property
    def turning(self) -> str:
        """Return the SVG transformation that turns the picture within its frame; "" for an upright one."""
        width, height = self.size
        corners = {90: (height, 0), 180: (width, height), 270: (0, width)}
        if self.state.turn not in corners:
            return ""
        x, y = corners[self.state.turn]
        return f"translate({x} {y}) rotate({self.state.turn})"


def viewer(documents: Sequence[Document], state: ViewerState, *, url: str) -> Viewer | None:
    """Return the viewer in this state; at the first document where the state's does not exist, None without documents.

    After the last page of a document its last page is shown.
    """
    if not documents:
        return None
    for document in documents:
        if document.pk == state.document:
            last = findings_of(document).pages or 1
            return Viewer(tuple(documents), document, state.for_page(min(state.page, last)), url)
    return Viewer(tuple(documents), documents[0], state.for_document(documents[0].pk), url)
