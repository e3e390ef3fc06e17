"""All workers together keep to pauses, a breaker, a rate, and a budget for trying again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay import timing
from formation_portal.relay.calls import rate_limit
from formation_portal.relay.calls.outcomes import CallOutcome
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.models import Delivery, DeliveryState, ServiceProfile
from formation_portal.relay.service_profile import current_profile, locked_profile
from formation_portal.relay.worker import Worker
from tests import factories

from ..conftest import row
from ..flaky_transport import FlakyTransport, answers, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
GOOD = CallOutcome(DeliveryState.DONE)
SILENT = CallOutcome(DeliveryState.WAITING, has_answer=False)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture
def at_service(db: None) -> ServiceProfile:
    return locked_profile()


def opens_after(found: ServiceProfile, now: datetime, *, is_retry: bool = False) -> float:
    return (rate_limit.opens_at(found, now, is_retry=is_retry) - now).total_seconds()


def test_no_second_has_more_calls_than_allowed(at_service: ServiceProfile, settings: Any) -> None:
    settings.RELAY_CALLS_PER_SECOND = 10
    times = []
    now = NOW
    for _ in range(35):
        now = rate_limit.opens_at(at_service, now)
        rate_limit.count_calls(at_service, now, is_retry=False)
        times.append(now)
    assert times[:10] == [NOW] * 10
    for first, eleventh in zip(times, times[10:], strict=False):
        assert eleventh - first >= timedelta(seconds=1)


def test_a_call_counts_from_its_end(at_service: ServiceProfile, settings: Any) -> None:
    settings.RELAY_CALLS_PER_SECOND = 1
    rate_limit.count_calls(at_service, NOW, is_retry=False)
    rate_limit.count_at_end(at_service, NOW, after(0.4))
    assert opens_after(at_service, after(0.5)) == pytest.approx(0.9)


def test_five_calls_without_an_answer_open_the_breaker_and_then_one_tries_for_all(at_service: ServiceProfile) -> None:
    for _ in range(timing.FAILURES):
        assert opens_after(at_service, NOW) == 0
        rate_limit.record_outcome(at_service, SILENT, NOW, was_retry=False)
    assert opens_after(at_service, NOW) == 30
    later = after(30)
    assert opens_after(at_service, later) == 0
    rate_limit.count_calls(at_service, later, is_retry=False)
    assert opens_after(at_service, later) == 30
    rate_limit.record_outcome(at_service, SILENT, after(31), was_retry=False)
    assert opens_after(at_service, after(31)) == 30
    rate_limit.record_outcome(at_service, GOOD, after(62), was_retry=False)
    assert opens_after(at_service, after(62)) == 0
    assert at_service.failures == 0


def test_an_answer_between_failures_keeps_the_breaker_closed(at_service: ServiceProfile) -> None:
    for _ in range(3 * timing.FAILURES):
        rate_limit.record_outcome(at_service, SILENT, NOW, was_retry=False)
        rate_limit.record_outcome(at_service, SILENT, NOW, was_retry=False)
        rate_limit.record_outcome(at_service, GOOD, NOW, was_retry=False)
    assert opens_after(at_service, NOW) == 0


def test_trying_again_has_a_budget_that_time_and_success_fill(at_service: ServiceProfile, settings: Any) -> None:
    settings.RELAY_CALLS_PER_SECOND = 100
    for _ in range(int(timing.RETRIES)):
        assert opens_after(at_service, NOW, is_retry=True) == 0
        rate_limit.count_calls(at_service, NOW, is_retry=True)
    assert opens_after(at_service, NOW, is_retry=True) == pytest.approx(6)
    assert opens_after(at_service, NOW) == 0
    assert opens_after(at_service, after(6), is_retry=True) == 0
    rate_limit.record_outcome(at_service, GOOD, NOW, was_retry=True)
    assert opens_after(at_service, NOW, is_retry=True) == 0


def test_ten_first_tries_that_succeed_pay_for_one_retry(at_service: ServiceProfile, settings: Any) -> None:
    settings.RELAY_CALLS_PER_SECOND = 100
    at_service.retries_left, at_service.retries_at = 0.0, NOW
    for _ in range(9):
        rate_limit.record_outcome(at_service, GOOD, NOW, was_retry=False)
    assert opens_after(at_service, NOW, is_retry=True) > 0
    rate_limit.record_outcome(at_service, GOOD, NOW, was_retry=False)
    assert opens_after(at_service, NOW, is_retry=True) == pytest.approx(0, abs=0.001)


def test_a_pause_that_the_service_asks_for_is_for_all(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    other = services.start(owner=owner, product=factories.product())
    transport.fail_on("POST entities", answers(429, Retry_After="600"), times=1)
    asked_at = timezone.now()
    make_next_call(complete.application.pk)
    assert make_next_call(other.pk) is None
    paused = current_profile().paused_until
    assert timedelta(seconds=600) <= paused - asked_at < timedelta(seconds=630)
    assert len(transport.calls) == 1


def test_an_answer_elsewhere_does_not_end_a_pause_and_a_refusal_begins_none(at_service: ServiceProfile) -> None:
    refused = CallOutcome(DeliveryState.REFUSED, retry_after=60)
    rate_limit.record_outcome(at_service, refused, NOW, was_retry=False)
    assert opens_after(at_service, NOW) == 0
    rate_limit.record_outcome(at_service, CallOutcome(DeliveryState.WAITING, retry_after=20.0), NOW, was_retry=False)
    rate_limit.record_outcome(at_service, GOOD, NOW, was_retry=False)
    assert opens_after(at_service, NOW) == 20


def test_what_waited_goes_on_once_the_service_answers(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    others = [services.start(owner=owner, product=factories.product()) for _ in range(timing.FAILURES)]
    transport.fail_on("POST entities", unreachable, times=timing.FAILURES)
    for one in (complete.application, *others[1:]):
        make_next_call(one.pk)
    assert make_next_call(others[0].pk) is None
    assert locked_profile().open_until is not None
    ServiceProfile.objects.update(open_until=timezone.now() - timedelta(seconds=1))
    Delivery.objects.filter(state="waiting").update(next_at=timezone.now() + timedelta(minutes=14))
    assert make_next_call(others[0].pk) is not None
    waiting = Delivery.objects.filter(state="waiting")
    assert waiting.count() == timing.FAILURES
    assert all(one.next_at is not None and one.next_at <= timezone.now() for one in waiting)
    assert locked_profile().open_until is None


def test_one_that_waits_tries_for_all_though_its_time_has_not_come(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", unreachable, times=1)
    make_next_call(complete.application.pk)
    ServiceProfile.objects.update(failures=timing.FAILURES, open_until=timezone.now() - timedelta(seconds=1))
    Delivery.objects.filter(state="waiting").update(next_at=timezone.now() + timedelta(minutes=14))
    # The first pass finds that all else has to wait for it.
    Worker().work_once()
    assert Worker().work_once() == 1
    assert row("entity").state == "done"
    assert locked_profile().open_until is None


def test_a_retry_without_budget_waits_and_others_go_on(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    transport.fail_on("POST entities", unreachable, times=1)
    make_next_call(complete.application.pk)
    Delivery.objects.filter(state="waiting").update(next_at=timezone.now())
    ServiceProfile.objects.update(retries_left=0.0, retries_at=timezone.now())
    assert make_next_call(complete.application.pk) is None
    waiting = row("entity")
    assert waiting.next_at > timezone.now() + timedelta(seconds=4)
    other = services.start(owner=owner, product=factories.product())
    assert make_next_call(other.pk) is not None
