"""What the relay makes of every way in which a call can end badly."""

import logging
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.calls.claiming import _expire_leases, claim
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Delivery, ServiceProfile
from formation_portal.relay.service_profile import current_profile, update_profile
from formation_portal.relay.timing import KEYED_REPEATS
from formation_portal.relay.worker import drain
from tests import factories
from tests.encrypted_rows import rows_with, update_each
from tests.relay.conftest import row, save, save_class, save_first_party, submit, withdraw
from tests.relay.flaky_transport import Failure, FlakyTransport, answers, lost_after, lost_before, refuses, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def due_now() -> None:
    """Let the time pass that every row waits for."""
    Delivery.objects.exclude(next_at=None).update(next_at=timezone.now() - timedelta(seconds=1))


def test_a_service_that_cannot_be_reached_is_tried_again(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", unreachable)
    assert drain() == 1
    entity = row("entity")
    assert (entity.state, entity.attempts) == ("waiting", 1)
    assert entity.next_at > timezone.now()
    transport.failures.clear()
    assert make_next_call(complete.application.pk) is None
    due_now()
    drain()
    assert transport.calls[0].key == transport.calls[1].key
    assert deliveries_of(complete.application).overall.words == "Received"
    assert [attempt.outcome for attempt in row("entity").calls.order_by("pk")] == ["NotSent", "done"]


def test_what_waits_holds_up_what_comes_after_it(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities/share-classes", answers(503, Retry_After="7"))
    drain()
    assert transport.endpoints == ["POST entities", "POST entities/csp-data", "POST entities/share-classes"]
    waiting = row("share_class", "ordinary")
    assert waiting.state == "waiting"
    assert waiting.next_at - timezone.now() > timedelta(seconds=6)
    deliveries = deliveries_of(complete.application)
    assert deliveries.of_share_class("ordinary").words == "Waiting to retry"
    # The service has asked for a pause, whatever comes next.
    assert deliveries.of_party("ada").words == "Waiting to retry"


def test_a_change_while_waiting_is_sent_with_a_key_of_its_own(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", unreachable, times=1)
    drain()
    save(complete, "the-company", {"entity.name": "Larkspur"})
    drain()
    first, second, *_ = transport.calls
    assert (first.body["name"], second.body["name"]) == ("Larkfield Holdings", "Larkspur")
    assert first.key != second.key


@pytest.mark.parametrize("lost", [lost_before, lost_after])
def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(
    complete: Draft, transport: FlakyTransport, service: FormationService, lost: Any
) -> None:
    transport.fail_on("POST entities/parties", lost, times=1)
    drain()
    assert row("party", "ada").state == "unknown"
    assert deliveries_of(complete.application).of_party("ada").words == "Checking delivery"
    assert make_next_call(complete.application.pk) is None
    due_now()
    drain()
    first, second = (made for made in transport.calls if made.endpoint == "POST entities/parties")
    assert (first.key, first.body) == (second.key, second.body)
    assert len(service.records(row("entity").remote_id, Collection.PARTIES)) == 1
    assert deliveries_of(complete.application).overall.words == "Received"


@pytest.mark.usefixtures("complete")
@pytest.mark.parametrize("answer", [answers(429), unreachable])
def test_what_may_have_arrived_stays_in_doubt_while_its_repeat_is_surely_not_processed(
    transport: FlakyTransport, service: FormationService, answer: Failure
) -> None:
    transport.fail_on("POST entities/parties", lost_before, times=1)
    transport.fail_on("POST entities/parties", answer, times=1)
    drain()
    due_now()
    drain()
    doubtful = row("party", "ada")
    assert (doubtful.state, doubtful.acknowledged, doubtful.repeats) == ("unknown", None, 0)
    assert transport.endpoints.count("POST entities/parties") == 2
    update_profile(paused_until=None)
    due_now()
    drain()
    assert len({made.key for made in transport.calls if made.endpoint == "POST entities/parties"}) == 1
    assert len(service.records(row("entity").remote_id, Collection.PARTIES)) == 1
    assert row("party", "ada").state == "done"


def test_a_change_in_doubt_is_sent_later(complete: Draft, transport: FlakyTransport, service: FormationService) -> None:
    transport.fail_on("POST entities/parties", lost_after, times=1)
    drain()
    save_first_party(complete, {"person.last_name": "King"})
    assert row("party", "ada").state == "unknown"
    drain()
    assert [made.endpoint for made in transport.calls if "parties" in made.endpoint] == [
        "POST entities/parties",
        "POST entities/parties",
        "PATCH entities/parties",
    ]
    (party,) = service.records(row("entity").remote_id, Collection.PARTIES)
    assert party["last_name"] == "King"


def test_an_edit_whose_answer_names_its_own_record_is_received(complete: Draft, transport: FlakyTransport) -> None:
    drain()
    save_first_party(complete, {"person.last_name": "King"})
    drain()
    changed = row("party", "ada")
    assert "PATCH entities/parties" in transport.endpoints
    assert (changed.state, changed.unclear_since) == ("done", None)


def test_an_agent_is_asked_after_many_repeats_in_vain(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", lost_before)
    for _ in range(KEYED_REPEATS + 2):
        drain()
    held = row("entity")
    assert (held.state, held.reason, len(transport.calls)) == ("held", "unclear", 1 + KEYED_REPEATS)
    assert {made.key for made in transport.calls} == {held.key}
    assert deliveries_of(complete.application).of_entity().words == "With our team"
    save(complete, "the-company", {"entity.name": "Larkspur"})
    assert row("entity").state == "held"


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted_pauses_everything(
    complete: Draft, transport: FlakyTransport, owner: Any, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    services.start(owner=owner, product=factories.product())
    transport.fail_on("POST entities", answers(status, {"code": "unauthorized"}))
    with caplog.at_level(logging.ERROR):
        assert make_next_call(complete.application.pk) is not None
    assert "rejects the portal's key" in caplog.text
    assert all(make_next_call(application.pk) is None for application in Application.objects.all())
    assert len(transport.calls) == 1
    assert ServiceProfile.objects.get().pause_reason == "key"
    words = [deliveries_of(application).overall.words for application in Application.objects.all()]
    assert words == ["Waiting to retry", "Waiting to retry"]
    transport.clear()
    ServiceProfile.objects.update(paused_until=timezone.now())
    due_now()
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"


def test_a_refusal_stands_at_the_field_that_the_service_names(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities/parties", refuses("last_name", "This name is taken"), times=1)
    transport.fail_on("POST entities/csp-data", refuses("xy.capital", "Too little"), times=1)
    drain()
    deliveries = deliveries_of(complete.application)
    party, entity = deliveries.of_party("ada"), deliveries.of_entity()
    assert (party.is_refused, party.words) == (True, "Changes needed")
    assert [(p.field, p.message, p.party, p.section) for p in party.problems] == [
        ("person.last_name", "This name is taken", "ada", "directors")
    ]
    assert [(p.field, p.section) for p in entity.problems] == [("xy.capital", "funds")]
    with pytest.raises(services.NotReady) as caught:
        submit(complete)
    assert {(need.code, need.field, need.party_id) for need in caught.value.needs} == {
        ("refused", "person.last_name", "ada"),
        ("refused", "xy.capital", None),
    }
    save(complete, "the-company", {"entity.name": "Larkspur"})
    drain()
    assert transport.endpoints.count("POST entities/parties") == 1, "it is not sent again unchanged"
    save_first_party(complete, {"person.last_name": "King"})
    save(complete, "funds", {"xy.capital": {"amount": "60000", "currency": "USD"}})
    drain()
    deliveries = deliveries_of(complete.application)
    assert (deliveries.overall.words, deliveries.overall.problems) == ("Received", ())
    submit(complete)


def test_a_change_during_a_refused_call_has_all_its_tries_left(complete: Draft, transport: FlakyTransport) -> None:
    def refuses_late(transport: FlakyTransport, request: Any, more: Any) -> Any:
        other_tab = factories.again(complete)
        save_first_party(other_tab, {"person.last_name": "King"})
        return refuses("last_name")(transport, request, more)

    replies = iter((unreachable, unreachable, refuses_late, unreachable))
    transport.fail_on("POST entities/parties", lambda *call: next(replies)(*call), times=4)
    for tries in (1, 2):
        due_now()
        drain()
        assert row("party", "ada").attempts == tries
    due_now()
    drain()
    found = row("party", "ada")
    assert (found.state, found.attempts, found.sent["answers"]["person.last_name"]) == ("waiting", 1, "King")
    due_now()
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"


def test_two_classes_of_one_name_are_for_the_customer_to_part(complete: Draft, owner: Any) -> None:
    services.add_share_class(complete, factories.ORDINARY, by=owner, token="twin")
    drain()
    assert deliveries_of(complete.application).of_share_class("twin").is_refused
    save_class(complete, "twin", {"share_class.name": "B"})
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"


def test_an_entity_that_is_there_is_bound_and_brought_up_to_date(complete: Draft, service: FormationService) -> None:
    application = complete.application
    body = {"jurisdiction_product_id": application.product_id, "client_reference": application.reference}
    there = service.create_entity(body | {"name": "An older name"}, key="another")["id"]
    drain()
    assert row("entity").remote_id == there
    assert service.entity(there)["name"] == "Larkfield Holdings"


def test_a_submission_that_is_refused_goes_back_with_the_reasons(complete: Draft, transport: FlakyTransport) -> None:
    error = {"pointer": "/x", "field": "date_of_birth", "code": "required", "detail": "Enter the date of birth"}

    def names_the_party(transport: FlakyTransport, request: Any, more: Any) -> Any:
        details = error | {"party_id": row("party", "ada").remote_id, "section": "Directors"}
        return answers(422, {"code": "requirements_not_met", "errors": [details]})(transport, request, more)

    transport.fail_on("POST entities/submit", names_the_party, times=1)
    submit(complete)
    drain()
    fresh = factories.again(complete)
    assert fresh.application.status is State.RETURNED_FOR_CHANGES
    assert rows_with(Change.objects, what="The formation service asks for a change")
    (problem,) = deliveries_of(fresh.application).last_submission.problems
    assert (problem.field, problem.party, problem.section) == ("person.date_of_birth", "ada", "directors")
    assert drain() == 0
    save_first_party(fresh, {"person.date_of_birth": {"day": "11", "month": "12", "year": "1985"}})
    drain()
    assert transport.endpoints.count("POST entities/submit") == 1
    submit(fresh)
    drain()
    assert transport.endpoints.count("POST entities/submit") == 2
    assert deliveries_of(fresh.application).last_submission.words == "Received"


@pytest.mark.parametrize(
    ("status", "body", "state"),
    [
        (409, {"code": "invalid_state", "detail": "Not now"}, "held"),
        (422, {"code": "idempotency_key_reused"}, "held"),
        (302, None, "unknown"),
        (400, {"code": "unclear"}, "held"),
        (404, {"code": "not_found"}, "held"),
        (422, {"errors": {"name": ["Too long"]}}, "refused"),
        (429, None, "waiting"),
        (409, {"code": "request_in_progress"}, "unknown"),
        (500, None, "unknown"),
        (200, {"data": {}}, "unknown"),
    ],
)
def test_every_answer_has_its_state(
    complete: Draft, transport: FlakyTransport, status: int, body: Any, state: str
) -> None:
    transport.fail_on("POST entities", answers(status, body))
    make_next_call(complete.application.pk)
    assert row("entity").state == state
    # A code of the service's own is not what we have found out.
    assert state == "unknown" or not row("entity").needs_a_decision


def test_an_upload_that_is_gone_holds_up_nothing(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    document = complete.documents[0]
    document.file.storage.delete(str(document.file.name))
    while make_next_call(complete.application.pk):
        pass
    found = row("document", document.subject)
    assert (found.state, found.reason, found.attempts) == ("waiting", "file_missing", 1)
    assert found.next_at is not None
    assert "POST entities/documents" not in transport.endpoints
    status = deliveries_of(complete.application)
    assert status.of("shareholding", "ada/ordinary").words == "Received"
    [(_, view)] = status.unresolved()
    assert view.words == "Waiting to retry"
    assert view.why.startswith("We can’t open this file at the moment.")
    # Not even after many tries.
    for _ in range(KEYED_REPEATS + 1):
        drain()
    assert row("document", document.subject).state == "waiting"
    # The customer chooses the same file again.
    draft = factories.again(complete)
    services.add_document(draft, draft.parties[0], document.slot, factories.upload(), by=owner)
    drain()
    assert row("document", document.subject).state == "done"


def test_a_refusal_of_more_than_was_cleared_is_for_the_customer(complete: Draft, transport: FlakyTransport) -> None:
    save(complete, "the-company", {"xy.started_on": {"day": "1", "month": "2", "year": "2020"}})
    drain()
    save(complete, "the-company", {"xy.started_on": {"day": "", "month": "", "year": ""}})
    save(complete, "funds", {"xy.capital": {"amount": "60000", "currency": "USD"}})
    errors = [{"field": name, "code": "invalid", "detail": "No"} for name in ("xy.started_on", "xy.capital")]
    transport.fail_on("POST entities/csp-data", answers(422, {"code": "validation_failed", "errors": errors}))
    drain()
    refused = row("entity_csp")
    assert (refused.state, [problem["field"] for problem in refused.problems]) == (
        "refused",
        ["xy.started_on", "xy.capital"],
    )


def test_something_already_removed_there_is_removed(complete: Draft, service: FormationService, owner: Any) -> None:
    drain()
    document = row("document", complete.documents[0].subject)
    service.remove_record(row("entity").remote_id, Collection.DOCUMENTS, document.remote_id)
    services.remove_document(complete, complete.documents[0], by=owner)
    drain()
    assert row("document", document.subject).state == "done"


def test_a_worker_that_died_while_looking_again_leaves_what_was_received(complete: Draft) -> None:
    drain()
    for kind, recheck in (("party", True), ("share_class", False)):
        Delivery.objects.filter(kind=kind).update(
            state="reconciling", recheck=recheck, lease=uuid4(), lease_until=timezone.now() - timedelta(seconds=1)
        )
    _expire_leases(list(complete.application.deliveries.all()), current_profile(), now=timezone.now())
    assert (row("party", "ada").state, row("share_class", "ordinary").state) == ("done", "unknown")


def test_what_waits_behind_another_row_is_looked_at_a_moment_later(complete: Draft) -> None:
    drain()
    before = timezone.now()
    update_each(Delivery.objects.filter(kind="entity"), state="waiting", next_at=before + timedelta(hours=1))
    update_each(Delivery.objects.filter(kind="party"), state="waiting", next_at=before)
    assert claim(complete.application.pk) is None
    assert row("party", "ada").next_at > before
    assert row("entity").next_at == before + timedelta(hours=1)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_document_in_doubt_goes_with_its_party(
    complete: Draft, transport: FlakyTransport, owner: Any, is_deleted: bool
) -> None:
    transport.fail_on("POST entities/documents", lost_after, times=1)
    drain()
    assert row("document", "ada/Passport").state == "unknown"
    draft = factories.again(complete)
    if is_deleted:
        services.delete_draft(draft.application, by=owner)
    else:
        services.remove_party(draft, draft.party("ada"), by=owner)
    drain()
    assert (row("document", "ada/Passport").state, row("document", "ada/Passport").next_at) == ("done", None)


def test_what_was_in_doubt_at_a_withdrawal_is_done(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    services.add_party(complete, "person", ["director"], factories.ADA, by=owner, token="grace")
    transport.fail_on("POST entities/parties", lost_after, times=1)
    while not Delivery.objects.filter(kind="party", state="unknown").exists():
        make_next_call(complete.application.pk)
    in_doubt = Delivery.objects.get(kind="party", state="unknown")
    draft = factories.again(complete)
    services.remove_party(draft, draft.party("grace"), by=owner)
    withdraw(factories.again(complete))
    for _ in range(3):
        drain()
    in_doubt.refresh_from_db()
    assert in_doubt.state == "done"
    assert not Delivery.objects.filter(state="held").exists()
