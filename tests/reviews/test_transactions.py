"""Colleagues read what was done to each thing of a review."""

from datetime import UTC, datetime
from typing import Any

import pytest

from formation_portal.reviews.models import Check, Evidence, Note, Query, ReviewDecision, ScreeningCheck, ServiceStatus
from formation_portal.reviews.transactions import _last_action

AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
BIRTH: dict[str, Any] = {"label": "Date of birth"}


def decision(outcome: str, by: int = 2) -> ReviewDecision:
    return ReviewDecision(kind="approve", outcome=outcome, proposed_by_id=1, by_id=by)


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
        (ServiceStatus(outcome="open", status="x"), "received the status “x” from the formation service"),
        (ServiceStatus(outcome="applied", status="x"), "received the incorporation from the formation service"),
        (ServiceStatus(outcome="passed_on", status="x"), "passed on the formation service’s status “x”"),
        (ServiceStatus(outcome="replaced", status="x"), "received another status than “x” from the formation service"),
        (decision("waiting"), "proposed the approval"),
        (decision("scheduled"), "recorded the approval"),
        (decision("refused"), "did not confirm the approval"),
        (decision("refused", by=1), "withdrew the proposal of the approval"),
        (decision("undone"), "undid the approval"),
        (decision("stopped"), "stopped the approval"),
    ],
)
def test_colleagues_read_what_was_done(row: Any, words: str) -> None:
    assert _last_action(row) == words
