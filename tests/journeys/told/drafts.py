"""Applications to begin a journey with."""

from typing import Any

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import made
from tests.journeys.conftest import new_user


def begun(owner: Any = None, **product: Any) -> Draft:
    """A new application of the small product."""
    return open_draft(saving.start(owner=owner or new_user(), product=made.product(**product)))


def complete() -> Draft:
    """An application that needs nothing more."""
    draft = begun()
    made.fill_in(draft, by=draft.application.owner)
    return draft


def now(draft: Draft) -> Draft:
    """The same, as it is stored."""
    return open_draft(Application.objects.get(pk=draft.application.pk))


def root(draft: Draft) -> str:
    """Where its pages are."""
    return f"/applications/{draft.application.reference}/"
