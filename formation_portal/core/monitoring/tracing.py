"""Trace requests, calls to the formation service, deliveries and e-mails with OpenTelemetry.

Tracing is on if OpenTelemetry's own variables name a collector (OTEL_EXPORTER_OTLP_ENDPOINT); else nothing is imported.
A span has the same data as a line of the log, but no URLs (which may hold keys) and nothing that was typed.
"""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, Protocol

# The variables that name a collector. OpenTelemetry reads its other variables itself.
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_FLUSH_MILLISECONDS = 3000


class Span(Protocol):
    def rename(self, name: str) -> None: ...

    def set(self, attributes: Mapping[str, str | int], *, is_error: bool = False) -> None:
        """Set the attributes that are not empty, by their names in OpenTelemetry."""


class _NoSpan:
    def rename(self, name: str) -> None:
        pass

    def set(self, attributes: Mapping[str, str | int], *, is_error: bool = False) -> None:
        pass


def is_on() -> bool:
    return any(map(os.environ.get, _ENDPOINTS)) and os.environ.get("OTEL_SDK_DISABLED", "") != "true"


def trouble() -> str:
    """Explain why the collector that the environment names gets no traces. Return "" if nothing is wrong."""
    try:
        if not is_on() or all(map(find_spec, _PACKAGES)):
            return ""
    except ModuleNotFoundError:
        # A package that contains one of these modules is missing.
        pass
    return "OTEL_EXPORTER_OTLP_ENDPOINT: there are no traces: install formation-portal[tracing]"


def span(name: str, *, kind: str = "INTERNAL", parent: Mapping[str, str] | None = None) -> AbstractContextManager[Span]:
    """Trace the block as a child of the current span, or else of the span in the `parent` headers.

    `kind` is one of OpenTelemetry's: SERVER, CLIENT, INTERNAL.
    """
    recorder = _recorder()
    if recorder is None:
        return nullcontext(_NoSpan())
    recorded: AbstractContextManager[Span] = recorder.span(name, kind, parent)
    return recorded


def trace_headers() -> dict[str, str]:
    """Return the headers by which another server continues the current trace (W3C's traceparent)."""
    headers: dict[str, str] = {}
    if recorder := _recorder():
        recorder.inject(headers)
    return headers


def flush() -> None:
    """Send the remaining spans before the process ends. Does not wait long for a collector that is away."""
    if recorder := _recorder():
        recorder.flush(_FLUSH_MILLISECONDS)


def _recorder() -> Any:
    """Return the module that uses OpenTelemetry, or None without a collector or its packages."""
    if not is_on() or trouble():
        return None
    from . import opentelemetry_spans

    return opentelemetry_spans
