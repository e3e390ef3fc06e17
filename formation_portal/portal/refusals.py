"""Tell the reader why a service has refused a change."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest

from formation_portal.applications.services import Closed, Gone


@contextmanager
def refusals_as_messages(request: HttpRequest) -> Iterator[None]:
    """Add an error message if the application is closed for the change, or the changed record is gone."""
    try:
        yield
    except (Closed, Gone) as refusal:
        messages.error(request, f"{refusal}.")
