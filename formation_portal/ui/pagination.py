"""Pages of a list (ui/pagination.html): numbered pages, or for long lists keyset pages, which go on from a row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.translation import gettext

# People and companies of an application on one page.
PEOPLE_AT_ONCE = 50

Row = TypeVar("Row")
Position = TypeVar("Position")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to another page; without a URL, the current page or the gap between two numbers."""

    label: str
    url: str = ""
    rel: str = ""
    is_current: bool = False
    number: int = 0


def people_page(rows: Sequence[Row], number: Any, *, with_row: int | None) -> Page[Row]:
    """Return the page that has the row with the index `with_row`; if that is None, the page with the number."""
    return Paginator(rows, PEOPLE_AT_ONCE).get_page(number if with_row is None else with_row // PEOPLE_AT_ONCE + 1)


@dataclass(frozen=True, slots=True)
class ViewLink:
    url: str
    label: str
    count: int | str
    is_current: bool


def numbered_links(page: Page[Any], query: QueryDict, *, name: str = "page", anchor: str = "") -> tuple[PageLink, ...]:
    """Return links to the first, last and nearby pages, which keep `query`; empty for a single page.

    `anchor`, like "#list", is the end of their URLs.
    """
    if not page.has_other_pages():
        return ()

    def link(label: str, number: int, rel: str = "") -> PageLink:
        parameters = query.copy()
        parameters[name] = str(number)
        return PageLink(label, f"?{parameters.urlencode()}{anchor}", rel, number=number)

    links = []
    if page.has_previous():
        links.append(link(gettext("Previous"), page.previous_page_number(), "prev"))
    for number in page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1):
        # The gap between two numbers is no number.
        if isinstance(number, int) and number != page.number:
            links.append(link(str(number), number))
        else:
            links.append(PageLink(str(number), is_current=number == page.number))
    if page.has_next():
        links.append(link(gettext("Next"), page.next_page_number(), "next"))
    return tuple(links)


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[Row, Position]):
    """The rows of a page in the order of the list, and the positions of the pages before and after it, if any."""

    rows: list[Row]
    before: Position | None
    after: Position | None


def keyset_page(
    candidates: Sequence[Row],
    position: Callable[[Row], Position],
    *,
    length: int,
    is_first: bool,
    backwards: bool = False,
    end: Position | None = None,
) -> KeysetPage[Row, Position]:
    """Make a page of the first `length` candidates; a further candidate tells that the list goes on.

    `backwards`: the candidates were read towards the beginning of the list. `end` is the position where the search for
    them ended, if that is not the end of the list. `is_first`: the page starts where the list does.
    """
    rows = list(candidates[:length])
    onward = end
    back = None
    if len(candidates) > length:
        onward = position(rows[-1])
    if rows and not is_first:
        back = position(rows[0])
    if backwards:
        return KeysetPage(rows[::-1], onward, back)
    return KeysetPage(rows, back, onward)
