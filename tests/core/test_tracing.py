"""Traces, as a collector receives them: one from a page through to the embedded service, and nobody's name in it."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from formation_portal.core.monitoring import opentelemetry_spans, tracing
from formation_portal.gateway import catalog, service
from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import GatewayError
from formation_portal.mail.outbox import queue_email
from formation_portal.mail.worker import send_due
from formation_portal.relay.worker import drain
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.mail.smtp_server import mail_server
from tests.service.webhooks.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(Receiver):
    """Take OTLP over HTTP, as any collector."""

    @property
    def spans(self) -> list[Any]:
        tracing.flush()
        assert {request.path for request in self.received} <= {"/v1/traces"}
        requests = [ExportTraceServiceRequest.FromString(request.body) for request in self.received]
        resources = [resource for request in requests for resource in request.resource_spans]
        return [span for resource in resources for scope in resource.scope_spans for span in scope.spans]

    def named(self, name: str) -> Any:
        [span] = [span for span in self.spans if span.name == name]
        return span

    @property
    def text(self) -> str:
        assert self.spans
        return "".join(map(str, self.spans))


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with receiving(Collector) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        opentelemetry_spans._provider.cache_clear()
        yield server
        opentelemetry_spans._provider(os.getpid()).shutdown()
        opentelemetry_spans._provider.cache_clear()


@pytest.fixture
def with_catalog() -> Iterator[None]:
    store_catalog([factories.ITEM])
    catalog.forget()
    portal_key()
    yield
    catalog.forget()


def attributes(span: Any) -> dict[str, Any]:
    values = {attribute.key: attribute.value for attribute in span.attributes}
    return {name: value.int_value or value.string_value for name, value in values.items()}


def test_a_trace_goes_from_the_page_to_the_service_within(collector: Collector, with_catalog: None) -> None:
    answer = Client().get("/", headers={"traceparent": CALLER, "X-Request-Id": "request-of-a-proxy"})
    assert answer.status_code == 200
    page = collector.named("GET portal:catalog")
    [call, *_] = [span for span in collector.spans if span.name == "GET /catalog"]
    inner = next(span for span in collector.spans if span.parent_span_id == call.span_id)
    assert page.trace_id.hex() == call.trace_id.hex() == inner.trace_id.hex() == CALLER[3:35]
    assert (page.parent_span_id.hex(), call.parent_span_id) == (CALLER[36:52], page.span_id)
    assert inner.name == "GET service:list_catalog"
    assert attributes(page) == {
        "http.request.method": "GET",
        "http.route": "portal:catalog",
        "http.response.status_code": 200,
        "request.id": "request-of-a-proxy",
    }


def test_what_is_delivered_and_mailed_has_spans_without_names_or_addresses(
    collector: Collector, with_catalog: None, owner: Any, as_owner: Client, settings: Any
) -> None:
    draft = factories.new_draft(owner)
    application = draft.application
    as_owner.get(f"/applications/{application.reference}/?q=Solheim")
    factories.fill_in(draft, by=owner)
    drain()
    with mail_server(settings):
        context = {"code": "204 816", "minutes": 10, "reference": application.reference}
        queue_email(kind="code", to="ada@example.com", language="en", context=context)
        assert send_due() == 1
    names = {span.name for span in collector.spans}
    assert {"mail code", "GET portal:overview"} <= names, names
    for word in (application.reference, "Solheim", "owner@example.com", "ada@example.com", "204 816", "/applications"):
        assert word not in collector.text


def test_an_id_of_a_thing_is_no_part_of_a_name(collector: Collector, with_catalog: None) -> None:
    with pytest.raises(GatewayError):
        service().remove_record("ent_4711", Collection.PARTIES, "pty_0815")
    call = collector.named("DELETE /entities/{id}/parties/{id}")
    assert call.status.code == 2
    assert attributes(call) == {"error.type": "NotThere"}
    assert "4711" not in collector.text


def test_a_fault_is_an_error_without_its_words(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, as_owner: Client
) -> None:
    def breaks(*_: Any, **__: Any) -> None:
        raise KeyError("Ingrid Solheim")

    monkeypatch.setattr("formation_portal.portal.applications.views.numbered_links", breaks)
    as_owner.raise_request_exception = False
    assert as_owner.get("/applications/").status_code == 500
    assert collector.named("GET portal:applications").status.code == 2
    assert "Solheim" not in collector.text


def test_a_collector_without_the_packages_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tracing.trouble() == ""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    assert tracing.trouble() == ""
    monkeypatch.setattr(tracing, "_PACKAGES", ("opentelemetry.nowhere.at.all",))
    assert "install formation-portal[tracing]" in tracing.trouble()
