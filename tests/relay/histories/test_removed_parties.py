"""A party that is removed goes at the service with all that is its own, and comes anew when it is restored."""

from typing import Any
from uuid import uuid4

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.calls.routes import Claim, MissingFile
from formation_portal.relay.models import Delivery
from formation_portal.relay.service_profile import current_profile
from formation_portal.relay.sync import desired_state
from formation_portal.relay.worker import drain
from tests import factories
from tests.relay.conftest import download, row

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def counts_at_service(service: FormationService) -> tuple[int, ...]:
    entity = row("entity").remote_id
    return (
        len(service.records(entity, Collection.PARTIES)),
        len(service.records(entity, Collection.DOCUMENTS)),
        len(service.records(entity, Collection.SHAREHOLDINGS)),
    )


def test_it_goes_and_comes_back_whole(complete: Draft, service: FormationService, owner: Any) -> None:
    drain()
    before = desired_state(complete)
    assert counts_at_service(service) == (1, 1, 1)
    services.remove_party(complete, complete.party("ada"), by=owner)  # type: ignore[arg-type]
    drain()
    assert counts_at_service(service) == (0, 0, 0)
    services.restore_party(complete, "ada", by=owner)
    assert desired_state(complete) == before
    drain()
    assert counts_at_service(service) == (1, 1, 1)
    entity, party = row("entity").remote_id, row("party", "ada").remote_id
    assert service.csp_data(entity, party_id=party)["csp_data"] == {"xy.person.is_pep": False}
    assert download(service, entity, row("document", "ada/Passport").remote_id) == factories.PDF
    assert set(Delivery.objects.values_list("state", flat=True)) == {"done"}


def test_a_claimed_file_is_not_opened_once_its_party_was_removed(complete: Draft, owner: Any) -> None:
    drain()
    document = row("document", "ada/Passport")
    document.sent = document.acknowledged
    claim = Claim(document, uuid4(), complete.application, {}, current_profile(), request_id="one")
    with claim.open_file() as file:
        assert file.read() == factories.PDF
    services.remove_party(complete, complete.party("ada"), by=owner)  # type: ignore[arg-type]
    with pytest.raises(MissingFile):
        claim.open_file()


def test_one_of_two_entries_takes_what_the_other_had_there(
    complete: Draft, service: FormationService, owner: Any
) -> None:
    name = {key: factories.ADA[key] for key in ("person.first_name", "person.last_name", "person.date_of_birth")}
    services.add_party(
        complete, "person", ["director"], name | {"person.email": "b@example.com"}, by=owner, token="first"
    )
    drain()
    assert counts_at_service(service) == (2, 1, 1)
    first, ada = complete.party("first"), complete.party("ada")
    assert first is not None
    assert ada is not None
    services.merge_parties(complete, ada, first, by=owner)
    drain()
    assert counts_at_service(service) == (1, 1, 1)
    entity = row("entity").remote_id
    [party] = service.records(entity, Collection.PARTIES)
    assert (party["email"], party["roles"]) == ("b@example.com", ["director", "shareholder"])
    assert service.records(entity, Collection.DOCUMENTS)[0]["party_id"] == party["party_id"]
    assert service.records(entity, Collection.SHAREHOLDINGS)[0]["party_id"] == party["party_id"]
    assert set(Delivery.objects.values_list("state", flat=True)) == {"done"}
