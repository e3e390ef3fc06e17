"""OpenTelemetry: spans of requests, of calls to the formation service, of deliveries and e-mails.

On where OpenTelemetry's own variables name a collector (OTEL_EXPORTER_OTLP_ENDPOINT); else nothing is imported. A span
says what a line of the log says: names of routes, methods, statuses, kinds of errors, numbers of rows. Neither
addresses, which hold keys, nor what was typed. W3C's traceparent goes along with calls, also into the embedded service.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

# What takes traces over HTTP; any of OpenTelemetry's other variables counts, too.
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_SERVICE_NAME = "formation-portal"
_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_FLUSH_MILLISECONDS = 3000


class Span:
    """What the block may add. Without a collector it is kept nowhere."""

    def __init__(self, real: Any = None) -> None:
        self._real = real

    def rename(self, name: str) -> None:
        """To what it turned out to be."""
        if self._real is not None:
            self._real.update_name(name)

    def set(self, attributes: Mapping[str, str | int], *, is_error: bool = False) -> None:
        """Attributes by their names in OpenTelemetry; empty ones are left out."""
        if self._real is None:
            return
        self._real.set_attributes({name: value for name, value in attributes.items() if value != ""})
        if is_error:
            from opentelemetry.trace import StatusCode

            self._real.set_status(StatusCode.ERROR)


_NO_SPAN = nullcontext(Span())


def is_on() -> bool:
    """Whether a collector is named."""
    return any(os.environ.get(name) for name in _ENDPOINTS) and os.environ.get("OTEL_SDK_DISABLED", "") != "true"


def trouble() -> str:
    """Why there are no traces though a collector is named, for the start; else empty."""
    if not is_on() or all(_has(name) for name in _PACKAGES):
        return ""
    return "OTEL_EXPORTER_OTLP_ENDPOINT: there are no traces: install formation-portal[tracing]"


def span(name: str, *, kind: str = "INTERNAL", parent: Mapping[str, str] | None = None) -> AbstractContextManager[Span]:
    """Times the block; inside another span it belongs to that, else to what the `parent` headers name. `kind` is one
    of OpenTelemetry's: SERVER, CLIENT, INTERNAL."""
    if not is_on() or (tracer := _tracer(os.getpid())) is None:
        return _NO_SPAN
    return _real_span(tracer, name, kind, parent)


def trace_headers() -> dict[str, str]:
    """The headers by which another server continues the trace; none without one."""
    headers: dict[str, str] = {}
    if is_on() and _tracer(os.getpid()) is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)
    return headers


def flush() -> None:
    """Send what this process still has, before it ends; a collector that is away keeps nobody for long."""
    if is_on() and (tracer := _tracer(os.getpid())) is not None:
        tracer.provider.force_flush(_FLUSH_MILLISECONDS)


@contextmanager
def _real_span(tracer: Any, name: str, kind: str, parent: Mapping[str, str] | None) -> Iterator[Span]:
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context = None
    if parent is not None and not trace.get_current_span().get_span_context().is_valid:
        context = TraceContextTextMapPropagator().extract({key.lower(): value for key, value in parent.items()})
    # Not the exception's own words, which may hold what was typed.
    with tracer.start_as_current_span(
        name,
        context=context,
        kind=trace.SpanKind[kind],
        record_exception=False,
        set_status_on_exception=False,
    ) as real:
        here = Span(real)
        try:
            yield here
        except BaseException as error:
            here.set({"error.type": type(error).__name__}, is_error=True)
            raise


# One a process: its thread that sends is not there any more after a fork.
@lru_cache(maxsize=2)
def _tracer(_process: int) -> Any:
    if trouble():
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": _SERVICE_NAME}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracer: Any = provider.get_tracer("formation_portal")
    tracer.provider = provider
    return tracer


def _has(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
