"""Show one page of a party's document, with links to its other pages and documents."""

from collections.abc import Sequence
from functools import cached_property

from django.urls import reverse

from formation_portal.applications.documents import can_be_shown, findings_of
from formation_portal.applications.models import Document

from ..documents import ZOOMS, ViewerState

# A4, as most PDF pages are.
_A4 = (1240, 1754)
# The page links on each side of the present page.
_NEIGHBOURS = 2


class Viewer:
    """The viewer of a party's documents, at least one.

    Shows the first document if the state names no existing one, and the last page for any later page. `is_open` tells
    whether the reader has ever opened the document.
    """

    is_open = False

    def __init__(self, documents: Sequence[Document], state: ViewerState, *, url: str) -> None:
        self.documents = documents
        self.document = next((row for row in documents if row.pk == state.document), documents[0])
        if self.document.pk != state.document:
            state = state.for_document(self.document.pk)
        findings = findings_of(self.document)
        self.pages = findings.pages or 1
        self.state = state.for_page(min(state.page, self.pages))
        self.url = url
        self.can_be_shown = can_be_shown(self.document)
        self.page_words = f"{self.state.page} of {self.pages}"
        following = documents[documents.index(self.document) + 1 :]
        self.next_document = following[0] if following else None
        # Reserves the space of the picture while it loads.
        self.size = self.turned_size = (findings.width or _A4[0], findings.height or _A4[1])
        if self.state.turn % 180:
            self.turned_size = (self.size[1], self.size[0])

    @property
    def document_links(self) -> list[tuple[Document, str]]:
        """Return all documents, in the order of the form, each with its opening URL."""
        return [(row, self.url + self.state.for_document(row.pk).query(opens=True)) for row in self.documents]

    @property
    def page_links(self) -> list[tuple[int, str, bool]]:
        """Return links to the first, nearest and last pages: number, URL, and whether pages are left out before the
        link."""
        links = []
        before = 0
        for page in range(1, self.pages + 1):
            if abs(page - self.state.page) <= _NEIGHBOURS or page in (1, self.pages):
                links.append((page, self.url + self.state.for_page(page).query(opens=True), page - before > 1))
                before = page
        return links

    @cached_property
    def urls(self) -> dict[str, str]:
        """Return the URLs of the viewer's controls by name, without those that lead nowhere."""
        state = self.state
        states = {
            "open": state,
            "larger": state.zoomed(1),
            "smaller": state.zoomed(-1),
            "turned": state.rotated,
        }
        if state.page > 1:
            states["before"] = state.for_page(state.page - 1)
        if state.page < self.pages:
            states["after"] = state.for_page(state.page + 1)
        if self.next_document:
            states["next_document"] = state.for_document(self.next_document.pk)
        return {name: self.url + target.query(opens=True) for name, target in states.items() if target}

    @property
    def picture_url(self) -> str:
        """Return the URL of the page's picture, a larger picture where the reader has zoomed in."""
        args = [self.document.application.reference, self.document.pk, self.state.page]
        url = reverse("desk:document_picture", args=args)
        return f"{url}?size=close" if self.state.zoom > ZOOMS[0] else url

    @property
    def turning(self) -> str:
        """Return the SVG transformation that turns the picture in its frame; "" if upright."""
        width, height = self.size
        corners = {90: (height, 0), 180: (width, height), 270: (0, width)}
        if self.state.turn not in corners:
            return ""
        x, y = corners[self.state.turn]
        return f"translate({x} {y}) rotate({self.state.turn})"
