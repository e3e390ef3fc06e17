"""What goes with the thing that it belongs to is settled with it, also where it was in doubt."""

from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain

from .conftest import reopened
from .weather import Weather, lost_after

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_a_document_in_doubt_goes_with_its_deleted_draft(complete: Draft, weather: Weather, owner: Any) -> None:
    weather.spoil("POST entities/documents", lost_after, times=1)
    drain()
    assert Delivery.objects.get(kind="document").state == "unknown"
    saving.delete_draft(reopened(complete).application, by=owner)
    drain()
    assert set(Delivery.objects.values_list("state", "next_at")) == {("done", None)}


def test_a_document_in_doubt_goes_with_its_party(complete: Draft, weather: Weather, owner: Any) -> None:
    weather.spoil("POST entities/documents", lost_after, times=1)
    drain()
    draft = reopened(complete)
    saving.remove_party(draft, draft.party("ada"), by=owner)
    drain()
    assert Delivery.objects.get(kind="document").state == "done"
