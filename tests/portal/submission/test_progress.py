"""The progress: what has happened and when, where it is, what usually follows, and when that is late."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.timezone import localdate

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.portal.feedback import delivery_summary
from formation_portal.portal.submission import status
from formation_portal.portal.submission.status import Progress, ProgressStep, StatusPage
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])

REVIEW = "Our reviewer checks people and documents"
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
        (REVIEW, "open"),
    ]


def test_each_round_of_corrections_stands_in_its_place(submitted: Draft, owner: Any) -> None:
    services.reopen(submitted, reason="The formation service asks for a change")
    assert step_states(submitted)[:2] == [("You submitted", "met"), ("Returned to you", "warning")]
    assert step(submitted, "Returned to you").detail == "Next: you."
    assert (REVIEW, "later") in step_states(submitted)
    services.submit(submitted, by=owner)
    assert step_states(submitted)[:4] == [
        ("You submitted", "met"),
        ("Returned to you", "met"),
        ("You submitted again", "met"),
        (REVIEW, "open"),
    ]


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> Callable[[date], None]:
    """Sets the day on which the page is read."""
    return lambda day: monkeypatch.setattr(timezone, "localdate", lambda at=None, _=None: localdate(at) if at else day)


def expected(draft: Draft) -> str:
    """What the last step says of its day."""
    return step(draft, "The company is incorporated").when.replace("\u00a0", " ")


def test_with_the_registry_the_days_are_counted_from_the_filing_in_the_time_zone(
    submitted: Draft, today: Callable[[date], None]
) -> None:
    # On Chatham Tuesday began a quarter of an hour before.
    draft = move(submitted, State.SUBMITTED_TO_CSP, at=datetime(2026, 11, 23, 10, 30, tzinfo=UTC))
    with timezone.override("Pacific/Chatham"):
        assert step(draft, "With the registry").when == "24\u00a0November\u00a02026"
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
    in_weeks = move(submitted, State.SUBMITTED_TO_CSP, timeline="2 to 3 weeks")
    assert expected(in_weeks) == "Expected 7 to 14 December 2026"
    for timeline in ("", "as long as it takes", "8-5 days"):
        assert expected(move(submitted, State.SUBMITTED_TO_CSP, timeline=timeline)) == "", timeline
        assert expected(move(submitted, State.IN_REVIEW, timeline=timeline)) == "", timeline


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


def test_where_it_is_late_that_is_said_first(submitted: Draft) -> None:
    long_ago = datetime(2020, 1, 2, tzinfo=UTC)
    assert not Progress(move(submitted, State.SUBMITTED_TO_CSP, at=datetime.now(UTC)).application).is_late
    late = move(submitted, State.SUBMITTED_TO_CSP, at=long_ago)
    assert Progress(late.application).is_late
    assert "longer than usual" in StatusPage(late, delivery_summary(late)).lead
    assert not Progress(move(late, State.INCORPORATED).application).is_late


NOTHING_TO_DO = "You don’t need to do anything now."
NEXT = "Next: our reviewer."
USUALLY = "Next: the registry. Usually 5-8 working days."


@pytest.mark.parametrize(
    ("state", "lead", "step_shown"),
    [
        (
            State.SUBMITTED_FOR_REVIEW,
            f"Waiting for our reviewer. {NOTHING_TO_DO}",
            (REVIEW, "Next: our reviewer.", "open"),
        ),
        (State.IN_REVIEW, f"With our reviewer. {NOTHING_TO_DO}", (REVIEW, NEXT, "half")),
        (State.SUBMITTED_TO_CSP, f"With the registry. {NOTHING_TO_DO}", ("With the registry", USUALLY, "half")),
        (State.INCORPORATED, "Completed.", ("The company is incorporated", "Completed.", "met")),
        (
            State.REJECTED,
            "Declined. This decision is final.",
            ("Our reviewer declined it", "This decision is final.", "error"),
        ),
        (State.WITHDRAWN, "You withdrew this application.", ("You withdrew it", "", "later")),
    ],
)
def test_each_status_says_where_it_is_and_whether_somebody_else_has_it(
    submitted: Draft, state: State, lead: str, step_shown: tuple[str, str, str]
) -> None:
    draft = move(submitted, state, at=datetime.now(UTC))
    page = StatusPage(draft, delivery_summary(draft))
    assert (page.lead, page.is_moving) == (lead, NOTHING_TO_DO in lead)
    assert step_shown in [(one.title, one.detail, one.state) for one in page.steps]


def test_the_page_costs_the_same_after_many_rounds(submitted: Draft, owner: Any, as_owner: Client) -> None:
    address, costs = f"{root(submitted)}status/", []
    as_owner.get(address)
    for _ in range(3):
        with CaptureQueriesContext(connection) as captured:
            as_owner.get(address)
        costs.append(len(captured))
        services.reopen(submitted, reason="Once more")
        services.submit(submitted, by=owner)
    # Once something has come back, what was said then is read.
    assert costs[0] + 1 == costs[1] == costs[2]
