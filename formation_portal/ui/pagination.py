"""Pages of a list: numbered ones, and those of a long list, which go on from a row (a keyset). Both have the links that
templates/ui/pagination.html draws.
"""

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
    """A link to another page; without an address it is the page that is shown, or the gap between two numbers.

    `number` is the page's own, where pages are numbered.
    """

    label: str
    url: str = ""
    rel: str = ""
    is_current: bool = False
    number: int = 0


def people_page(rows: Sequence[Row], number: Any, *, with_row: int | None) -> Page[Row]:
    """The page of people and companies that has the row at that place; where none is named, the page of the number."""
    return Paginator(rows, PEOPLE_AT_ONCE).get_page(number if with_row is None else with_row // PEOPLE_AT_ONCE + 1)


@dataclass(frozen=True, slots=True)
class ViewLink:
    """A way to look at a list, with how many rows it has (desk/_views.html)."""

    url: str
    label: str
    count: int | str
    is_current: bool


def numbered_links(page: Page[Any], query: QueryDict, *, name: str = "page") -> tuple[PageLink, ...]:
    """The pages around a page of Django's paginator, the first and the last; `query` is the address that they keep, and
    `name` what tells the number there.

    Nothing where it is the only page.
    """
    if not page.has_other_pages():
        return ()

    def link(label: str, number: int, rel: str = "") -> PageLink:
        kept = query.copy()
        kept[name] = str(number)
        return PageLink(label, f"?{kept.urlencode()}", rel, number=number)

    links = []
    if page.has_previous():
        links.append(link(gettext("Previous"), page.previous_page_number(), "prev"))
    for number in page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1):
        # What stands between two numbers is no number.
        if isinstance(number, int) and number != page.number:
            links.append(link(str(number), number))
        else:
            links.append(PageLink(str(number), is_current=number == page.number))
    if page.has_next():
        links.append(link(gettext("Next"), page.next_page_number(), "next"))
    return tuple(links)


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[Row, Position]):
    """The rows of one page, in the order of the list, and the positions from which the pages before and after it go on;
    None where there is none.
    """

    rows: list[Row]
    before: Position | None
    after: Position | None


def keyset_page(
    found: Sequence[Row],
    position: Callable[[Row], Position],
    *,
    length: int,
    is_first: bool,
    backwards: bool = False,
    end: Position | None = None,
) -> KeysetPage[Row, Position]:
    """The page at the beginning of `found`: the rows from where it starts, one more than `length` where there are more.

    `backwards` says that they were read towards the beginning of the list; `end` is how far they were looked for, where
    that isn't the end of the list. `is_first` says that the page starts where the list does.
    """
    rows = list(found[:length])
    onward = position(rows[-1]) if len(found) > length else end
    back = position(rows[0]) if rows and not is_first else None
    return KeysetPage(rows[::-1], onward, back) if backwards else KeysetPage(rows, back, onward)


def keyset_links(*links: PageLink) -> tuple[PageLink, ...]:
    """Those that lead anywhere."""
    return tuple(link for link in links if link.url)
