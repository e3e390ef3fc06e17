"""Where somebody looks in the viewer: an address says it, and no address breaks it."""

import pytest
from django.http import QueryDict

from formation_portal.applications.models import Application, Document
from formation_portal.desk.documents import ViewerState
from formation_portal.desk.parties.viewer import Viewer


def document(number: int, *, pages: int = 1, **found: int) -> Document:
    application = Application(reference="FP-0000-0000-0000")
    findings = {"pages": pages, "width": 0, "height": 0, "codes": []} | found
    return Document(pk=number, application=application, slot=f"Paper {number}", findings=findings)


def shown(look: ViewerState, *documents: Document) -> Viewer:
    return Viewer(documents, look, url="/here/")


def test_an_address_says_where_one_looks_and_nothing_more() -> None:
    look = ViewerState(document=7, page=2, zoom=150, turn=90)
    assert ViewerState.read(QueryDict(look.query().removeprefix("?"))) == look
    assert ViewerState().query() == ""
    assert ViewerState(document=7).query() == "?document=7"


@pytest.mark.parametrize(
    "query", ["document=x&page=-1", "page=0&zoom=120&turn=45", "page=²&zoom=", f"document={'9' * 40}"]
)
def test_what_cannot_be_read_is_as_if_it_were_not_there(query: str) -> None:
    assert ViewerState.read(QueryDict(query)) == ViewerState()


def test_a_page_turns_all_the_way_round_within_its_frame_and_zooms_within_its_limits() -> None:
    look = ViewerState()
    assert look.zoomed(-1) is None
    sizes = [look.zoom]
    while larger := look.zoomed(1):
        look = larger
        sizes.append(look.zoom)
    assert sizes == [100, 150, 200, 300]
    assert ViewerState(turn=270).rotated == ViewerState(turn=0)
    wide = document(1, width=400, height=300)
    upright, quarter, half = (shown(ViewerState(1, turn=turn), wide) for turn in (0, 90, 180))
    assert (upright.turning, upright.turned_size) == ("", (400, 300))
    assert (quarter.turning, quarter.turned_size) == ("translate(300 0) rotate(90)", (300, 400))
    assert (half.turning, half.turned_size) == ("translate(400 300) rotate(180)", (400, 300))


def test_only_a_page_and_a_document_that_there_are_are_shown_and_drawn_as_large_as_they_are_shown() -> None:
    found = shown(ViewerState(1, page=99), document(1, pages=3))
    assert (found.state.page, found.urls.get("after")) == (3, None)
    assert found.urls["before"] == "/here/?open=1&document=1&page=2"
    found = shown(ViewerState(99, page=5, zoom=300), document(1), document(2))
    assert (found.document.pk, found.state) == (1, ViewerState(1))
    assert not shown(ViewerState(1), document(1)).picture_url.endswith("?size=close")
    assert shown(ViewerState(1, zoom=150), document(1)).picture_url.endswith("?size=close")
