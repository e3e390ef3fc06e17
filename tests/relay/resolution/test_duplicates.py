"""A thing was sent twice, and the service has made it twice: an agent decides which one is ours."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.models import Delivery, Reason
from formation_portal.relay.resolution import bind, declare_absent
from formation_portal.relay.worker import drain
from tests.relay.conftest import row
from tests.relay.flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def duplicated(complete: Draft, transport: FlakyTransport) -> Delivery:
    drain()
    Delivery.objects.filter(kind="party").update(reason=Reason.DUPLICATE)
    transport.clear()
    return row("party", "ada")


def test_the_id_that_it_has_stays_and_nothing_is_sent(
    duplicated: Delivery, transport: FlakyTransport, agent: Any
) -> None:
    bind(duplicated.pk, agent=agent, remote_id=duplicated.remote_id)
    drain()
    after = row("party", "ada")
    assert (after.state, after.reason, after.remote_id) == ("done", "", duplicated.remote_id)
    assert after.wanted == after.acknowledged
    assert transport.calls == []


def test_what_it_holds_goes_to_the_other_id(
    duplicated: Delivery, transport: FlakyTransport, service: FormationService, agent: Any
) -> None:
    """The provider has kept the other record, and removed the one that we had."""
    entity_id = row("entity").remote_id
    other = service.add_record(entity_id, Collection.PARTIES, _ada(), key="other")["party_id"]
    for holding in service.records(entity_id, Collection.SHAREHOLDINGS):
        service.remove_record(entity_id, Collection.SHAREHOLDINGS, holding["id"])
    service.remove_record(entity_id, Collection.PARTIES, duplicated.remote_id)
    bind(duplicated.pk, agent=agent, remote_id=other)
    drain()
    assert "POST entities/parties" not in transport.endpoints
    [document] = service.records(entity_id, Collection.DOCUMENTS)
    assert document["party_id"] == other
    assert [one["party_id"] for one in service.records(entity_id, Collection.SHAREHOLDINGS)] == [other]
    assert service.csp_data(entity_id, party_id=other)["csp_data"] == {"xy.person.is_pep": False}


def test_where_both_are_gone_it_is_made_again_with_all_that_it_holds(
    duplicated: Delivery, service: FormationService, agent: Any
) -> None:
    entity_id = row("entity").remote_id
    for holding in service.records(entity_id, Collection.SHAREHOLDINGS):
        service.remove_record(entity_id, Collection.SHAREHOLDINGS, holding["id"])
    service.remove_record(entity_id, Collection.PARTIES, duplicated.remote_id)
    declare_absent(duplicated.pk, agent=agent)
    drain()
    [party] = service.records(entity_id, Collection.PARTIES)
    assert party["party_id"] == row("party", "ada").remote_id != duplicated.remote_id
    assert (
        len(service.records(entity_id, Collection.DOCUMENTS))
        == len(service.records(entity_id, Collection.SHAREHOLDINGS))
        == 1
    )
    assert {one.state for one in Delivery.objects.all()} == {"done"}


def _ada() -> dict[str, Any]:
    return {
        "party_type": "person",
        "roles": ["director", "shareholder"],
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": "ada@example.com",
        "date_of_birth": "1985-12-10",
    }
