"""How deliveries are told apart: for agents' list, for operators' figures, and for erasing an application."""

from datetime import timedelta

import pytest
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.erasure import is_settled, settled
from formation_portal.relay.health import open_deliveries
from formation_portal.relay.models import Delivery, Reason
from formation_portal.relay.resolution import deliveries_in, queue_groups
from formation_portal.relay.worker import _reactivate_resting

from .flaky_transport import FlakyTransport, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"])


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
