"""`/metrics`: who may read it, what it counts, what it reads from the databases, and that nobody is named in it."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from formation_portal import gateway
from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.core.monitoring import metrics
from formation_portal.desk.models import Case
from formation_portal.gateway.errors import GatewayError
from formation_portal.mail.models import Email
from formation_portal.relay.models import Attempt, Delivery, DeliveryState, ReceivedEvent
from formation_portal.relay.service_profile import update_profile
from formation_portal.service.models import Account, Event, EventDelivery, Subscription
from tests import factories
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service

from .served import PROJECT

__all__ = ["at_other_service", "other_service"]

TOKEN = "a-token-of-some-length"

# The value of a sample by its name and the values of its labels, in the order of their names.
Samples = dict[tuple[str, ...], float]
Scrape = Callable[[], Samples]


def samples_in(text: str) -> Samples:
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def scrape(settings: Any, as_nobody: Client) -> Scrape:
    settings.METRICS_TOKEN = TOKEN
    headers = {"authorization": f"Bearer {TOKEN}", "host": "10.1.2.3:8000"}
    return lambda: samples_in(as_nobody.get("/metrics", headers=headers).content.decode())


databases = pytest.mark.django_db(databases=["default", "service"])


@databases
def test_only_who_brings_the_token_reads_it(client: Client, settings: Any) -> None:
    right = {"authorization": f"Bearer {TOKEN}"}
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for wrong in ({}, {"authorization": TOKEN}, {"authorization": "Bearer "}, {"authorization": f"Bearer {TOKEN}é"}):
        answer = client.get("/metrics", headers=wrong)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert b"formation_" not in answer.content
    answer = client.get("/metrics", headers=right)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    assert answer["Cache-Control"] == "no-store"
    assert not answer.cookies


@databases
def test_requests_are_counted_by_route_method_and_status(scrape: Scrape, as_owner: Client, settings: Any) -> None:
    before = scrape()
    for _ in range(3):
        as_owner.get("/applications/?words=Solheim")
    as_owner.get("/Solheim/")
    as_owner.generic("SOLHEIM", "/")
    settings.METRICS_TOKEN = ""
    as_owner.get("/applications/")
    settings.METRICS_TOKEN = TOKEN
    after = scrape()
    added = {name: value - before.get(name, 0) for name, value in after.items() if name[0].startswith("formation_req")}
    counts = {name[1:]: value for name, value in added.items() if name[0] == "formation_requests_total" and value}
    assert counts == {
        ("GET", "portal:applications", "200"): 3,
        ("GET", "-", "404"): 1,
        ("-", "portal:catalog", "405"): 1,
    }, "and nothing without the setting"
    assert added["formation_request_seconds_count", "GET", "portal:applications"] == 3
    assert added["formation_request_seconds_sum", "GET", "portal:applications"] > 0
    assert not [name for name in after if "solheim" in "".join(name).lower()]


@databases
def test_calls_to_the_service_are_counted_by_their_outcome(scrape: Scrape, at_other_service: OtherService) -> None:
    before = scrape()
    gateway.service().catalog()
    at_other_service.key = "another"
    with pytest.raises(GatewayError):
        gateway.service().catalog()
    at_other_service.stop()
    with pytest.raises(GatewayError):
        gateway.service().catalog()
    after = scrape()
    for outcome in ("ok", "NotAuthorised", "NotSent"):
        name = ("formation_service_call_seconds_count", "GET", outcome)
        assert after[name] - before.get(name, 0) == 1


@databases
def test_figures_of_deliveries(scrape: Scrape, owner: User) -> None:
    assert scrape()["formation_deliveries", "held"] == 0
    application = services.start(owner=owner, product=factories.product())
    Delivery.objects.all().delete()
    for state, kind in (
        (DeliveryState.HELD, "party"),
        (DeliveryState.DONE, "document"),
        (DeliveryState.QUEUED, "status"),
    ):
        Delivery.objects.create(application=application, kind=kind, state=state)
    for kind in ("entity", "share_class"):
        row = Delivery.objects.create(application=application, kind=kind, state=DeliveryState.WAITING, key="k")
        Attempt.objects.create(delivery=row, key="k")
    Attempt.objects.filter(delivery=row).update(started_at=timezone.now() - timedelta(hours=1))
    ReceivedEvent.objects.create(event_id="e", body=b"")
    update_profile(paused_until=timezone.now() + timedelta(minutes=1))
    found = scrape()
    counts = {name[1]: value for name, value in found.items() if name[0] == "formation_deliveries" and value}
    assert counts == {"held": 1, "waiting": 2}
    assert ("formation_deliveries", "done") not in found
    assert 3600 <= found["formation_delivery_oldest_seconds", "waiting"] < 3700
    assert 0 <= found["formation_delivery_oldest_seconds", "held"] < 100
    assert found["formation_relay_paused",] == 1
    assert abs(found["formation_last_event_timestamp_seconds",] - timezone.now().timestamp()) < 100


@databases
def test_figures_of_the_queue(scrape: Scrape, owner: User) -> None:
    at = timezone.now() - timedelta(hours=2)
    for moments in ({"open_since": at, "waiting_since": at, "overdue_at": at}, {"open_since": at, "confirm_since": at}):
        application = services.start(owner=owner, product=factories.product())
        Case.objects.create(application=application, submitted_at=at, state="submitted", **moments)
    Case.objects.filter(confirm_since=None).update(overdue_at=timezone.now() - timedelta(minutes=1))
    found = scrape()
    views = {name[1]: value for name, value in found.items() if name[0] == "formation_cases"}
    assert views == {"open": 2, "waiting": 1, "to_confirm": 1, "overdue": 1}
    assert 7200 <= found["formation_case_oldest_seconds", "waiting"] < 7300
    assert 60 <= found["formation_case_oldest_seconds", "overdue"] < 160


@databases
def test_figures_of_letters_and_events(scrape: Scrape) -> None:
    empty = scrape()
    assert empty["formation_letters_unsent",] == empty["formation_event_oldest_seconds",] == 0
    now, hour = timezone.now(), timezone.now() - timedelta(hours=1)
    Email.objects.create(kind="code", language="en", to="ada@example.com", next_at=now)
    Email.objects.update(created_at=hour)
    Email.objects.create(kind="code", language="en", sent_at=now)
    Email.objects.create(kind="code", language="en", error="SMTPRecipientsRefused")
    account = Account.objects.create(name="portal")
    subscription = Subscription.objects.create(account=account, url="https://portal.example")
    for more in ({"next_at": now}, {"dead_at": now}, {"delivered_at": now}):
        event = Event.objects.create(account=account, type="entity.created", data={})
        EventDelivery.objects.create(subscription=subscription, event=event, about="e", **more)
    Event.objects.update(created_at=hour)
    found = scrape()
    assert (found["formation_letters_unsent",], found["formation_letters_given_up",]) == (1, 1)
    assert (found["formation_events_unsent",], found["formation_events_given_up",]) == (1, 1)
    for name in ("formation_letter_oldest_seconds", "formation_event_oldest_seconds"):
        assert 3600 <= found[name,] < 3700
    assert not [name for name in found if "example" in "".join(name)]


@databases
def test_a_database_that_is_away_hides_its_own_figures_alone(scrape: Scrape, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_away() -> None:
        raise OperationalError("nobody is there")

    monkeypatch.setattr("formation_portal.management.metrics.event_queue", is_away)
    found = scrape()
    assert found["formation_figures_readable", "events"] == 0
    assert found["formation_figures_readable", "letters"] == 1
    assert ("formation_events_unsent",) not in found
    assert ("formation_letters_unsent",) in found


@databases
def test_the_dashboard_and_the_metrics_name_the_same(scrape: Scrape, as_owner: Client) -> None:
    as_owner.get("/applications/")
    with pytest.raises(GatewayError):
        gateway.service().catalog()
    exposed = {name for name, *_ in scrape() if not name.endswith("_created")}
    dashboard = json.loads((PROJECT / "deploy/grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    named = set(re.findall(r"\bformation_\w+", " ".join(asked)))
    assert named == exposed


@pytest.mark.parametrize(("number", "label"), [(-1, "none"), (0, "0"), (599, "599"), (600, "none")])
def test_a_system_call_is_counted_by_its_number_where_it_can_be_one(settings: Any, number: int, label: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    name, labels = "formation_sandbox_unlisted_calls_total", {"call": label}
    before = metrics.all_processes().get_sample_value(name, labels=labels) or 0
    metrics.count_unlisted_call(number, 3)
    assert metrics.all_processes().get_sample_value(name, labels=labels) == before + 3
