"""Colleagues read what was done to each thing of a review."""

from datetime import UTC, datetime
from typing import Any

import pytest

from formation_portal.reviews.models import (
    Check,
    Evidence,
    Note,
    Query,
    ReviewDecision,
    ScreeningCheck,
    ServiceStatus,
)
from formation_portal.reviews.transactions import _last_action

AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
BIRTH: dict[str, Any] = {"label": "Date of birth"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Check(digest="", **BIRTH), "undid the acceptance of Date of birth"),
        (Evidence(slot="Passport", removed_at=AT, **BIRTH), "removed what Passport says about Date of birth"),
        (Note(text="Known to us", removed_at=AT, **BIRTH), "removed a note"),
        (ScreeningCheck(label="Ada Lovelace", removed_at=AT), "removed a screening check of Ada Lovelace"),
        (Query(text="Which year?"), "drafted a query about the application: Which year?"),
        (Query(sent_at=AT, **BIRTH), "sent the query about Date of birth"),
        (Query(sent_at=AT, settled_at=AT, **BIRTH), "resolved the query about Date of birth"),
        (
            ServiceStatus(outcome="open", status="struck_off"),
            "received the status “struck_off” from the formation service",
        ),
        (ServiceStatus(outcome="applied", status="x"), "received the incorporation from the formation service"),
        (
            ServiceStatus(outcome="passed_on", status="rejected"),
            "passed on the formation service’s status “rejected”",
        ),
        (
            ServiceStatus(outcome="replaced", status="draft"),
            "received another status than “draft” from the formation service",
        ),
    ],
)
def test_colleagues_read_what_was_done(row: Any, words: str) -> None:
    assert _last_action(row) == words


@pytest.mark.parametrize(
    ("outcome", "by", "words"),
    [
        ("waiting", 2, "proposed the approval"),
        ("scheduled", 2, "recorded the approval"),
        ("refused", 2, "did not confirm the approval"),
        ("refused", 1, "withdrew the proposal of the approval"),
        ("undone", 2, "undid the approval"),
        ("stopped", 2, "stopped the approval"),
    ],
)
def test_colleagues_read_what_became_of_a_decision(outcome: str, by: int, words: str) -> None:
    assert _last_action(ReviewDecision(kind="approve", outcome=outcome, proposed_by_id=1, by_id=by)) == words
