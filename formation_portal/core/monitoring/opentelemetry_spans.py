"""Record spans with OpenTelemetry. `tracing` loads this module only if there is a collector."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_SERVICE_NAME = "formation-portal"


class RecordedSpan:
    """A span of `tracing`, sent to the collector."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def set(self, attributes: Mapping[str, str | int], *, is_error: bool = False) -> None:
        self._span.set_attributes({name: value for name, value in attributes.items() if value != ""})
        if is_error:
            self._span.set_status(StatusCode.ERROR)


@contextmanager
def span(name: str, kind: str, parent: Mapping[str, str] | None) -> Iterator[RecordedSpan]:
    context = None
    if parent is not None and not get_current_span().get_span_context().is_valid:
        context = TraceContextTextMapPropagator().extract({key.lower(): value for key, value in parent.items()})
    tracer = _provider(os.getpid()).get_tracer("formation_portal")
    # The exception's text is left out, since it may hold what was typed.
    with tracer.start_as_current_span(
        name, context=context, kind=SpanKind[kind], record_exception=False, set_status_on_exception=False
    ) as otel_span:
        recorded = RecordedSpan(otel_span)
        try:
            yield recorded
        except BaseException as error:
            recorded.set({"error.type": type(error).__name__}, is_error=True)
            raise


def inject(headers: dict[str, str]) -> None:
    TraceContextTextMapPropagator().inject(headers)


def flush(milliseconds: int) -> None:
    _provider(os.getpid()).force_flush(milliseconds)


# A provider belongs to a process: its sending thread does not survive a fork.
@lru_cache(maxsize=2)
def _provider(_process: int) -> TracerProvider:
    attributes = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": _SERVICE_NAME}
    provider = TracerProvider(resource=Resource.create(attributes))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
