"""Whoever claims a case begins its review: one by one, several at once, the next one, or a colleague's."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from tests import factories
from tests.desk.factories import page_after_post, submitted_ones

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def state(application: Application) -> str:
    now = Application.objects.get(pk=application.pk).state
    assert Case.objects.get(pk=application.pk).state == now, "the queue says the same"
    return now


def submitted_with_numbers(owner: Any) -> Application:
    """A case that went through all its transitions."""
    draft = factories.submitted_draft(owner)
    return draft.application


def test_claiming_one_begins_its_review_and_its_customer_reads_so(
    submitted: Draft, agent: Any, as_agent: Client, as_owner: Client
) -> None:
    application = submitted.application
    page_after_post(as_agent, f"/desk/{application.reference}/claim/", {})
    assert state(application) == State.IN_REVIEW
    change = application.changes.get(moved_to=State.IN_REVIEW)
    assert (change.who, change.what) == (agent, "Started the review")
    status = as_owner.get(f"/applications/{application.reference}/status/").content.decode()
    assert "With our reviewer. You don’t need to do anything now." in status
    assert "Okafor" not in status


def test_claiming_several_begins_those_that_wait_for_it(owner: Any, colleague: Any, as_agent: Client) -> None:
    mine, theirs = submitted_ones(owner, 2)
    [returned] = submitted_ones(owner, 1, state=State.RETURNED_FOR_CHANGES)
    [begun] = submitted_ones(owner, 1, state=State.IN_REVIEW)
    Case.objects.filter(pk=theirs.pk).update(**claims._claim_columns(colleague))
    ticked = {"case": [one.pk for one in (mine, theirs, returned, begun)]}
    assert "You have claimed 3 cases." in page_after_post(as_agent, "/desk/claims/", ticked)
    assert [state(one) for one in (mine, theirs, returned, begun)] == [
        State.IN_REVIEW,
        State.SUBMITTED_FOR_REVIEW,
        State.RETURNED_FOR_CHANGES,
        State.IN_REVIEW,
    ]
    assert not begun.changes.filter(moved_to=State.IN_REVIEW).exists()


def test_the_next_case_is_begun(submitted: Draft, as_agent: Client) -> None:
    page_after_post(as_agent, "/desk/next-case/", {})
    assert state(submitted.application) == State.IN_REVIEW


def test_what_is_taken_over_before_it_began_is_begun(submitted: Draft, colleague: Any, as_agent: Client) -> None:
    application = submitted.application
    # As a claim stands that outlived a return.
    Case.objects.filter(pk=application.pk).update(**claims._claim_columns(colleague))
    takeover = {"from": colleague.pk, "takeover_reason": "Away"}
    page_after_post(as_agent, f"/desk/{application.reference}/claim/", takeover)
    assert state(application) == State.IN_REVIEW


def test_releasing_it_ends_nothing(submitted: Draft, agent: Any, as_agent: Client) -> None:
    claims.claim([submitted.application.pk], by=agent)
    page_after_post(as_agent, f"/desk/{submitted.application.reference}/release/", {})
    assert state(submitted.application) == State.IN_REVIEW


def test_what_several_cases_have_in_common_is_read_once(owner: Any, agent: Any) -> None:
    one, *three = [submitted_with_numbers(owner) for _ in range(4)]
    counts = []
    for cases in ([one], three):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            claims.claim([case.pk for case in cases], by=agent)
        counts.append(len(queries))
    alone, together = counts
    each = (together - alone) / 2
    assert each <= 21, "what a change and an entry of the audit write, and nothing that could be read for all"
    assert alone - each <= 12
