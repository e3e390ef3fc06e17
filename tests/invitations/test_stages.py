"""How far an invitation has come is told by its moments alone, whatever their order."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.invitations.models import Invitation, InvitationStage, current_stage

SENT = datetime(2026, 11, 21, 9, tzinfo=UTC)
LATER, LATEST, END = (SENT + timedelta(days=days) for days in (1, 2, 14))


def made(**moments: datetime) -> Invitation:
    return Invitation(sent_at=SENT, expires_at=END, **moments)


@pytest.mark.parametrize(
    ("moments", "now", "stage", "since"),
    [
        ({}, LATER, InvitationStage.SENT, SENT),
        ({"opened_at": LATER}, LATEST, InvitationStage.OPENED, LATER),
        ({"opened_at": LATER, "begun_at": LATEST}, LATEST, InvitationStage.IN_PROGRESS, LATEST),
        ({"begun_at": LATER, "done_at": LATEST}, LATEST, InvitationStage.DONE, LATEST),
        ({}, END, InvitationStage.EXPIRED, END),
        ({"opened_at": LATER, "begun_at": LATEST}, END, InvitationStage.EXPIRED, END),
        ({"done_at": LATEST}, END + timedelta(days=9), InvitationStage.DONE, LATEST),
        ({"withdrawn_at": LATER}, LATER, InvitationStage.WITHDRAWN, LATER),
        ({"withdrawn_at": LATEST, "done_at": LATER}, END, InvitationStage.WITHDRAWN, LATEST),
    ],
)
def test_the_stage_is_the_last_thing_that_counts(
    moments: dict[str, datetime], now: datetime, stage: InvitationStage, since: datetime
) -> None:
    assert current_stage(made(**moments), now=now) == (stage, since)


@pytest.mark.parametrize(
    ("moments", "now", "stage", "since"),
    [
        ({"done_at": LATER}, LATEST, InvitationStage.IN_PROGRESS, LATER),
        ({"begun_at": LATER, "done_at": LATEST}, LATEST, InvitationStage.IN_PROGRESS, LATEST),
        ({"done_at": LATER}, END, InvitationStage.EXPIRED, END),
        ({"opened_at": LATER}, LATEST, InvitationStage.OPENED, LATER),
        ({"withdrawn_at": LATEST, "done_at": LATER}, LATEST, InvitationStage.WITHDRAWN, LATEST),
    ],
)
def test_a_part_that_needs_something_is_never_finished(
    moments: dict[str, datetime], now: datetime, stage: InvitationStage, since: datetime
) -> None:
    assert current_stage(made(**moments), now=now, has_needs=True) == (stage, since)


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (InvitationStage.SENT, "Sent"),
        (InvitationStage.OPENED, "Opened"),
        (InvitationStage.IN_PROGRESS, "In progress"),
        (InvitationStage.DONE, "Finished"),
        (InvitationStage.EXPIRED, "Expired"),
        (InvitationStage.WITHDRAWN, "Withdrawn"),
    ],
)
def test_each_stage_has_a_label_of_its_own(stage: InvitationStage, words: str) -> None:
    assert str(stage.label) == words


_MOMENT = st.none() | st.datetimes(datetime(2026, 11, 21), datetime(2026, 12, 20), timezones=st.just(UTC))


@given(opened=_MOMENT, begun=_MOMENT, done=_MOMENT, withdrawn=_MOMENT, now=_MOMENT.filter(bool))
def test_nobody_is_waited_for_once_it_is_over(
    opened: datetime | None, begun: datetime | None, done: datetime | None, withdrawn: datetime | None, now: datetime
) -> None:
    invitation = made(opened_at=opened, begun_at=begun, done_at=done, withdrawn_at=withdrawn)
    stage, since = current_stage(invitation, now=now)
    assert stage.waits == (not withdrawn and not done and now < END)
    assert since in {SENT, END, opened, begun, done, withdrawn}
