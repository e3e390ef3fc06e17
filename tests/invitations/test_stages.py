"""How far an invitation has come is told by its moments alone, whatever their order."""

from datetime import UTC, datetime, timedelta

import pytest

from formation_portal.invitations.models import Invitation, InvitationStage, current_stage

SENT = datetime(2026, 11, 21, 9, tzinfo=UTC)
LATER, LATEST, END = (SENT + timedelta(days=days) for days in (1, 2, 14))


@pytest.mark.parametrize(
    ("moments", "now", "has_needs", "stage", "since"),
    [
        ({}, LATER, False, InvitationStage.SENT, SENT),
        ({"opened_at": LATER}, LATEST, False, InvitationStage.OPENED, LATER),
        ({"opened_at": LATER, "begun_at": LATEST}, LATEST, False, InvitationStage.IN_PROGRESS, LATEST),
        ({"opened_at": LATER, "begun_at": LATEST}, END, False, InvitationStage.EXPIRED, END),
        ({"done_at": LATEST}, END + timedelta(days=9), False, InvitationStage.DONE, LATEST),
        ({"withdrawn_at": LATEST, "done_at": LATER}, END, False, InvitationStage.WITHDRAWN, LATEST),
        ({"done_at": LATER}, LATEST, True, InvitationStage.IN_PROGRESS, LATER),
        ({"begun_at": LATER, "done_at": LATEST}, LATEST, True, InvitationStage.IN_PROGRESS, LATEST),
        ({"done_at": LATER}, END, True, InvitationStage.EXPIRED, END),
        ({"opened_at": LATER}, LATEST, True, InvitationStage.OPENED, LATER),
    ],
)
def test_the_stage_is_the_last_thing_that_counts(
    moments: dict[str, datetime], now: datetime, has_needs: bool, stage: InvitationStage, since: datetime
) -> None:
    invitation = Invitation(sent_at=SENT, expires_at=END, **moments)
    assert current_stage(invitation, now=now, has_needs=has_needs) == (stage, since)
    assert stage.waits is (stage in {InvitationStage.SENT, InvitationStage.OPENED, InvitationStage.IN_PROGRESS})
