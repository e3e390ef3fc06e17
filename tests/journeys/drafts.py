"""Applications to begin a journey with."""

from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.gateway.catalog import catalog
from tests import factories
from tests.journeys.conftest import new_user


def started(slug: str, **person: Any) -> tuple[Application, Any]:
    """A new application of a product of the catalog, with its owner."""
    owner, product = new_user(**person), catalog().find(slug)
    assert product is not None
    assert product.item is not None
    return services.start(owner=owner, product=product.item), owner


def new_draft(owner: Any = None, **product: Any) -> Draft:
    return open_draft(services.start(owner=owner or new_user(), product=factories.product(**product)))


def complete_draft() -> Draft:
    return factories.complete_draft(new_user())


def reloaded(draft: Draft) -> Draft:
    return open_draft(Application.objects.get(pk=draft.application.pk))


def address_of(draft: Draft) -> str:
    return f"/applications/{draft.application.reference}/"
