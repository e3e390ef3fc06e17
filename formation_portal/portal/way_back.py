"""The way back from a page of questions to the page, and there to the row, that sent somebody to it."""

from dataclasses import dataclass
from urllib.parse import quote

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

# Pages that send somebody to a question, and take them back after saving.
_TITLES: dict[str, Promise] = {
    "check": gettext_lazy("Check your answers"),
    "overview": gettext_lazy("Overview"),
    "status": gettext_lazy("Status"),
}
_LONGEST_ROW = 400


@dataclass(frozen=True, slots=True)
class WayBack:
    """Where to, what that page is called, and the query that says so, to be handed on while one stays."""

    url: str
    title: str
    query: str


def way_back(request: HttpRequest, reference: str) -> WayBack | None:
    """As the address of the request asks for; None where it asks for nothing that there is."""
    place = request.GET.get("next", "")
    if place not in _TITLES:
        return None
    # A part of the page's address, whatever it says.
    row = quote(request.GET.get("row", "")[:_LONGEST_ROW], safe="")
    url = reverse(f"portal:{place}", args=[reference])
    query = f"next={place}&row={row}" if row else f"next={place}"
    return WayBack(f"{url}#{row}" if row else url, str(_TITLES[place]), query)
