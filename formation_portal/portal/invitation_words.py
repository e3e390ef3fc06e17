"""How far an invitation has come, in words, wherever its owner meets it."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from formation_portal.invitations.models import Invitation, InvitationStage, current_stage

from .moments import day, moment

_MARKS = {
    InvitationStage.SENT: "open",
    InvitationStage.OPENED: "open",
    InvitationStage.IN_PROGRESS: "half",
    InvitationStage.DONE: "met",
    InvitationStage.EXPIRED: "heed",
    InvitationStage.WITHDRAWN: "later",
}


@dataclass(frozen=True, slots=True)
class InvitationLine:
    """One invitation: the mark, the stage, since when, and whether its holder is waited for."""

    state: str
    stage: InvitationStage
    words: str
    since: str
    waits: bool
    until: str
    wants_another: bool

    @property
    def text(self) -> str:
        """Invitation: Opened, 24 November at 14:02."""
        said = gettext("Invitation: %(stage)s, %(since)s") % {"stage": self.words, "since": self.since}
        wish = gettext("They have asked for a new link")
        return f"{said}. {wish}" if self.wants_another else said


def invitation_line(invitation: Invitation, *, now: datetime) -> InvitationLine:
    """The line as things stand."""
    stands = current_stage(invitation, now=now)
    return InvitationLine(
        state=_MARKS[stands.stage],
        stage=stands.stage,
        words=str(stands.stage.words),
        since=moment(stands.since),
        waits=stands.stage.waits,
        until=day(invitation.expires_at.date()),
        wants_another=invitation.wanted_at is not None,
    )
