"""When the worker looks again: never at once for what can't go, and after a day where the service has no such call."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.calls.claiming import claim
from formation_portal.relay.models import Delivery, EntityReading, Reason, ServiceProfile
from formation_portal.relay.resolution import bind, record_provider_informed
from formation_portal.relay.worker import drain
from tests import factories
from tests.encrypted_rows import update_each
from tests.relay.calls.status_changes import submitted
from tests.relay.conftest import read_all_documents, read_all_entities, row
from tests.relay.flaky_transport import FlakyTransport, answers

__all__ = ["submitted"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

READINGS = [
    (read_all_documents, "GET entities/documents", lambda: row("document", "ada/Passport").read_next_at),
    (read_all_entities, "GET entities", lambda: EntityReading.objects.get().next_at),
]


@pytest.mark.parametrize(("read", "call", "read_next"), READINGS, ids=["documents", "entities"])
def test_what_the_service_does_not_show_is_asked_for_once_a_day(
    submitted: Draft, transport: FlakyTransport, read: Callable[[], int], call: str, read_next: Callable[[], Any]
) -> None:
    transport.fail_on(call, answers(405))
    assert read() == 1
    assert timedelta(hours=23) < read_next() - timezone.now() <= timedelta(days=1)


@pytest.mark.parametrize(("read", "call", "read_next"), READINGS, ids=["documents", "entities"])
def test_a_reading_that_is_answered_ends_a_row_of_failures(
    submitted: Draft, transport: FlakyTransport, read: Callable[[], int], call: str, read_next: Callable[[], Any]
) -> None:
    ServiceProfile.objects.update(failures=4)
    assert read() == 1
    assert ServiceProfile.objects.get().failures == 0


def test_what_waits_behind_another_row_is_looked_at_a_moment_later(complete: Draft, transport: FlakyTransport) -> None:
    drain()
    before = timezone.now()
    update_each(Delivery.objects.filter(kind="entity"), state="waiting", next_at=before + timedelta(hours=1))
    update_each(Delivery.objects.filter(kind="party"), state="waiting", next_at=before)
    assert claim(complete.application.pk) is None
    assert row("party", "ada").next_at > before
    assert row("entity").next_at == before + timedelta(hours=1)


def bound(delivery: Delivery, agent: Any) -> None:
    update_each(Delivery.objects.filter(pk=delivery.pk), state="held", reason=Reason.UNCLEAR)
    bind(delivery.pk, agent=agent, remote_id="pty_7")


def informed(delivery: Delivery, agent: Any) -> None:
    update_each(Delivery.objects.filter(pk=delivery.pk), state="held", reason=Reason.UNSUPPORTED)
    record_provider_informed(delivery.pk, agent=agent, note="By telephone")


@pytest.mark.parametrize("decide", [bound, informed])
def test_what_an_agent_has_settled_is_due_no_more(
    complete: Draft, transport: FlakyTransport, agent: Any, decide: Callable[[Delivery, Any], None]
) -> None:
    drain()
    decide(row("party", "ada"), agent)
    assert (row("party", "ada").state, row("party", "ada").next_at) == ("done", None)


def test_a_class_that_moves_up_has_its_new_place(complete: Draft, owner: Any) -> None:
    services.add_share_class(complete, factories.PREFERENCE, by=owner, token="preference")
    assert [row("share_class", token).position for token in ("ordinary", "preference")] == [0, 1]
    services.remove_share_class(complete, complete.share_classes[0], by=owner)
    assert row("share_class", "preference").position == 0
