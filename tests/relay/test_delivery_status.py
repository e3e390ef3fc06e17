"""How far each delivery has come: for customers, for agents and operators, and where a refusal belongs."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.gateway.errors import FieldProblem
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import DeliveryStage, deliveries_for_customer, deliveries_of
from formation_portal.relay.erasure import is_settled, settled
from formation_portal.relay.health import open_deliveries
from formation_portal.relay.models import REJECTED, Delivery, DeliveryState, Reason, ResourceKind
from formation_portal.relay.problems import locate
from formation_portal.relay.resolution import deliveries_in, queue_groups
from formation_portal.relay.worker import _reactivate_resting, drain
from tests.encrypted_rows import update_each

from .conftest import submit
from .flaky_transport import FlakyTransport, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_most_urgent_state_stands_for_all(complete: Draft) -> None:
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
    complete: Draft, settings: Any, can_edit: bool
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


def put(draft: Draft, state: str, reason: str = "", *, is_due: bool = False) -> Delivery:
    """The only delivery of the application: in this state, and due or at rest."""
    Delivery.objects.all().delete()
    next_at = timezone.now() if is_due else None
    lease = timezone.now() - timedelta(minutes=1) if state == "sending" else None
    return Delivery.objects.create(
        application=draft.application, kind="entity", state=state, reason=reason, next_at=next_at, lease_until=lease
    )


@pytest.mark.parametrize(
    ("state", "reason", "group"),
    [
        ("held", Reason.UNCLEAR, "undecided"),
        ("done", Reason.DUPLICATE, "duplicates"),
        ("unknown", Reason.UNCLEAR, "unknown"),
        ("reconciling", "", "unknown"),
        ("sending", "", "unknown"),
        ("held", Reason.UNSUPPORTED, "by_hand"),
        ("done", Reason.UNSUPPORTED, "by_hand"),
        ("held", "not_found", "held"),
        ("refused", "", "refused"),
        ("waiting", "", "waiting"),
        ("queued", "", None),
        ("done", "", None),
    ],
)
def test_each_delivery_is_in_its_group(complete: Draft, state: str, reason: str, group: str | None) -> None:
    row = put(complete, state, reason)
    # A duplicate is to be decided too.
    groups = {group, "undecided"} if reason == Reason.DUPLICATE else {group} - {None}
    found = {name for name, _, _ in queue_groups() if name and row in deliveries_in(name)}
    assert found == groups
    assert [*deliveries_in()] == ([row] if groups else [])
    assert {name: number for name, _, number in queue_groups() if number} == dict.fromkeys(
        {"", *groups} if groups else (), 1
    )


@pytest.mark.parametrize(
    ("state", "is_due", "is_open", "is_erasable"),
    [
        ("done", False, False, True),
        ("done", True, False, False),
        ("queued", False, False, True),
        ("queued", True, True, False),
        ("refused", False, True, True),
        ("refused", True, True, False),
        ("unknown", False, True, False),
        ("sending", True, True, False),
        ("held", False, True, False),
    ],
)
def test_what_rests_is_not_open_and_what_is_in_doubt_is_not_settled(
    complete: Draft, state: str, is_due: bool, is_open: bool, is_erasable: bool
) -> None:
    put(complete, state, is_due=is_due)
    assert [(row.state, row.number) for row in open_deliveries()] == ([(state, 1)] if is_open else [])
    assert is_settled(complete.application) is is_erasable
    assert settled(Application.objects.filter(pk=complete.application.pk)).exists() is is_erasable


@pytest.mark.parametrize(
    ("state", "reason", "is_tried"),
    [
        ("queued", "", True),
        ("held", Reason.UNSUPPORTED, True),
        ("held", Reason.UNCLEAR, False),
        ("unknown", Reason.UNSUPPORTED, False),
    ],
)
def test_a_new_start_tries_what_may_go_out_now(complete: Draft, state: str, reason: str, is_tried: bool) -> None:
    put(complete, state, reason)
    _reactivate_resting()
    assert Delivery.objects.filter(next_at__isnull=False).exists() is is_tried


@pytest.mark.parametrize(("is_away", "goes_on"), [(False, True), (True, False)])
def test_others_go_on_unless_the_service_is_away(
    complete: Draft, transport: FlakyTransport, is_away: bool, goes_on: bool
) -> None:
    if is_away:
        transport.fail_on("POST entities", unreachable)
    Delivery.objects.exclude(kind="entity").update(next_at=None)
    assert make_next_call(complete.application.pk) is not None
    others = Delivery.objects.exclude(kind="entity")
    assert {one.next_at is not None for one in others} == {goes_on}


def refused(field: str, message: str = "Not this", **about: str) -> FieldProblem:
    return FieldProblem(field=field, code="invalid", message=message, **about)


IDS = {(ResourceKind.PARTY, "ada"): "par_1", (ResourceKind.SHARE_CLASS, "ordinary"): "shc_1"}


@pytest.mark.parametrize(
    ("kind", "subject", "objection", "place"),
    [
        ("entity", "", refused("name"), ("", "")),
        ("party_csp", "ada", refused("xy.person.is_pep"), ("ada", "")),
        ("document", "ada/Passport", refused("file"), ("ada", "")),
        ("share_class_csp", "ordinary", refused("xy.rights"), ("", "ordinary")),
        ("shareholding", "ada/ordinary", refused("shares_held"), ("ada", "ordinary")),
        ("submission", "1", refused("last_name", party_id="par_1"), ("ada", "")),
        ("submission", "1", refused("name", share_class_id="shc_1"), ("", "ordinary")),
        ("submission", "1", refused("name", party_id="par_of_others"), ("", "")),
    ],
)
def test_a_refusal_is_about_what_was_sent_or_what_it_names(
    complete: Draft, kind: str, subject: str, objection: FieldProblem, place: tuple[str, str]
) -> None:
    row = Delivery(application=complete.application, kind=kind, subject=subject)
    [found] = locate([objection], row, IDS, complete)
    assert (found["party"], found["share_class"]) == place


def test_a_refusal_of_a_document_names_its_slot(complete: Draft) -> None:
    sent = {"document_key": "Passport"}
    row = Delivery(application=complete.application, kind="document", subject="ada/Passport", sent=sent)
    own, named = locate([refused("file"), refused("file", slot="Visa")], row, IDS, complete)
    assert (own["slot"], named["slot"]) == ("Passport", "Visa")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("date_of_birth.0", "person.date_of_birth"),
        ("parties.0.person.last_name", "person.last_name"),
        ("xy.person.is_pep", "xy.person.is_pep"),
        (".".join(["deep"] * 2_000) + ".email", "person.email"),
        ("favourite_colour", "favourite_colour"),
    ],
)
def test_a_path_names_the_question_that_it_leads_to_or_into(complete: Draft, path: str, field: str) -> None:
    row = Delivery(application=complete.application, kind="party", subject="ada")
    if field == "xy.person.is_pep":
        row.kind = "party_csp"
    [found] = locate([refused(path)], row, IDS, complete)
    assert (found["field"], found["is_answerable"]) == (field, field != "favourite_colour")
