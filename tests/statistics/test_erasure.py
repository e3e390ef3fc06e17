"""The totals stay as they are when a case, or a person of it, is erased."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import erase_application, erase_party
from formation_portal.reviews.models import Query
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import current_version
from formation_portal.statistics.models import ErasedFigures
from tests import factories
from tests.statistics.random_histories import Clock, begin, do
from tests.statistics.recount import counted
from tests.statistics.test_counting import REVIEWED
from tests.statistics.test_queries import (
    BIRTH,
    OTHERS_BIRTH,
    PARTY,
    PASSPORT,
    SECTION,
    by_question,
    by_reason,
    send_back,
    submitted,
)

__all__ = ["submitted"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def erase(application: Application) -> None:
    erase_application(Application.objects.get(pk=application.pk), by=None, reason="retention")


def test_an_erased_case_counts_as_before(owner: Any, clock: Clock) -> None:
    case, other = begin(owner, product="first"), begin(owner, product="second")
    for hours, transition in enumerate(REVIEWED):
        clock.move(hours=hours)
        do(case, transition, by=owner)
    do(other, "submit", by=owner)
    before = counted("week"), counted("month")
    assert before[0]["closings"]["first",]["seconds_with_us"] == 3600 * (1 + 2 + 4 + 5)
    erase(case)
    assert not case.changes.exists()
    assert (counted("week"), counted("month")) == before
    assert ErasedFigures.objects.get().last_day == clock.now().date()


def test_only_the_queries_of_the_erased_case_are_kept(submitted: Draft, owner: Any, agent: Any) -> None:
    other = factories.submitted_draft(owner)
    version = current_version(other.application)
    draft_query(other, Target(TargetKind.SECTION, "funds"), text="Explain", reason="unclear", by=agent, version=version)
    Query.objects.filter(application=other.application).update(sent_at=timezone.now())
    send_back(submitted, agent, (BIRTH, "differs"))
    services.withdraw(open_draft(submitted.application), by=owner)
    before = by_question(), by_reason()
    assert before[1] == {"differs": (1, 1), "unclear": (1, 1)}
    erase(submitted.application)
    assert (by_question(), by_reason()) == before


def test_the_queries_of_an_erased_person_count_as_before(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back(submitted, agent, (BIRTH, "differs"), (OTHERS_BIRTH, "missing"), (PASSPORT, "differs"), (PARTY, "other"))
    services.submit(submitted, by=owner)
    send_back(submitted, agent, (BIRTH, "differs"), (SECTION, "differs"))
    before = by_question(), by_reason()
    assert before[0]["field", "Date of birth"] == (2, 3)
    for token in ("ada", "grace"):
        erase_party(Application.objects.get(pk=submitted.application.pk), token, by=owner)
        assert not Query.objects.filter(holder=token).exists()
        assert (by_question(), by_reason()) == before
    services.withdraw(open_draft(submitted.application), by=owner)
    erase(submitted.application)
    assert (by_question(), by_reason()) == before
    assert ErasedFigures.objects.count() == 1


def test_a_query_that_is_not_sent_yet_leaves_no_figures(submitted: Draft, owner: Any, agent: Any) -> None:
    send_back(submitted, agent, (BIRTH, "differs"))
    services.submit(submitted, by=owner)
    version = current_version(submitted.application)
    draft_query(submitted, PASSPORT, text="Mend it, Ada", reason="unreadable", by=agent, version=version)
    erase_party(Application.objects.get(pk=submitted.application.pk), "ada", by=owner)
    assert (by_question(), by_reason()) == ({("field", "Date of birth"): (1, 1)}, {"differs": (1, 1)})


def test_a_draft_leaves_no_figures(owner: Any) -> None:
    withdrawn, unfinished = begin(owner), begin(owner)
    services.withdraw(open_draft(withdrawn), by=owner)
    erase(unfinished)
    assert not ErasedFigures.objects.exists()
    assert counted() == {}
