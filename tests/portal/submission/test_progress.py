"""The progress: what has happened and when, where it is, what usually follows, and when that is late."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.portal.feedback import delivery_summary
from formation_portal.portal.submission.status import Progress, ProgressStep, StatusPage

pytestmark = pytest.mark.django_db(databases=["default", "service"])

MONDAY = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)


def move(draft: Draft, state: State, *, at: datetime = MONDAY, timeline: str = "5-8 working days") -> Draft:
    """As a transition of the desk leaves it."""
    application = draft.application
    product = application.product | {"estimated_timeline": timeline}
    Application.objects.filter(pk=application.pk).update(state=state, product=product)
    change = Change.objects.create(application=application, what="Moved", moved_to=state)
    Change.objects.filter(pk=change.pk).update(at=at)
    return open_draft(Application.objects.get(pk=application.pk))


def step_states(draft: Draft) -> list[tuple[str, str]]:
    return [(step.title, step.state) for step in Progress(draft.application).steps()]


def step(draft: Draft, title: str) -> ProgressStep:
    return next(one for one in Progress(draft.application).steps() if one.title == title)


def test_what_waits_for_review_says_who_acts_next_and_what_follows(submitted: Draft) -> None:
    assert step_states(submitted) == [
        ("You submitted", "met"),
        ("Our reviewer checks people and documents", "open"),
        ("Application goes to the registry", "later"),
        ("The company is incorporated", "later"),
    ]
    assert step(submitted, "Our reviewer checks people and documents").detail == "Next: our reviewer."
    assert step(submitted, "Application goes to the registry").detail == "Usually 5 days."


def test_what_has_happened_has_its_day_its_time_and_its_person(submitted: Draft) -> None:
    Change.objects.exclude(moved_to="").update(at=MONDAY)
    first = next(Progress(submitted.application).steps())
    assert (first.when, first.detail) == ("", "23\u00a0November\u00a02026, 09:30, by Ingrid Solheim")


def test_each_round_of_corrections_stands_in_its_place(submitted: Draft, owner: Any) -> None:
    services.reopen(submitted, reason="The formation service asks for a change")
    assert step_states(submitted)[:2] == [("You submitted", "met"), ("Returned to you", "heed")]
    assert step(submitted, "Returned to you").detail == "Next: you."
    assert ("Our reviewer checks people and documents", "later") in step_states(submitted)
    services.submit(submitted, by=owner)
    assert step_states(submitted)[:4] == [
        ("You submitted", "met"),
        ("Returned to you", "met"),
        ("You submitted again", "met"),
        ("Our reviewer checks people and documents", "open"),
    ]


def test_with_the_registry_the_days_are_counted(submitted: Draft) -> None:
    draft = move(submitted, State.SUBMITTED_TO_CSP)
    registry = step(draft, "With the registry")
    assert (registry.when, registry.state) == ("23\u00a0November\u00a02026", "half")
    assert registry.detail.replace("\u00a0", " ") == (
        "Next: the registry. Usually 5-8 working days. Expected 30 November to 3 December 2026."
    )


def test_words_that_tell_no_days_are_said_as_they_are(submitted: Draft) -> None:
    draft = move(submitted, State.SUBMITTED_TO_CSP, timeline="as long as it takes")
    assert step(draft, "With the registry").detail == "Next: the registry. Usually as long as it takes."
    assert not Progress(draft.application).is_late


def test_where_it_is_late_that_is_said_first(submitted: Draft) -> None:
    long_ago = datetime(2020, 1, 2, tzinfo=UTC)
    assert not Progress(move(submitted, State.SUBMITTED_TO_CSP, at=datetime.now(UTC)).application).is_late
    late = move(submitted, State.SUBMITTED_TO_CSP, at=long_ago)
    assert Progress(late.application).is_late
    assert "longer than usual" in StatusPage(late, delivery_summary(late)).lead
    assert not Progress(move(late, State.INCORPORATED).application).is_late


def test_the_end_is_the_last_step(submitted: Draft) -> None:
    ends = {
        State.INCORPORATED: ("The company is incorporated", "met"),
        State.REJECTED: ("Our reviewer declined it", "stop"),
        State.WITHDRAWN: ("You withdrew it", "stop"),
    }
    for state, last in ends.items():
        assert step_states(move(submitted, state))[-1] == last


def test_what_was_submitted_before_the_history_knew_of_moves_has_its_first_step(submitted: Draft) -> None:
    Change.objects.update(moved_to="")
    assert step_states(submitted)[:2] == [
        ("You submitted", "met"),
        ("Our reviewer checks people and documents", "open"),
    ]
    assert next(Progress(submitted.application).steps()).when


def test_the_page_costs_the_same_after_many_rounds(submitted: Draft, owner: Any, as_owner: Client) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    address, costs = f"/applications/{submitted.application.reference}/status/", []
    as_owner.get(address)
    for _ in range(3):
        with CaptureQueriesContext(connection) as captured:
            as_owner.get(address)
        costs.append(len(captured))
        services.reopen(submitted, reason="Once more")
        services.submit(submitted, by=owner)
    # Once something has come back, what was said then is read.
    assert costs[0] + 1 == costs[1] == costs[2]
