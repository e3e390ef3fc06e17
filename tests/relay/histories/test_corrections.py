"""What is changed after a return goes out in one piece, when the customer sends it."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.gateway import FormationService
from formation_portal.relay.delivery_status import SENT_WITH_CORRECTIONS, deliveries_of
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity
from tests.relay.conftest import row, save
from tests.relay.flaky_transport import FlakyTransport, refuses

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def returned(complete: Draft, transport: FlakyTransport, owner: Any) -> Draft:
    """Submitted, received and returned."""
    services.submit(complete, by=owner)
    drain()
    Entity.objects.update(status=State.RETURNED_FOR_CHANGES)
    services.reopen(complete, reason="Please change the name")
    transport.clear()
    return complete


def test_all_of_it_leaves_once_it_is_sent(
    returned: Draft, transport: FlakyTransport, service: FormationService, owner: Any
) -> None:
    save(returned, "the-company", {"entity.name": "Larkspur"}, owner)
    save(returned, "the-company", {"entity.name": "Larkspur & Co"}, owner)
    services.submit(returned, by=owner)
    drain()
    assert transport.bodies("PATCH entities") == [{"name": "Larkspur & Co"}], "in its last form, once"
    assert transport.endpoints[-1] == "POST entities/submit"
    assert service.entity(row("entity").remote_id)["name"] == "Larkspur & Co"
    assert deliveries_of(returned.application).overall.words == "Received"


def test_what_was_refused_and_is_corrected_counts_as_saved_until_it_is_sent(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    transport.fail_on("POST entities/parties", refuses("email", "No such address"), times=1)
    services.submit(complete, by=owner)
    drain()
    complete.reload()
    complete.application.refresh_from_db()
    assert deliveries_of(complete.application).of_party("ada").is_refused
    services.save_party(complete, complete.parties[0], {"person.email": "ada@example.org"}, version=1, by=owner)
    assert drain() == 0
    assert deliveries_of(complete.application).of_party("ada").words == SENT_WITH_CORRECTIONS
    services.submit(complete, by=owner)
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"
