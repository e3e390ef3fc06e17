"""The history has each change of an application's status, and `workflow` is told in the same transaction."""

from typing import Any

import pytest
from django.db import transaction

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from tests.subscribing import subscribe

pytestmark = pytest.mark.django_db


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[tuple[State, Any]]:
    """The states that `workflow` was told of, and by whom."""
    events: list[tuple[State, Any]] = []

    def record(draft: Draft, by: Any) -> None:
        assert transaction.get_connection().in_atomic_block
        events.append((draft.application.status, by))

    subscribe(monkeypatch, "application_moved", record)
    return events


def test_workflow_is_told_of_each_move_once(complete: Draft, owner: Any, events: list[tuple[State, Any]]) -> None:
    services.submit(complete, by=owner)
    services.reopen(complete, reason="Please change the name")
    services.reopen(complete, reason="Please change the name")
    assert events == [(State.SUBMITTED_FOR_REVIEW, owner), (State.RETURNED_FOR_CHANGES, None)]


def test_an_agents_transitions_follow_one_another(complete: Draft, owner: Any, agent: Any) -> None:
    services.submit(complete, by=owner)
    for transition, status in (
        ("begin_review", State.IN_REVIEW),
        ("return", State.RETURNED_FOR_CHANGES),
        ("submit", State.SUBMITTED_FOR_REVIEW),
        ("begin_review", State.IN_REVIEW),
        ("approve", State.SUBMITTED_TO_CSP),
        ("record_incorporation", State.INCORPORATED),
    ):
        if transition == "submit":
            services.submit(complete, by=owner)
        else:
            services.advance(complete, transition, by=agent, note=f"About {transition}")
        assert complete.application.status is status
    moves = complete.application.changes.filter(who=agent).order_by("pk")
    assert [move.named["note"] for move in moves][:2] == ["About begin_review", "About return"]


def test_an_agents_transition_that_the_state_does_not_allow_is_refused(complete: Draft, owner: Any, agent: Any) -> None:
    services.submit(complete, by=owner)
    with pytest.raises(services.Closed):
        services.advance(complete, "approve", by=agent)
    assert complete.application.status is State.SUBMITTED_FOR_REVIEW
