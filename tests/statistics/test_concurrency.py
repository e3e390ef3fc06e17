"""Transitions at the same time: none waits for ever, and none is lost from the totals."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.transactions import current_version
from formation_portal.statistics.models import OpenDay, TransitionTotal
from tests.reviews.deciding import decide
from tests.statistics.random_histories import begin, do
from tests.statistics.recount import counted, recounted

REVIEWED = ("submit", "begin_review", "return", "submit", "begin_review", "decline")
AT_ONCE, CASES = 4, 3


@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_transitions_of_one_day_at_once_lose_no_count(owner: Any) -> None:
    mine = [[begin(owner) for _ in range(CASES)] for _ in range(AT_ONCE)]
    ready = Barrier(AT_ONCE)

    def review(cases: list[Application]) -> None:
        ready.wait()
        try:
            for case in cases:
                for transition in REVIEWED:
                    do(case, transition, by=owner)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as everybody:
        list(everybody.map(review, mine))
    assert counted() == recounted()
    assert OpenDay.objects.filter(with_us=0, with_customer=0).count() == OpenDay.objects.count()
    assert set(TransitionTotal.objects.values_list("submitted", flat=True)) == {2 * AT_ONCE * CASES}


@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_decisions_that_move_a_case_twice_do_not_wait_in_a_circle(owner: Any, agent: Any) -> None:
    mine = [[begin(owner) for _ in range(CASES)] for _ in range(AT_ONCE)]
    ready = Barrier(AT_ONCE)

    def send_back(cases: list[Application]) -> None:
        ready.wait()
        try:
            for case in cases:
                do(case, "submit", by=owner)
                draft = open_draft(Application.objects.get(pk=case.pk))
                decide(draft, RETURN, text="Please mend it", by=agent, version=current_version(draft.application))
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as everybody:
        list(everybody.map(send_back, mine))
    assert counted() == recounted()
    assert set(TransitionTotal.objects.values_list("returned", flat=True)) == {AT_ONCE * CASES}
