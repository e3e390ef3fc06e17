"""The fault plan by itself: what it hands out, and what it remembers."""

import json
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.service.fault_plan import ENDPOINTS, KILLED, KINDS, FaultPlan


def plan(ledger: Path, *, seed: int = 7, each: int = 3) -> FaultPlan:
    return FaultPlan(seed=seed, ledger=ledger, each=each)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "made-by-the-plan" / "ledger.jsonl"


def draw_faults(of: FaultPlan, endpoint: str, calls: int, *, head: str = "key") -> list[str | None]:
    return [of.draw(endpoint, f"{head}-{endpoint}-{number}") for number in range(calls)]


def lines(ledger: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in ledger.read_text().splitlines()]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_each_kind_comes_as_often_as_planned_with_good_calls_between(ledger: Path, endpoint: str) -> None:
    kinds = Counter(draw_faults(plan(ledger), endpoint, 100))
    assert {kind: kinds[kind] for kind in KINDS} == dict.fromkeys(KINDS, 3)
    assert None in draw_faults(plan(ledger.with_name("another")), endpoint, 30)


def test_the_same_seed_is_the_same_plan(tmp_path: Path) -> None:
    def sequence(name: str, seed: int) -> list[str | None]:
        return draw_faults(plan(tmp_path / name, seed=seed), "parties", 30)

    assert sequence("one", 7) == sequence("two", 7) != sequence("three", 8)


def test_a_key_that_has_had_a_fault_goes_well_from_then_on(ledger: Path) -> None:
    of = plan(ledger)
    hit = next(f"key-parties-{number}" for number, kind in enumerate(draw_faults(of, "parties", 20)) if kind)
    assert [of.draw("parties", hit) for _ in range(20)] == [None] * 20
    assert [fault["key"] for fault in lines(ledger)].count(hit) == 1


def test_calls_without_a_key_are_each_a_call_of_its_own(ledger: Path) -> None:
    of = plan(ledger)
    assert Counter(of.draw("parties", "") for _ in range(40))[KILLED] == 3


def test_a_fault_is_in_the_ledger_before_it_takes_effect(ledger: Path) -> None:
    of = plan(ledger)
    for number in range(30):
        kind = of.draw("documents", f"key-{number}")
        if kind:
            assert lines(ledger)[-1] == {"endpoint": "documents", "kind": kind, "key": f"key-{number}"}


def test_a_new_process_goes_on_where_the_ledger_ends(ledger: Path) -> None:
    straight = [kind for kind in draw_faults(plan(ledger.with_name("straight")), "parties", 100) if kind]
    interrupted: list[str] = []
    for life in range(200):
        # One call a life: the process dies again and again.
        interrupted += [kind for kind in draw_faults(plan(ledger), "parties", 4, head=f"life-{life}") if kind]
    assert interrupted == straight


def test_two_processes_at_once_hand_out_no_fault_twice(ledger: Path) -> None:
    plans = [plan(ledger), plan(ledger)]
    for number in range(60):
        plans[number % 2].draw("parties", f"key-{number}")
    assert Counter(fault["kind"] for fault in lines(ledger)) == dict.fromkeys(KINDS, 3)


def test_threads_hand_out_no_fault_twice(ledger: Path) -> None:
    of = plan(ledger)
    threads = [
        threading.Thread(target=draw_faults, args=(of, "parties", 40), kwargs={"head": str(n)}) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(fault["kind"] for fault in lines(ledger)) == dict.fromkeys(KINDS, 3)


def test_kills_strike_by_turns_before_and_after_the_work_is_committed(ledger: Path) -> None:
    of = FaultPlan(seed=1, ledger=ledger, each=4, kinds=(KILLED,))
    struck = [of.kills_before("parties") for number in range(8) if of.draw("parties", f"key-{number}")]
    assert struck in ([True, False, True, False], [False, True, False, True])


def test_neighbours_begin_with_different_turns(ledger: Path) -> None:
    of = FaultPlan(seed=1, ledger=ledger, each=1, kinds=(KILLED,))
    for endpoint in ENDPOINTS:
        draw_faults(of, endpoint, 2)
    assert Counter(of.kills_before(endpoint) for endpoint in ENDPOINTS) == {True: 3, False: 3}
