"""Where the service can't change what it was sent, everything waits until the customer submits."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.delivery_status import NO_EDITS, deliveries_of
from formation_portal.relay.worker import drain
from tests.relay.conftest import save
from tests.relay.flaky_transport import FlakyTransport

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"]),
    pytest.mark.usefixtures("without_edits"),
]


def test_nothing_leaves_before_the_customer_submits(complete: Draft, transport: FlakyTransport) -> None:
    assert drain() == 0
    assert transport.calls == []
    deliveries = deliveries_of(complete.application)
    for view in (
        deliveries.overall,
        deliveries.of_entity(),
        deliveries.of_party("ada"),
        deliveries.of("document", "nowhere"),
    ):
        assert view.words == "Saved. We send it when you submit."
    assert deliveries.notices == (NO_EDITS,)


def test_what_was_changed_before_submitting_goes_once_in_its_last_form(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    drain()
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    services.submit(complete, by=owner)
    drain()
    assert [body["name"] for body in transport.bodies("POST entities")] == ["Larkspur"]


def test_an_edit_after_a_return_is_left_to_our_team_without_a_call(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    services.submit(complete, by=owner)
    drain()
    services.reopen(complete, reason="Please change the name")
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    services.submit(complete, by=owner)
    transport.clear()
    drain()
    assert transport.calls == []
    deliveries = deliveries_of(complete.application)
    assert deliveries.of_entity().words == "With our team"
    assert len(deliveries.notices) == 1


def test_answers_under_the_providers_keys_can_be_sent_again_by_the_documented_call(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    services.submit(complete, by=owner)
    drain()
    services.reopen(complete, reason="Please change the capital")
    save(complete, "funds", {"xy.capital": {"amount": "1", "currency": "EUR"}}, owner)
    services.submit(complete, by=owner)
    transport.clear()
    drain()
    assert transport.endpoints[0] == "POST entities/csp-data"
    assert transport.calls[0].body["csp_data"] == {"xy.capital": {"amount": 1, "currency": "EUR"}}
