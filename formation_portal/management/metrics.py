"""Answer `/metrics` for Prometheus with the counts of this machine's processes and with figures from the databases."""

import secrets
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
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


class Metrics(MiddlewareMixin):
    """Answer scrapes that send METRICS_TOKEN. Like the health checks, this stands before RequestLog."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.path_info != PATH or not settings.METRICS_TOKEN:
            return None
        headers = {"Cache-Control": "no-store"}
        credentials = request.headers.get("Authorization", "").encode()
        if not secrets.compare_digest(credentials, f"Bearer {settings.METRICS_TOKEN}".encode()):
            headers["WWW-Authenticate"] = "Bearer"
            return HttpResponse("METRICS_TOKEN is needed\n", status=401, content_type="text/plain", headers=headers)
        registry = all_processes()
        registry.register(Figures())
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers=headers)


class Figures(Collector):
    """Read figures from the databases at each scrape. Figures of a database that is away are left out."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Describe no figures, so that registering does not read the databases."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        readable = GaugeMetricFamily(
            "formation_figures_readable", "Whether these figures could be read.", labels=["figures"]
        )
        readers = {"deliveries": _deliveries, "cases": _cases, "letters": _letters, "events": _events}
        for name, read in readers.items():
            try:
                figures = list(read())
            except Error:
                readable.add_metric([name], 0)
            else:
                readable.add_metric([name], 1)
                yield from figures
        yield readable


def _deliveries() -> Iterator[GaugeMetricFamily]:
    counts = GaugeMetricFamily("formation_deliveries", "Deliveries that are not done.", labels=["state"])
    ages = GaugeMetricFamily(
        "formation_delivery_oldest_seconds", "Age of the oldest delivery in a state.", labels=["state"]
    )
    by_state = {row.state: row for row in open_deliveries()}
    for state in DeliveryState:
        if state == DeliveryState.DONE:
            continue
        _, number, oldest = by_state.get(state, (state, 0, None))
        counts.add_metric([state.value], number)
        ages.add_metric([state.value], _age(oldest))
    yield from (counts, ages)
    help_text = "Whether the relay sends nothing for the moment."
    yield GaugeMetricFamily("formation_relay_paused", help_text, value=is_paused())
    received_at = last_event()
    timestamp = received_at.timestamp() if received_at else 0
    help_text = "When the service's last event came, in seconds since 1970; 0: none within a month."
    yield GaugeMetricFamily("formation_last_event_timestamp_seconds", help_text, value=timestamp)
    help_text = "Events of the service that were rejected since the portal last subscribed."
    refused = GaugeMetricFamily("formation_events_refused", help_text, labels=["reason"])
    refused_by_reason = refused_events()
    for reason in RefusedEvents.Reason.values:
        refused.add_metric([reason], refused_by_reason.get(reason, 0))
    yield refused


def _cases() -> Iterator[GaugeMetricFamily]:
    counts = GaugeMetricFamily("formation_cases", "Cases in a view of the agents' queue.", labels=["view"])
    ages = GaugeMetricFamily(
        "formation_case_oldest_seconds", "For how long the oldest case is in a view.", labels=["view"]
    )
    for view, number, oldest in waiting_cases():
        counts.add_metric([view], number)
        ages.add_metric([view], _age(oldest))
    yield from (counts, ages)


def _letters() -> Iterator[GaugeMetricFamily]:
    backlog = outbox()
    yield GaugeMetricFamily("formation_letters_unsent", "E-mails that wait to be sent.", value=backlog.unsent)
    help_text = "Age of the oldest e-mail that waits to be sent."
    yield GaugeMetricFamily("formation_letter_oldest_seconds", help_text, value=_age(backlog.oldest))
    help_text = "E-mails of the last week that were given up."
    yield GaugeMetricFamily("formation_letters_given_up", help_text, value=backlog.given_up)


def _events() -> Iterator[GaugeMetricFamily]:
    backlog = event_queue()
    help_text = "Events of the embedded service that wait to be posted."
    yield GaugeMetricFamily("formation_events_unsent", help_text, value=backlog.unsent)
    help_text = "Age of the oldest event that waits to be posted."
    yield GaugeMetricFamily("formation_event_oldest_seconds", help_text, value=_age(backlog.oldest))
    yield GaugeMetricFamily("formation_events_given_up", "Events that were given up.", value=backlog.given_up)


def _age(since: datetime | None) -> float:
    return max(0.0, (timezone.now() - since).total_seconds()) if since else 0.0
