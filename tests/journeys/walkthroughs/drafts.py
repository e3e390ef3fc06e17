"""Applications to begin a journey with."""

from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.journeys.conftest import new_user


def new_draft(owner: Any = None, **product: Any) -> Draft:
    """A new application of the small product."""
    return open_draft(services.start(owner=owner or new_user(), product=factories.product(**product)))


def complete_draft() -> Draft:
    """An application that needs nothing more."""
    draft = new_draft()
    factories.fill_in(draft, by=draft.application.owner)
    return draft


def reloaded(draft: Draft) -> Draft:
    """The same, as it is stored."""
    return open_draft(Application.objects.get(pk=draft.application.pk))


def address_of(draft: Draft) -> str:
    """Where its pages are."""
    return f"/applications/{draft.application.reference}/"
