"""What a customer reads about how far things have come."""

from itertools import product
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.relay.delivery_status import DeliveryStage, deliveries_for_customer, deliveries_of
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, Reason, ResourceKind
from formation_portal.relay.worker import drain
from tests.encrypted_rows import update_each

from .conftest import submit
from .flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_most_urgent_state_stands_for_all(complete: Draft, transport: FlakyTransport) -> None:
    drain()
    assert deliveries_of(complete.application).overall.state is DeliveryStage.RECEIVED
    Delivery.objects.filter(kind="document").update(state="held")
    assert deliveries_of(complete.application).overall.state is DeliveryStage.OURS
    Delivery.objects.filter(kind="party_csp").update(state="refused")
    deliveries = deliveries_of(complete.application)
    assert deliveries.overall.state is DeliveryStage.YOURS
    assert deliveries.of_party("ada").is_refused
    assert not deliveries.of("party", "ada").is_refused


@pytest.mark.parametrize("document_status", ["", REJECTED])
def test_a_customer_reads_of_a_draft_just_what_is_not_well(complete: Draft, document_status: str) -> None:
    [row] = Delivery.objects.filter(kind="document")
    Delivery.objects.exclude(pk=row.pk).update(state="done")
    for state, reason in product(DeliveryState.values, ["", Reason.UNSUPPORTED]):
        Delivery.objects.filter(pk=row.pk).update(state=state, document_status=document_status, reason=reason)
        is_well = state in ("done", "queued", "sending") and document_status != REJECTED and not reason
        words = deliveries_of(complete.application).of("document", row.subject).words
        # On its way to the service is as good as saved.
        expected = "Saved" if is_well or words == "Sending" else words
        shown = deliveries_for_customer(complete.application).of("document", row.subject).words
        assert shown == expected, (state, reason)


@pytest.mark.parametrize(
    ("state", "reason", "is_settled"),
    [
        ("done", "", True),
        ("refused", "", True),
        ("held", Reason.UNSUPPORTED, True),
        ("held", Reason.UNCLEAR, False),
        ("held", Reason.AMBIGUOUS, False),
        ("sending", "", False),
        ("unknown", "", False),
        ("reconciling", "", False),
    ],
)
def test_what_may_have_arrived_is_not_settled(state: str, reason: str, is_settled: bool) -> None:
    assert Delivery(kind="party", state=state, reason=reason).is_settled is is_settled


@pytest.mark.parametrize("can_edit", [True, False])
def test_only_where_the_service_has_no_call_for_it_can_a_party_not_be_removed_there(
    complete: Draft, transport: FlakyTransport, settings: Any, can_edit: bool
) -> None:
    settings.FORMATION_SERVICE_EDITS = can_edit
    submit(complete)
    drain()
    deliveries = deliveries_of(complete.application)
    assert deliveries.cannot_be_removed(ResourceKind.PARTY, "ada") is not can_edit
    assert not deliveries.cannot_be_removed(ResourceKind.PARTY, "nobody")


IN_DOUBT = "We don’t know yet whether it arrived. Our team is checking. You don’t need to do anything."
CANNOT = "We can’t send this change automatically. Our team will inform the formation service."
OTHERWISE = "Something went wrong when we sent it. Our team is looking into it. You don’t need to do anything."
NO_FILE = "We can’t open this file at the moment. We keep trying. You can also upload it again."


@pytest.mark.parametrize(
    ("state", "reason", "words", "why"),
    [
        ("held", "unclear", "With our team", IN_DOUBT),
        ("held", "not_found", "With our team", OTHERWISE),
        ("done", "unsupported", "With our team", CANNOT),
        ("done", "told", "Received", ""),
        ("waiting", "file_missing", "Waiting to retry", NO_FILE),
        ("reconciling", "", "Checking delivery", ""),
        ("sending", "", "Sending", ""),
        ("refused", "", "Changes needed", ""),
    ],
)
def test_customers_read_how_far_it_is_and_why_our_team_has_it(
    complete: Draft, state: str, reason: str, words: str, why: str
) -> None:
    update_each(Delivery.objects.filter(kind="document"), state=state, reason=reason, acknowledged={})
    status = deliveries_of(complete.application).of_all(ResourceKind.DOCUMENT)
    assert (status.words, status.why) == (words, why)


def test_a_submission_to_pay_for_waits_for_the_payment(submitted: Draft) -> None:
    update_each(Delivery.objects.filter(kind="submission"), state="done", acknowledged={})
    assert deliveries_of(submitted.application).last_submission.words == "Received"
    submitted.application.payment_due_since = timezone.now()
    deliveries = deliveries_of(submitted.application)
    assert deliveries.last_submission.words == "Waiting for payment"
    assert deliveries.of_party("ada").words != "Waiting for payment"
