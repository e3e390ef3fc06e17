"""The progress: what has happened and when, where it is, what usually follows, and when that is late."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.timezone import localdate

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.portal.feedback import delivery_summary
from formation_portal.portal.submission import status
from formation_portal.portal.submission.status import Progress, ProgressStep, StatusPage

pytestmark = pytest.mark.django_db(databases=["default", "service"])

MONDAY = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _days_are_those_of_utc() -> Iterator[None]:
    with timezone.override(UTC):
        yield


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


def test_a_decision_that_moved_nothing_is_a_step_with_its_message(
    submitted: Draft, agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = "Put it on hold: {text}"
    monkeypatch.setattr(status, "HISTORY_MESSAGES", [message])
    for text in ("We wait for the bank.", "And for the notary."):
        Change.new(submitted.application, agent, message, text=text).save()
    assert step_states(submitted)[:4] == [
        ("You submitted", "met"),
        ("Put it on hold: We wait for the bank.", "met"),
        ("Put it on hold: And for the notary.", "met"),
        ("Our reviewer checks people and documents", "open"),
    ]


def test_each_round_of_corrections_stands_in_its_place(submitted: Draft, owner: Any) -> None:
    services.reopen(submitted, reason="The formation service asks for a change")
    assert step_states(submitted)[:2] == [("You submitted", "met"), ("Returned to you", "warning")]
    assert step(submitted, "Returned to you").detail == "Next: you."
    assert ("Our reviewer checks people and documents", "later") in step_states(submitted)
    services.submit(submitted, by=owner)
    assert step_states(submitted)[:4] == [
        ("You submitted", "met"),
        ("Returned to you", "met"),
        ("You submitted again", "met"),
        ("Our reviewer checks people and documents", "open"),
    ]


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> Callable[[date], None]:
    """Sets the day on which the page is read."""
    return lambda day: monkeypatch.setattr(timezone, "localdate", lambda at=None: localdate(at) if at else day)


def expected(draft: Draft) -> str:
    """What the last step says of its day."""
    return step(draft, "The company is incorporated").when.replace("\u00a0", " ")


def test_with_the_registry_the_days_are_counted_from_the_filing(
    submitted: Draft, today: Callable[[date], None]
) -> None:
    draft = move(submitted, State.SUBMITTED_TO_CSP)
    registry = step(draft, "With the registry")
    assert (registry.when, registry.state) == ("23\u00a0November\u00a02026", "half")
    assert registry.detail == "Next: the registry. Usually 5-8 working days."
    today(date(2026, 11, 24))
    assert expected(draft) == "Expected 30 November to 3 December 2026"
    # Nothing is expected in the past.
    today(date(2026, 12, 2))
    assert expected(draft) == "Expected 2 to 3 December 2026"
    today(date(2026, 12, 3))
    assert expected(draft) == "Expected 3 December 2026"
    today(date(2026, 12, 4))
    assert expected(draft) == ""
    assert expected(move(submitted, State.SUBMITTED_TO_CSP, timeline="2 to 3 weeks")) == (
        "Expected 7 to 14 December 2026"
    )


def test_before_the_filing_the_days_are_counted_from_when_it_was_last_submitted(
    submitted: Draft, today: Callable[[date], None]
) -> None:
    today(date(2026, 11, 24))
    Change.objects.exclude(moved_to="").update(at=MONDAY)
    draft = move(submitted, State.IN_REVIEW, at=datetime(2026, 11, 24, tzinfo=UTC))
    assert expected(draft) == "Expected 30 November to 3 December 2026"
    draft = move(draft, State.RETURNED_FOR_CHANGES, at=datetime(2026, 11, 25, tzinfo=UTC))
    assert expected(draft) == "", "nobody knows when its customer sends it again"
    again = move(draft, State.SUBMITTED_FOR_REVIEW, at=datetime(2026, 11, 27, tzinfo=UTC))
    assert expected(again) == "Expected 4 to 9 December 2026"


@pytest.mark.parametrize("timeline", ["", "as long as it takes", "8-5 days"])
def test_no_day_is_said_where_the_product_tells_none(submitted: Draft, timeline: str) -> None:
    assert expected(move(submitted, State.SUBMITTED_TO_CSP, timeline=timeline)) == ""
    assert expected(move(submitted, State.IN_REVIEW, timeline=timeline)) == ""


def test_where_it_is_late_that_is_said_first(submitted: Draft) -> None:
    long_ago = datetime(2020, 1, 2, tzinfo=UTC)
    assert not Progress(move(submitted, State.SUBMITTED_TO_CSP, at=datetime.now(UTC)).application).is_late
    late = move(submitted, State.SUBMITTED_TO_CSP, at=long_ago)
    assert Progress(late.application).is_late
    assert "longer than usual" in StatusPage(late, delivery_summary(late)).lead
    assert not Progress(move(late, State.INCORPORATED).application).is_late


@pytest.mark.parametrize(
    ("state", "lead", "is_moving", "present"),
    [
        (
            "submitted_for_review",
            "Waiting for our reviewer. You don’t need to do anything now.",
            True,
            ("Our reviewer checks people and documents", "Next: our reviewer.", "open"),
        ),
        (
            "in_review",
            "With our reviewer. You don’t need to do anything now.",
            True,
            ("Our reviewer checks people and documents", "Next: our reviewer.", "half"),
        ),
        (
            "submitted_to_csp",
            "With the registry. You don’t need to do anything now.",
            True,
            ("With the registry", "Next: the registry. Usually 5-8 working days.", "half"),
        ),
        ("incorporated", "Completed.", False, ("The company is incorporated", "Completed.", "met")),
        (
            "rejected",
            "Declined. This decision is final.",
            False,
            ("Our reviewer declined it", "This decision is final.", "error"),
        ),
        ("withdrawn", "You withdrew this application.", False, ("You withdrew it", "", "later")),
    ],
)
def test_each_status_says_where_it_is_and_whether_somebody_else_has_it(
    submitted: Draft, state: str, lead: str, is_moving: bool, present: tuple[str, str, str]
) -> None:
    draft = move(submitted, State(state), at=datetime.now(UTC))
    page = StatusPage(draft, delivery_summary(draft))
    assert (page.lead, page.is_moving) == (lead, is_moving)
    assert present in [(one.title, one.detail, one.state) for one in page.steps]


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


def test_the_day_of_a_step_is_that_of_the_time_zone(submitted: Draft) -> None:
    # On Chatham Tuesday began a quarter of an hour before.
    draft = move(submitted, State.SUBMITTED_TO_CSP, at=datetime(2026, 11, 23, 10, 30, tzinfo=UTC))
    assert step(draft, "With the registry").when == "23\u00a0November\u00a02026"
    with timezone.override("Pacific/Chatham"):
        assert step(draft, "With the registry").when == "24\u00a0November\u00a02026"
