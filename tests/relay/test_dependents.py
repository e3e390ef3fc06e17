"""What is removed with the thing that it belongs to is done with it, also where it was in doubt."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain
from tests import factories

from .flaky_transport import FlakyTransport, lost_after

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_a_document_in_doubt_goes_with_its_deleted_draft(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    transport.fail_on("POST entities/documents", lost_after, times=1)
    drain()
    assert Delivery.objects.get(kind="document").state == "unknown"
    services.delete_draft(factories.again(complete).application, by=owner)
    drain()
    assert set(Delivery.objects.values_list("state", "next_at")) == {("done", None)}


def test_a_document_in_doubt_goes_with_its_party(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    transport.fail_on("POST entities/documents", lost_after, times=1)
    drain()
    draft = factories.again(complete)
    services.remove_party(draft, draft.party("ada"), by=owner)
    drain()
    assert Delivery.objects.get(kind="document").state == "done"


def test_what_was_in_doubt_when_it_was_withdrawn_stays_as_it_is(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    services.add_party(complete, "person", ["director"], factories.ADA, by=owner, token="grace")
    transport.fail_on("POST entities/parties", lost_after, times=1)
    while not Delivery.objects.filter(kind="party", state="unknown").exists():
        make_next_call(complete.application.pk)
    in_doubt = Delivery.objects.get(kind="party", state="unknown")
    draft = factories.again(complete)
    services.remove_party(draft, draft.party("grace"), by=owner)
    services.withdraw(factories.again(complete), by=owner)
    for _ in range(3):
        drain()
    in_doubt.refresh_from_db()
    assert in_doubt.state == "done"
    assert not Delivery.objects.filter(state="held").exists()
