"""The process that takes a call is killed: before the commit nothing is done, and after it a repeat has the answer."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from formation_portal.service import idempotency
from formation_portal.service.models import Entity
from tests.service import example_catalog
from tests.service.caller import Caller, problem
from tests.service.fault_injection import with_faults
from tests.service.fault_plan import KILLED, FaultPlan

pytestmark = pytest.mark.django_db(databases=["service"], transaction=True)

BODY = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "name": "Larkfield"}


def create(caller: Caller) -> Any:
    return caller.post("/entities", BODY, Idempotency_Key="key")


@pytest.fixture
def kill(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caller: Caller) -> Callable[[bool], None]:
    """Kills the process that creates an entity, before or after its work is committed."""

    def kill(is_before: bool) -> None:
        # With this seed the first call at the endpoint has a fault.
        plan = FaultPlan(seed=0, ledger=tmp_path / "ledger", each=1, kinds=(KILLED,))
        monkeypatch.setattr(idempotency, "run_once", with_faults(idempotency.run_once, plan))
        monkeypatch.setattr(plan, "kills_before", lambda _: is_before)
        assert _signal_that_ended(lambda: create(caller)) == signal.SIGKILL

    return kill


def test_after_a_kill_in_the_middle_nothing_is_done_and_the_key_is_free_again_in_time(
    caller: Caller, kill: Callable[[bool], None], settings: Any
) -> None:
    kill(True)
    assert Entity.objects.count() == 0
    problem(create(caller), 409, "request_in_progress")
    settings.SERVICE_GIVEN_UP_SECONDS = 0
    assert create(caller).status_code == 201
    assert Entity.objects.count() == 1


def test_after_a_kill_behind_the_commit_a_repeat_has_the_first_answer(
    caller: Caller, kill: Callable[[bool], None]
) -> None:
    kill(False)
    assert create(caller)["Idempotent-Replayed"] == "true"
    assert Entity.objects.count() == 1


def _signal_that_ended(call: Any) -> int:
    """Runs the call in a process of its own; 0 where it ended by itself."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            call()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
