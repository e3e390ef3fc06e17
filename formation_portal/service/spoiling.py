"""Puts this service in trouble on purpose: what each fault of the plan does to a call. Refused outside of tests.

`SERVICE_FAULTS` in the settings is None, or `{"seed", "ledger", "each"}`, and then `TESTING` must be true. The
environment can set neither.
"""

import os
import signal
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from formation_portal.service import faults
from formation_portal.service.faults import FaultPlan
from formation_portal.service.problems import Refusal

REFUSED = "SERVICE_FAULTS loses calls on purpose: it is for tests, and needs TESTING"

Work = Callable[[], HttpResponse]
Perform = Callable[[HttpRequest, Any, Work], HttpResponseBase]


def spoiled(perform: Perform) -> Perform:
    """`perform`, which does the work and keeps its answer, with the plan's faults around it."""

    def around(request: HttpRequest, key: Any, work: Work) -> HttpResponseBase:
        plan = plan_in_force()
        endpoint = _endpoint_of(request)
        if plan is None or endpoint is None:
            return perform(request, key, work)
        kind = plan.draw(endpoint, request.headers.get("Idempotency-Key", ""))
        if kind == faults.KILLED:
            _die(lambda doing: perform(request, key, doing), work, is_before=plan.kills_before(endpoint))
        return _SPOIL[kind](lambda: perform(request, key, work))

    return around


def plan_in_force() -> FaultPlan | None:
    """The plan of the settings, None where none is set; raises ImproperlyConfigured outside of tests."""
    refuse_outside_tests()
    said: Mapping[str, Any] | None = settings.SERVICE_FAULTS
    return _plan(said["seed"], Path(said["ledger"]), said["each"]) if said else None


def refuse_outside_tests() -> None:
    """Raises ImproperlyConfigured where a plan is set and the settings are not those of a test."""
    if settings.SERVICE_FAULTS is not None and not settings.TESTING:
        raise ImproperlyConfigured(REFUSED)


def check_faults(**_: Any) -> list[CheckMessage]:
    """The same, as a check of the settings."""
    is_wrong = settings.SERVICE_FAULTS is not None and not settings.TESTING
    return [Error(REFUSED, id="service.E001")] if is_wrong else []


@cache
def _plan(seed: int, ledger: Path, each: int) -> FaultPlan:
    return FaultPlan(seed=seed, ledger=ledger, each=each)


def _endpoint_of(request: HttpRequest) -> str | None:
    """The documented POST that this is."""
    steps = request.path.strip("/").split("/")[2:]
    is_one = request.method == "POST" and (steps == ["entities"] or (len(steps) == 3 and steps[0] == "entities"))
    return steps[-1] if is_one and steps[-1] in faults.ENDPOINTS else None


def _error_before(perform: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    raise Refusal("internal_error", "Something went wrong on our side.")


def _error_after(perform: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    perform()
    raise Refusal("internal_error", "Something went wrong on our side.")


def _too_many(perform: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    raise Refusal("rate_limited", "Not so many at once.", headers={"Retry-After": "1"})


def _broken_json(perform: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    answer = perform()
    assert isinstance(answer, HttpResponse)
    return HttpResponse(answer.content[: len(answer.content) // 2], status=201, content_type="application/json")


_SPOIL: Mapping[str | None, Callable[[Callable[[], HttpResponseBase]], HttpResponseBase]] = {
    None: lambda perform: perform(),
    faults.ERROR_BEFORE: _error_before,
    faults.ERROR_AFTER: _error_after,
    faults.TOO_MANY: _too_many,
    faults.BROKEN_JSON: _broken_json,
}


def _die(perform: Callable[[Work], HttpResponseBase], work: Work, *, is_before: bool) -> None:
    """Ends this process as a power cut would: in the middle of the transaction, or as soon as it is committed."""

    def doing() -> HttpResponse:
        try:
            return work()
        finally:
            _kill()

    try:
        perform(doing if is_before else work)
    finally:
        # Where the work was done earlier and only its answer is kept, there is no middle to die in.
        _kill()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
