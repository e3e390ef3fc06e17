"""`/metrics` for Prometheus: what all processes of this machine have counted, and figures read from the databases.

The figures are the same for all machines; those that were counted are of the machine that is asked.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from formation_portal.core.monitoring.metrics import all_processes
from formation_portal.desk.queue.health import waiting_cases
from formation_portal.mail.health import outbox
from formation_portal.relay.health import is_paused, last_event, open_deliveries
from formation_portal.relay.models import DeliveryState, RefusedEvents
from formation_portal.relay.refused_events import refused_events
from formation_portal.service.webhooks.health import event_queue

PATH = "/metrics"


class Metrics:
    """Answers whoever brings METRICS_TOKEN; without that setting there is no such page.

    Like the health checks it stands before everything else: it needs no known host name, and is not logged.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info != PATH or not settings.METRICS_TOKEN:
            return self.get_response(request)
        headers = {"Cache-Control": "no-store"}
        brought = request.headers.get("Authorization", "").encode()
        if not secrets.compare_digest(brought, f"Bearer {settings.METRICS_TOKEN}".encode()):
            headers["WWW-Authenticate"] = "Bearer"
            return HttpResponse("METRICS_TOKEN is needed\n", status=401, content_type="text/plain", headers=headers)
        registry = all_processes()
        registry.register(Figures())
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers=headers)


class Figures(Collector):
    """What the databases say at the moment of the scrape. A database that is away leaves out its own figures."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing is read at the registration."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        readable = GaugeMetricFamily(
            "formation_figures_readable", "Whether these figures could be read.", labels=["figures"]
        )
        for name, read in _FIGURES.items():
            try:
                found = list(read())
            except Error:
                readable.add_metric([name], 0)
            else:
                readable.add_metric([name], 1)
                yield from found
        yield readable


def _deliveries() -> Iterator[GaugeMetricFamily]:
    counts = GaugeMetricFamily("formation_deliveries", "Deliveries that are not done.", labels=["state"])
    ages = GaugeMetricFamily(
        "formation_delivery_oldest_seconds", "Age of the oldest delivery in a state.", labels=["state"]
    )
    found = {one.state: one for one in open_deliveries()}
    for state in DeliveryState:
        if state != DeliveryState.DONE:
            one = found.get(state)
            counts.add_metric([state.value], one.number if one else 0)
            ages.add_metric([state.value], _age(one.oldest if one else None))
    yield from (counts, ages)
    paused = "Whether the relay sends nothing for the moment."
    yield GaugeMetricFamily("formation_relay_paused", paused, value=is_paused())
    came = last_event()
    last = "When the service's last event came, in seconds since 1970; 0: none within a month."
    yield GaugeMetricFamily("formation_last_event_timestamp_seconds", last, value=came.timestamp() if came else 0)
    help_text = "Events of the service that were rejected since the portal last subscribed."
    refused, numbers = GaugeMetricFamily("formation_events_refused", help_text, labels=["reason"]), refused_events()
    for reason in RefusedEvents.Reason.values:
        refused.add_metric([reason], numbers.get(reason, 0))
    yield refused


def _cases() -> Iterator[GaugeMetricFamily]:
    counts = GaugeMetricFamily("formation_cases", "Cases in a view of the agents' queue.", labels=["view"])
    ages = GaugeMetricFamily(
        "formation_case_oldest_seconds", "For how long the oldest case is in a view.", labels=["view"]
    )
    for one in waiting_cases():
        counts.add_metric([one.view], one.number)
        ages.add_metric([one.view], _age(one.oldest))
    yield from (counts, ages)


def _letters() -> Iterator[GaugeMetricFamily]:
    found = outbox()
    yield GaugeMetricFamily("formation_letters_unsent", "E-mails that wait to be sent.", value=found.unsent)
    oldest = "Age of the oldest e-mail that waits to be sent."
    yield GaugeMetricFamily("formation_letter_oldest_seconds", oldest, value=_age(found.oldest))
    lost = "E-mails of the last week that were given up."
    yield GaugeMetricFamily("formation_letters_given_up", lost, value=found.given_up)


def _events() -> Iterator[GaugeMetricFamily]:
    found = event_queue()
    waiting = "Events of the embedded service that wait to be posted."
    yield GaugeMetricFamily("formation_events_unsent", waiting, value=found.unsent)
    oldest = "Age of the oldest event that waits to be posted."
    yield GaugeMetricFamily("formation_event_oldest_seconds", oldest, value=_age(found.oldest))
    yield GaugeMetricFamily("formation_events_given_up", "Events that were given up.", value=found.given_up)


def _age(since: datetime | None) -> float:
    """In seconds; 0 where nothing waits."""
    return max(0.0, (timezone.now() - since).total_seconds()) if since else 0.0


_FIGURES: dict[str, Callable[[], Iterator[GaugeMetricFamily]]] = {
    "deliveries": _deliveries,
    "cases": _cases,
    "letters": _letters,
    "events": _events,
}
