"""Status changes by agents are sent to the service: once, in order, and never taken back."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.gateway import FormationService
from formation_portal.relay.delivery_status import SENT_WITH_CORRECTIONS, deliveries_of
from formation_portal.relay.models import Delivery
from formation_portal.relay.sync import STATUS_NOTE_LIMIT, sync
from formation_portal.relay.worker import Worker, drain
from formation_portal.service.models import Entity
from tests import factories
from tests.encrypted_rows import update_each
from tests.relay.conftest import RETURNED, STATUS, advance, row, save, sent_statuses, status_there, submit, withdraw
from tests.relay.flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_service_follows_through_two_rounds_to_the_incorporation(
    submitted: Draft, transport: FlakyTransport, service: FormationService, agent: Any
) -> None:
    for transition in (*RETURNED, "submit", "begin_review", "approve", "record_incorporation"):
        if transition == "submit":
            save(submitted, "the-company", {"entity.name": "Larkspur"})
            submit(submitted)
        else:
            advance(submitted, transition, by=agent)
        drain()
        assert status_there() == submitted.application.state
    assert status_there() == "incorporated"
    assert service.entity(row("entity").remote_id)["name"] == "Larkspur"
    assert transport.endpoints == [STATUS, STATUS, "PATCH entities", "POST entities/submit", STATUS, STATUS, STATUS]
    assert sent_statuses(transport) == [
        "in_review", "returned_for_changes", "in_review", "submitted_to_csp", "incorporated",
    ]  # fmt: skip
    assert len({call.key for call in transport.calls}) == len(transport.calls)
    deliveries = deliveries_of(submitted.application)
    assert [(title, view.words) for title, view in deliveries.transitions] == [
        (title, "Received")
        for title in (
            "Submission", "Start of the review", "Return for changes",
            "Submission", "Start of the review", "Approval", "Incorporation",
        )
    ]  # fmt: skip
    assert deliveries.overall.words == "Received"
    assert drain() == 0


def test_a_note_is_cut_at_the_services_limit(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    advance(submitted, "return", by=agent, note="Two\nlines\x0band " + "more " * STATUS_NOTE_LIMIT)
    drain()
    first, second = transport.bodies(STATUS)
    assert first["note"] == ""
    assert second["note"].startswith("Two\nlines and more more")
    assert len(second["note"]) == STATUS_NOTE_LIMIT
    assert Entity.objects.get().status_note == second["note"]


def test_corrections_wait_for_the_next_submission(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    advance(submitted, "return", by=agent)
    save(submitted, "the-company", {"entity.name": "Larkspur"})
    assert Worker().work_once() == 1
    assert drain() == 0
    assert transport.endpoints == [STATUS, STATUS]
    assert status_there() == "returned_for_changes"
    deliveries = deliveries_of(submitted.application)
    assert deliveries.of_entity().words == SENT_WITH_CORRECTIONS
    submit(submitted)
    drain()
    assert transport.endpoints[2:] == ["PATCH entities", "POST entities/submit"]


def test_what_the_service_gave_back_has_no_transition_to_send(submitted: Draft, transport: FlakyTransport) -> None:
    services.reopen(submitted, reason="The formation service asks for a change")
    assert not Delivery.objects.filter(kind="status").exists()
    Entity.objects.update(status="returned_for_changes")
    submit(submitted)
    drain()
    assert transport.endpoints == ["POST entities/submit"]


def test_a_withdrawal_goes_first_and_the_rest_never(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    advance(submitted, "return", by=agent)
    withdraw(submitted)
    drain()
    assert sent_statuses(transport) == ["in_review", "withdrawn"]
    assert status_there() == "withdrawn"
    assert drain() == 0
    assert deliveries_of(submitted.application).overall.words == "Received"


def test_a_withdrawal_before_all_else_is_told_alone(complete: Draft, transport: FlakyTransport, agent: Any) -> None:
    drain()
    submit(complete)
    advance(complete, *RETURNED, by=agent)
    withdraw(complete)
    transport.clear()
    drain()
    assert [(call.endpoint, call.body["status"]) for call in transport.calls] == [(STATUS, "withdrawn")]


def test_what_was_told_stays_told_whatever_is_saved(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent, note="As it was")
    drain()
    update_each(Change.objects.filter(moved_to="in_review"), named={"note": "As it is told by another version"})
    sync(factories.again(submitted))
    assert drain() == 0
    assert transport.bodies(STATUS) == [{"status": "in_review", "note": "As it was"}]
