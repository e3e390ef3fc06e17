"""Trace requests, calls to the formation service, deliveries and e-mails with OpenTelemetry.

Tracing is on if OpenTelemetry's own variables name a collector (OTEL_EXPORTER_OTLP_ENDPOINT); else nothing is imported.
A span has the same data as a line of the log: names of routes, methods, statuses, types of errors, numbers of rows, but
no addresses, which hold keys, and nothing that was typed. Calls carry W3C's traceparent.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

# The variables that name a collector. OpenTelemetry reads its other variables itself.
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_SERVICE_NAME = "formation-portal"
_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_FLUSH_MILLISECONDS = 3000


class Span:
    """Wrap a span of OpenTelemetry. Without a collector it does nothing."""

    def __init__(self, otel_span: Any = None) -> None:
        self._otel_span = otel_span

    def rename(self, name: str) -> None:
        if self._otel_span is not None:
            self._otel_span.update_name(name)

    def set(self, attributes: Mapping[str, str | int], *, is_error: bool = False) -> None:
        """Set attributes by their names in OpenTelemetry, without empty ones."""
        if self._otel_span is None:
            return
        self._otel_span.set_attributes({name: value for name, value in attributes.items() if value != ""})
        if is_error:
            from opentelemetry.trace import StatusCode

            self._otel_span.set_status(StatusCode.ERROR)


_NO_SPAN = nullcontext(Span())


def is_on() -> bool:
    return any(os.environ.get(name) for name in _ENDPOINTS) and os.environ.get("OTEL_SDK_DISABLED", "") != "true"


def trouble() -> str:
    """Explain to the start why there are no traces though a collector is named. Return "" if nothing is wrong."""
    if not is_on() or all(_has(name) for name in _PACKAGES):
        return ""
    return "OTEL_EXPORTER_OTLP_ENDPOINT: there are no traces: install formation-portal[tracing]"


def span(name: str, *, kind: str = "INTERNAL", parent: Mapping[str, str] | None = None) -> AbstractContextManager[Span]:
    """Trace the block as a child of the current span, or else of the span in the `parent` headers.

    `kind` is one of OpenTelemetry's: SERVER, CLIENT, INTERNAL.
    """
    if not is_on() or (tracer := _tracer(os.getpid())) is None:
        return _NO_SPAN
    return _traced_span(tracer, name, kind, parent)


def trace_headers() -> dict[str, str]:
    """Return the headers by which another server continues the current trace."""
    headers: dict[str, str] = {}
    if is_on() and _tracer(os.getpid()) is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)
    return headers


def flush() -> None:
    """Send the remaining spans before the process ends. Does not wait long for a collector that is away."""
    if is_on() and (tracer := _tracer(os.getpid())) is not None:
        tracer.provider.force_flush(_FLUSH_MILLISECONDS)


@contextmanager
def _traced_span(tracer: Any, name: str, kind: str, parent: Mapping[str, str] | None) -> Iterator[Span]:
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context = None
    if parent is not None and not trace.get_current_span().get_span_context().is_valid:
        context = TraceContextTextMapPropagator().extract({key.lower(): value for key, value in parent.items()})
    # Without the exception's text, which may hold what was typed.
    with tracer.start_as_current_span(
        name,
        context=context,
        kind=trace.SpanKind[kind],
        record_exception=False,
        set_status_on_exception=False,
    ) as otel_span:
        traced = Span(otel_span)
        try:
            yield traced
        except BaseException as error:
            traced.set({"error.type": type(error).__name__}, is_error=True)
            raise


# A tracer belongs to a process: its sending thread does not survive a fork.
@lru_cache(maxsize=2)
def _tracer(_process: int) -> Any:
    if trouble():
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    attributes = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": _SERVICE_NAME}
    provider = TracerProvider(resource=Resource.create(attributes))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracer: Any = provider.get_tracer("formation_portal")
    tracer.provider = provider
    return tracer


def _has(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
