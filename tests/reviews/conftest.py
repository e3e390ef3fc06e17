"""A complete application of the small product, submitted, and two agents."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import factories


@pytest.fixture
def colleague(db: None) -> Any:
    return get_user_model().objects.create_user(
        "dev@example.com", first_name="Dev", last_name="Ramanathan", is_agent=True
    )


@pytest.fixture
def submitted(owner: Any) -> Draft:
    """The small product's application, complete and handed in."""
    draft = open_draft(services.start(owner=owner, product=factories.product()))
    factories.fill_in(draft, owner)
    services.submit(draft, by=owner)
    return draft


def again(draft: Draft) -> Draft:
    """The same application as somebody else reads it now."""
    return open_draft(Application.objects.get(pk=draft.application.pk))
