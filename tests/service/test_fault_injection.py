"""What a fault of the plan does to a call of the embedded service."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from formation_portal.service import idempotency
from formation_portal.service.models import Entity, KeptAnswer
from tests.service import example_catalog, fault_plan
from tests.service.caller import Caller, problem
from tests.service.fault_injection import with_faults
from tests.service.fault_plan import FaultPlan

pytestmark = pytest.mark.django_db(databases=["service"])

SEED = 0
BODY = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "name": "Larkfield"}


def create(caller: Caller, key: str = "key") -> Any:
    return caller.post("/entities", BODY, Idempotency_Key=key)


@pytest.fixture
def meets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The next call at each endpoint meets this fault, and no other does."""

    def only(kind: str) -> FaultPlan:
        plan = FaultPlan(seed=SEED, ledger=tmp_path / "ledger", each=1, kinds=(kind,))
        monkeypatch.setattr(idempotency, "run_once", with_faults(idempotency.run_once, plan))
        return plan

    return only


def test_the_seed_of_these_tests_begins_with_a_fault(tmp_path: Path) -> None:
    plan = FaultPlan(seed=SEED, ledger=tmp_path / "ledger", each=1, kinds=("any",))
    assert (plan.draw("entities", "one"), plan.draw("parties", "other")) == ("any", "any")


def test_an_error_before_leaves_nothing_done(caller: Caller, meets: Any) -> None:
    meets(fault_plan.ERROR_BEFORE)
    problem(create(caller), 500, "internal_error")
    assert (Entity.objects.count(), KeptAnswer.objects.count()) == (0, 0)
    assert create(caller).status_code == 201


def test_an_error_after_leaves_the_work_and_its_answer_kept(caller: Caller, meets: Any) -> None:
    meets(fault_plan.ERROR_AFTER)
    problem(create(caller), 500, "internal_error")
    assert Entity.objects.count() == 1
    again = create(caller)
    assert again["Idempotent-Replayed"] == "true"
    assert again.json()["data"]["id"] == Entity.objects.get().id


def test_an_error_after_happens_without_a_key_too(caller: Caller, meets: Any) -> None:
    meets(fault_plan.ERROR_AFTER)
    problem(caller.post("/entities", BODY), 500, "internal_error")
    assert Entity.objects.count() == 1


def test_too_many_says_when_to_come_again_and_does_nothing(caller: Caller, meets: Any) -> None:
    meets(fault_plan.TOO_MANY)
    answer = create(caller)
    problem(answer, 429, "rate_limited")
    assert answer["Retry-After"] == "1"
    assert Entity.objects.count() == 0


def test_broken_json_is_done_and_half_said(caller: Caller, meets: Any) -> None:
    meets(fault_plan.BROKEN_JSON)
    answer = create(caller)
    assert (answer.status_code, answer["Content-Type"]) == (201, "application/json")
    with pytest.raises(json.JSONDecodeError):
        json.loads(answer.content)
    whole = create(caller)
    assert whole["Idempotent-Replayed"] == "true"
    assert whole.content.startswith(answer.content)


def test_only_documented_posts_meet_faults(caller: Caller, entity: str, meets: Any) -> None:
    plan = meets(fault_plan.ERROR_BEFORE)
    assert caller.get("/entities").status_code == 200
    assert caller.patch(f"/entities/{entity}", {"name": "Other"}).status_code == 200
    assert caller.post(f"/entities/{entity}/submit").status_code == 422
    assert caller.post(f"/entities/{entity}/parties/reuse", {}).status_code == 422
    assert plan.draw("entities", "key") == fault_plan.ERROR_BEFORE
    problem(caller.post(f"/entities/{entity}/parties", {}), 500, "internal_error")


def test_a_call_without_a_good_key_uses_up_no_fault(caller: Caller, meets: Any) -> None:
    meets(fault_plan.ERROR_BEFORE)
    problem(Caller("sk_test_nobody").post("/entities", BODY), 401, "unauthorized")
    problem(create(caller), 500, "internal_error")


class TestKilled:
    """The process that takes the call dies; the test watches from another one."""

    pytestmark = pytest.mark.django_db(databases=["service"], transaction=True)

    @pytest.mark.parametrize(("is_before", "entities"), [(True, 0), (False, 1)])
    def test_a_kill_strikes_before_or_after_the_commit(
        self, caller: Caller, meets: Any, monkeypatch: pytest.MonkeyPatch, *, is_before: bool, entities: int
    ) -> None:
        plan = meets(fault_plan.KILLED)
        monkeypatch.setattr(plan, "kills_before", lambda endpoint: is_before)
        assert _signal_that_ended(lambda: create(caller)) == signal.SIGKILL
        assert Entity.objects.count() == entities

    def test_after_a_kill_in_the_middle_the_key_is_free_again_in_time(
        self, caller: Caller, meets: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        plan = meets(fault_plan.KILLED)
        monkeypatch.setattr(plan, "kills_before", lambda endpoint: True)
        _signal_that_ended(lambda: create(caller))
        problem(create(caller), 409, "request_in_progress")
        settings.SERVICE_GIVEN_UP_SECONDS = 0
        assert create(caller).status_code == 201
        assert Entity.objects.count() == 1

    def test_after_a_kill_behind_the_commit_a_repeat_has_the_first_answer(
        self, caller: Caller, meets: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plan = meets(fault_plan.KILLED)
        monkeypatch.setattr(plan, "kills_before", lambda endpoint: False)
        _signal_that_ended(lambda: create(caller))
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
