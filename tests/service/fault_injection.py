"""Faults on purpose: what each does to a call of the embedded service."""

import os
import signal
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from formation_portal.service import idempotency
from formation_portal.service.problems import ApiError

from .fault_plan import BROKEN_JSON, ENDPOINTS, ERROR_BEFORE, KILLED, TOO_MANY, FaultPlan

Work = Callable[[], HttpResponse]
Perform = Callable[[HttpRequest, Any, Work], HttpResponseBase]


def inject_faults(plan: FaultPlan) -> None:
    """Let the embedded service of this process meet the plan's faults from now on."""
    idempotency.run_once = with_faults(idempotency.run_once, plan)


def with_faults(perform: Perform, plan: FaultPlan) -> Perform:
    """Put the plan's faults around `perform`, which does the work and keeps its answer."""

    def around(request: HttpRequest, key: Any, work: Work) -> HttpResponseBase:
        steps = request.path.strip("/").split("/")[2:]
        is_documented = request.method == "POST" and (
            steps == ["entities"] or (len(steps) == 3 and steps[0] == "entities")
        )
        endpoint = steps[-1] if is_documented else ""
        if endpoint not in ENDPOINTS:
            return perform(request, key, work)
        kind = plan.draw(endpoint, request.headers.get("Idempotency-Key", ""))
        if kind is None:
            return perform(request, key, work)
        if kind == KILLED:
            _kill_during(lambda doing: perform(request, key, doing), work, is_before=plan.kills_before(endpoint))
        elif kind == TOO_MANY:
            raise ApiError("rate_limited", "Not so many at once.", headers={"Retry-After": "1"})
        elif kind != ERROR_BEFORE:
            answer = perform(request, key, work)
            if kind == BROKEN_JSON:
                assert isinstance(answer, HttpResponse)
                half = answer.content[: len(answer.content) // 2]
                return HttpResponse(half, status=201, content_type="application/json")
        raise ApiError("internal_error", "Something went wrong on our side.")

    return around


def _kill_during(perform: Callable[[Work], HttpResponseBase], work: Work, *, is_before: bool) -> None:
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
