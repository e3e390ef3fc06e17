"""Applications to begin a journey with."""

from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import factories
from tests.journeys.conftest import new_user


def begun(owner: Any = None, **product: Any) -> Draft:
    """A new application of the small product."""
    return open_draft(services.start(owner=owner or new_user(), product=factories.product(**product)))


def complete() -> Draft:
    """An application that needs nothing more."""
    draft = begun()
    factories.fill_in(draft, by=draft.application.owner)
    return draft


def now(draft: Draft) -> Draft:
    """The same, as it is stored."""
    return open_draft(Application.objects.get(pk=draft.application.pk))


def root(draft: Draft) -> str:
    """Where its pages are."""
    return f"/applications/{draft.application.reference}/"
