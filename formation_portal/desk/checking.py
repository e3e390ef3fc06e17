"""What the forms that accept facts post, and where they lead back to."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.http import QueryDict
from django.urls import Resolver404, resolve, reverse

from formation_portal.reviews.places import Place

# No page shows more facts, and no address is longer.
_MOST_PLACES = 2_000
_LONGEST_BACK = 2_000


def places_in(post: QueryDict) -> tuple[Place, ...]:
    """The ticked places, or, by the button that accepts all, those that the page had left; what names none is passed
    over."""
    return _read(post.getlist("left" if "all" in post else "place"))


def _read(texts: Iterable[str]) -> tuple[Place, ...]:
    found = (Place.read(text) for text in list(texts)[:_MOST_PLACES])
    return tuple(dict.fromkeys(place for place in found if place is not None))


def way_back(post: QueryDict, reference: str) -> str:
    """The address that a form leads back to, where it is one of this case; else the case's own."""
    back = post.get("back", "")
    if len(back) <= _LONGEST_BACK and _is_of_case(back, reference):
        return back
    return reverse("desk:review", args=[reference])


def _is_of_case(back: str, reference: str) -> bool:
    if not back.startswith("/") or not back.isprintable():
        return False
    try:
        address = urlsplit(back)
        found = resolve(address.path)
    except (ValueError, Resolver404):
        return False
    is_ours = not address.scheme and not address.netloc and found.app_name == "desk"
    return is_ours and found.kwargs.get("reference") == reference
