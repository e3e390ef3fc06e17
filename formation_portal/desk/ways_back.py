"""Where a deed on a case leads back to: the page of the case that it was done on."""

from urllib.parse import unquote

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


def back_in(posted: QueryDict, reference: str) -> str:
    """The address in `back` where it is one of this case, else that of the case's own page."""
    home, asked = reverse("desk:review", args=[reference]), posted.get("back", "")
    is_ours = url_has_allowed_host_and_scheme(asked, allowed_hosts=None) and asked.startswith(home)
    # Browsers climb by dots that are written as %2e, too.
    return asked if is_ours and ".." not in unquote(asked) and asked.isprintable() else home
