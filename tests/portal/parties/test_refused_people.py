"""Whom the service refuses as they are has to be changed, whatever answer is at fault, and whatever role they have."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
from tests import factories
from tests.encrypted_rows import update_each
from tests.portal.pages import people_page

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.mark.parametrize("field", ["", "person.date_of_birth"])
def test_one_who_is_refused_has_to_be_changed_and_nobody_else(
    as_owner: Client, complete: Draft, owner: Any, field: str
) -> None:
    grace = factories.ADA | {"person.first_name": "Grace", "person.email": "grace@example.com"}
    services.add_party(complete, "person", ["director"], grace, by=owner, token="grace")
    rows = Delivery.objects.filter(application=complete.application, kind=ResourceKind.PARTY, subject="ada")
    problem = {"field": field, "code": "invalid", "message": "Nobody is called that"}
    assert update_each(rows, state=DeliveryState.REFUSED, problems=[problem]) == 1
    page = people_page(as_owner, complete.application)
    assert "Changes needed" in page.one("li", id="party-ada").text
    assert "Changes needed" not in page.one("li", id="party-grace").text
