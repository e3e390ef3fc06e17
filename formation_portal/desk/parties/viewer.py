"""The viewer of a party's documents: one page of one of them, and the ways to everything else."""

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
# So many page numbers stand on each side of the present one.
_NEAR = 2


@dataclass(frozen=True)
class Viewer:
    """The state of the viewer. `url` is the page's own address without a query; `is_open` says that the reader has
    opened the document, now or before."""

    documents: tuple[Document, ...]
    document: Document
    state: ViewerState
    url: str
    is_open: bool = False

    @property
    def file_facts(self) -> str:
        """1.4 MB, 2 pages, 20 November 2026."""
        return file_facts(self.document)

    @property
    def can_be_shown(self) -> bool:
        """Whether there is a picture of it."""
        return can_be_shown(self.document)

    @property
    def document_links(self) -> list[tuple[Document, str]]:
        """Every document that there is, in the order in which the form asks for them, and where it is looked at."""
        return [(one, self.url + self.state.for_document(one.pk).opening_query) for one in self.documents]

    @property
    def next_document(self) -> Document | None:
        """The document after this one."""
        following = self.documents[self.documents.index(self.document) + 1 :]
        return following[0] if following else None

    @property
    def pages(self) -> int:
        """How many it has."""
        return findings_of(self.document).pages or 1

    @property
    def page_words(self) -> str:
        """2 of 3."""
        return f"{self.state.page} of {self.pages}"

    @property
    def page_links(self) -> list[tuple[int, str, bool]]:
        """The first page, those around the present one, and the last: number, address, and whether pages are left out
        before it."""
        near = range(self.state.page - _NEAR, self.state.page + _NEAR + 1)
        shown = [page for page in range(1, self.pages + 1) if page in near or page in (1, self.pages)]
        return [
            (page, self.url + self.state.for_page(page).opening_query, page - before > 1)
            for before, page in zip([0, *shown], shown, strict=False)
        ]

    @cached_property
    def urls(self) -> dict[str, str]:
        """Where each control leads: open, larger, smaller, turned, before, after and next_document; empty where there
        is nothing to go to."""
        state, page = self.state, self.state.page
        looks = {
            "open": state,
            "larger": state.larger,
            "smaller": state.smaller,
            "turned": state.rotated,
            "before": state.for_page(page - 1) if page > 1 else None,
            "after": state.for_page(page + 1) if page < self.pages else None,
            "next_document": state.for_document(self.next_document.pk) if self.next_document else None,
        }
        return {name: self.url + look.opening_query if look else "" for name, look in looks.items()}

    @property
    def picture_url(self) -> str:
        """The picture of the page: drawn larger where it is shown larger, so that small print can be read."""
        named = [self.document.application.reference, self.document.pk, self.state.page]
        return reverse("desk:document_picture", args=named) + ("?size=close" if self.state.zoom > ZOOMS[0] else "")

    @property
    def size(self) -> tuple[int, int]:
        """How wide it is beside its height, so that the page keeps its place while the picture comes."""
        found = findings_of(self.document)
        return (found.width or _A4[0], found.height or _A4[1])

    @property
    def turned_size(self) -> tuple[int, int]:
        """The same once it is turned."""
        width, height = self.size
        return (height, width) if self.state.turn % 180 else (width, height)

    @property
    def turning(self) -> str:
        """How the picture is turned within its frame; empty where it stands upright."""
        width, height = self.size
        moved = {90: (height, 0), 180: (width, height), 270: (0, width)}.get(self.state.turn)
        return f"translate({moved[0]} {moved[1]}) rotate({self.state.turn})" if moved else ""


def viewer(documents: Sequence[Document], state: ViewerState, *, url: str) -> Viewer | None:
    """The viewer in this state, or at the first document where there is no such one; None without any document.

    A page that the document hasn't got is its first or last one.
    """
    chosen = next((one for one in documents if one.pk == state.document), None)
    document = chosen or next(iter(documents), None)
    if document is None:
        return None
    last = findings_of(document).pages or 1
    possible = state.for_page(min(state.page, last)) if chosen else state.for_document(document.pk)
    return Viewer(tuple(documents), document, possible, url)
