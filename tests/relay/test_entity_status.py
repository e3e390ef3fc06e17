"""The service's own decisions: read after an event and once an hour, applied once, or put before an agent."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.services.erasure import erase_application, erase_party
from formation_portal.contract.lifecycle import State
from formation_portal.gateway import FormationService
from formation_portal.mail.models import Email
from formation_portal.relay import entity_status, timing
from formation_portal.relay.entity_status import read_due_entities
from formation_portal.relay.models import Delivery, EntityReading, ServiceProfile
from formation_portal.relay.service_profile import current_profile, update_profile
from formation_portal.relay.worker import drain
from formation_portal.reviews.models import ServiceStatus
from formation_portal.reviews.service_status import open_status
from tests import factories
from tests.markup import Markup
from tests.privacy.stages import findings as audit_findings
from tests.relay.conftest import (
    READ,
    approve,
    lets_time_pass,
    read_all_entities,
    row,
    shows,
    status_there,
    submit,
    withdraw,
)
from tests.relay.flaky_transport import Failure, FlakyTransport, answers, lost_before
from tests.relay.incoming_webhooks.conftest import event, post, sign, written

__all__ = ["sign"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def provider_sets(service: FormationService, status: str, note: str = "") -> None:
    """Somebody at the service moves the entity on, through its own API."""
    service.set_status(row("entity").remote_id, status, note, key=f"provider-{status}")


def state(draft: Draft) -> State:
    return factories.again(draft).application.status


def status_page(client: Client, draft: Draft) -> str:
    return client.get(f"/applications/{draft.application.reference}/status/").content.decode()


def progress(page: str) -> tuple[str, str]:
    markup = Markup(page)
    return markup.one("ol", class_="timeline entry").text, markup.one("p", class_="lead").text


def test_an_hourly_reading_brings_the_incorporation_and_ends_the_case(
    submitted: Draft, service: FormationService, transport: FlakyTransport, agent: Any
) -> None:
    approve(submitted, agent)
    provider_sets(service, "incorporated")
    transport.clear()
    assert read_due_entities() == 0, "it was told of the approval a moment ago"
    lets_time_pass()
    ServiceProfile.objects.update(failures=4)
    assert read_due_entities() == 1
    assert ServiceProfile.objects.get().failures == 0
    assert state(submitted) is State.INCORPORATED
    assert transport.endpoints == [READ]
    assert drain() == 0, "the service knows"
    [change] = Change.objects.filter(moved_to=State.INCORPORATED)
    assert (change.who, change.what) == (None, "The formation service reported the incorporation")
    lets_time_pass()
    assert read_due_entities() == 1
    assert Change.objects.filter(moved_to=State.INCORPORATED).count() == 1
    assert read_due_entities() == 0, "nothing is waited for any more"


def test_an_event_makes_its_entity_due(submitted: Draft, service: FormationService, agent: Any, sign: Any) -> None:
    approve(submitted, agent)
    lets_time_pass()
    read_due_entities()
    provider_sets(service, "incorporated")
    somebody_elses = written(event("ent_somebody_elses", id="evt_0", type="entity.status_changed"))
    post(somebody_elses, sign(somebody_elses, name="evt_0"))
    assert read_due_entities() == 0
    body = written(event(row("entity").remote_id, type="entity.status_changed"))
    assert post(body, sign(body)).status_code == 200
    assert state(submitted) is State.SUBMITTED_TO_CSP, "no event is believed"
    assert read_due_entities() == 1
    assert state(submitted) is State.INCORPORATED


def test_a_customer_reads_the_number(submitted: Draft, transport: FlakyTransport, agent: Any, as_owner: Client) -> None:
    approve(submitted, agent)
    Email.objects.all().delete()
    shows(transport, "incorporated", company_number="2087311", incorporated_at="2026-11-20T09:00:00Z")
    read_all_entities()
    page = status_page(as_owner, submitted)
    assert "2087311" in page
    assert [one.text.split() for one in Markup(page).all("dd")][-1] == ["20", "November", "2026"]
    [email] = Email.objects.all()
    assert (email.kind, email.to) == ("decision", "owner@example.com")
    assert email.subject.startswith("Incorporated:")
    record = as_owner.get(f"/applications/{submitted.application.reference}/record.json").json()
    assert record["registration"] == {"number": "2087311", "date": "2026-11-20"}
    assert audit_findings() == []


def test_an_incorporation_too_soon_waits_for_an_agent(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    shows(transport, "incorporated", company_number="77")
    read_all_entities()
    assert state(submitted) is State.SUBMITTED_FOR_REVIEW
    [status] = ServiceStatus.objects.all()
    assert (status.status, status.company_number, status.outcome) == ("incorporated", "77", "open")
    # Once our review has begun, the same reading ends the case.
    services.advance(submitted, "begin_review", by=agent)
    transport.clear()
    drain()
    shows(transport, "incorporated", company_number="77")
    read_all_entities()
    assert state(submitted) is State.INCORPORATED
    assert open_status(submitted.application) is None


def test_a_rejection_waits_for_an_agent_and_the_customer_reads_nothing_of_it(
    submitted: Draft, service: FormationService, agent: Any, as_owner: Client
) -> None:
    approve(submitted, agent)
    before = status_page(as_owner, submitted)
    letters = Email.objects.count()
    provider_sets(service, "rejected", "A director is on a list.")
    lets_time_pass()
    read_due_entities()
    [status] = ServiceStatus.objects.all()
    assert (status.status, status.note, status.outcome) == ("rejected", "A director is on a list.", "open")
    assert state(submitted) is State.SUBMITTED_TO_CSP
    after = status_page(as_owner, submitted)
    assert "director is on a list" not in after
    assert progress(after) == progress(before)
    assert Email.objects.count() == letters
    assert drain() == 0
    assert audit_findings() == []


def test_a_status_is_put_before_agents_once_until_it_changes(submitted: Draft, transport: FlakyTransport) -> None:
    for status, note in (
        ("on_hold", "Waiting for the registrar"),
        ("on_hold", "Waiting for the notary"),
        ("submitted_for_review", ""),
        ("on_hold", "Waiting for the notary"),
    ):
        shows(transport, status, status_note=note)
        for _ in range(3):
            read_all_entities()
    assert [(one.note, one.outcome) for one in ServiceStatus.objects.order_by("pk")] == [
        ("Waiting for the registrar", "replaced"),
        ("Waiting for the notary", "replaced"),
        ("Waiting for the notary", "open"),
    ]
    assert state(submitted) is State.SUBMITTED_FOR_REVIEW


def test_what_the_portal_wrote_is_no_decision_of_the_service(submitted: Draft, agent: Any) -> None:
    for transition in ("begin_review", "approve", "record_incorporation"):
        services.advance(submitted, transition, by=agent)
        drain()
        read_all_entities()
    assert status_there() == "incorporated"
    assert not ServiceStatus.objects.exists()


def test_nothing_is_concluded_during_a_transition(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on("POST entities/status", lost_before)
    services.advance(submitted, "begin_review", by=agent)
    drain()
    shows(transport, "rejected")
    read_all_entities()
    assert not ServiceStatus.objects.exists()
    assert EntityReading.objects.get().next_at <= timezone.now() + timing.READ_SOON


def test_without_a_status_call_what_was_told_counts(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    transport.fail_on("POST entities/status", answers(405))
    approve(submitted, agent)
    transport.clear()
    assert status_there() == "submitted_for_review"
    read_all_entities()
    assert not ServiceStatus.objects.exists()
    shows(transport, "in_review")
    read_all_entities()
    assert not ServiceStatus.objects.exists(), "somebody was informed by hand"
    shows(transport, "closed")
    read_all_entities()
    assert [one.status for one in ServiceStatus.objects.all()] == ["closed"]


DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (answers(404), DAY),
        (answers(403), DAY),
        (answers(405), DAY),
        (lost_before, timing.READ_SOON),
        (answers(200, {"data": []}), timing.READ_SOON),
        (answers(200, {"data": {"id": "ent_somebody_elses", "status": "rejected"}}), HOUR),
        (answers(200, {"data": {"status": ""}}), HOUR),
    ],
)
def test_a_reading_that_shows_no_status_changes_nothing_and_is_repeated(
    submitted: Draft, transport: FlakyTransport, answer: Failure, wait: timedelta
) -> None:
    transport.fail_on(READ, answer)
    assert read_all_entities() == 1
    assert wait - timedelta(minutes=1) < EntityReading.objects.get().next_at - timezone.now() <= wait
    assert state(submitted) is State.SUBMITTED_FOR_REVIEW
    assert not ServiceStatus.objects.exists()
    assert not current_profile().is_paused(timezone.now()), "all else is still sent"


def test_it_is_read_once_an_hour_by_one_worker(submitted: Draft, transport: FlakyTransport) -> None:
    def while_another_looks(transport: FlakyTransport, request: Any, more: Any) -> Any:
        assert read_due_entities() == 0
        return answers(200, {"data": {"status": "submitted_for_review"}})(transport, request, more)

    lets_time_pass()
    transport.fail_on(READ, while_another_looks, times=1)
    assert [read_due_entities(), read_due_entities()] == [1, 0]
    reading = EntityReading.objects.get()
    assert HOUR - timedelta(minutes=1) < reading.next_at - timezone.now() <= HOUR
    assert transport.endpoints == [READ]


def test_of_two_workers_that_find_the_same_entity_due_one_reads_it(
    submitted: Draft, transport: FlakyTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    lets_time_pass()
    claim, has_raced = entity_status._claim, []

    def after_the_other(application_id: int) -> Any:
        if not has_raced:
            has_raced.append(True)
            assert read_due_entities() == 1
        return claim(application_id)

    monkeypatch.setattr(entity_status, "_claim", after_the_other)
    assert read_due_entities() == 0
    assert transport.endpoints == [READ]


def test_what_an_event_tells_during_a_reading_is_read(submitted: Draft, transport: FlakyTransport, sign: Any) -> None:
    def after_an_event(transport: FlakyTransport, request: Any, more: Any) -> Any:
        body = written(event(row("entity").remote_id, type="entity.status_changed"))
        post(body, sign(body))
        return answers(200, {"data": {"status": "submitted_for_review"}})(transport, request, more)

    lets_time_pass()
    transport.fail_on(READ, after_an_event, times=1)
    assert [read_due_entities(), read_due_entities(), read_due_entities()] == [1, 1, 0]


def test_what_was_shown_before_our_move_says_nothing(submitted: Draft, transport: FlakyTransport, agent: Any) -> None:
    def while_we_begin(transport: FlakyTransport, request: Any, more: Any) -> Any:
        services.advance(factories.again(submitted), "begin_review", by=agent)
        drain()
        return answers(200, {"data": {"status": "submitted_for_review"}})(transport, request, more)

    transport.fail_on(READ, while_we_begin, times=1)
    read_all_entities()
    assert status_there() == "in_review"
    assert not ServiceStatus.objects.exists()
    assert EntityReading.objects.get().next_at <= timezone.now() + timing.READ_SOON


def test_nothing_is_left_of_what_was_read_of_an_erased_application(submitted: Draft, transport: FlakyTransport) -> None:
    shows(transport, "rejected", status_note="Ada Lovelace is on a list")
    read_all_entities()
    erase_party(submitted.application, "ada", by=None)
    assert [status.note for status in ServiceStatus.objects.all()] == ["[erased] is on a list"]
    assert audit_findings() == []
    withdraw(factories.again(submitted))
    drain()
    erase_application(factories.again(submitted).application, by=None, reason="retention")
    assert not EntityReading.objects.exists()
    assert not ServiceStatus.objects.exists()


def test_a_case_from_before_readings_is_read_as_well(submitted: Draft) -> None:
    EntityReading.objects.all().delete()
    assert read_due_entities() == 0, "it was submitted a moment ago"
    type(submitted.application).objects.update(submitted_at=timezone.now() - timing.READ_SOON)
    assert read_due_entities() == 1


def test_nothing_is_read_of_drafts_and_while_the_service_asks_for_a_pause(complete: Draft) -> None:
    drain()
    assert read_all_entities() == 0
    submit(complete)
    drain()
    lets_time_pass()
    update_profile(paused_until=timezone.now() + timedelta(minutes=1))
    assert read_due_entities() == 0


def test_a_decision_that_was_passed_on_is_not_sent_and_the_next_submission_goes_to_our_review_first(
    submitted: Draft, service: FormationService, transport: FlakyTransport, agent: Any
) -> None:
    approve(submitted, agent)
    provider_sets(service, "returned_for_changes", "The address is missing.")
    transport.clear()
    services.advance(submitted, "pass_on_return", by=agent)
    assert drain() == 0
    assert transport.calls == []
    assert [delivery.state for delivery in Delivery.objects.filter(kind="status")] == ["done", "done"]
    submit(submitted)
    drain()
    assert (state(submitted), status_there()) == (State.SUBMITTED_FOR_REVIEW, "submitted_for_review")
