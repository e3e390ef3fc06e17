"""How far an invitation has come, told by its moments alone. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from .models import Invitation


class Stage(StrEnum):
    """What its owner sees of it."""

    SENT = "sent"
    OPENED = "opened"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"

    @property
    def words(self) -> Promise:
        """What people read."""
        return _WORDS[self]

    @property
    def waits(self) -> bool:
        """Whether the next act is that of whoever was invited."""
        return self in (Stage.SENT, Stage.OPENED, Stage.IN_PROGRESS)


_WORDS = {
    Stage.SENT: gettext_lazy("Sent"),
    Stage.OPENED: gettext_lazy("Opened"),
    Stage.IN_PROGRESS: gettext_lazy("In progress"),
    Stage.DONE: gettext_lazy("Done"),
    Stage.EXPIRED: gettext_lazy("Expired"),
    Stage.WITHDRAWN: gettext_lazy("Withdrawn"),
}


class Closure(StrEnum):
    """Why a link that was right once opens nothing now; UNKNOWN is also said of one that never was."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"
    NOT_OPEN = "not_open"


@dataclass(frozen=True, slots=True)
class Standing:
    """A stage, and since when."""

    stage: Stage
    since: datetime


def standing(invitation: Invitation, *, now: datetime) -> Standing:
    """The last thing that has happened to it; withdrawing ends it, and time ends what isn't done."""
    if invitation.withdrawn_at:
        return Standing(Stage.WITHDRAWN, invitation.withdrawn_at)
    if invitation.done_at:
        return Standing(Stage.DONE, invitation.done_at)
    if now >= invitation.expires_at:
        return Standing(Stage.EXPIRED, invitation.expires_at)
    if invitation.begun_at:
        return Standing(Stage.IN_PROGRESS, invitation.begun_at)
    if invitation.opened_at:
        return Standing(Stage.OPENED, invitation.opened_at)
    return Standing(Stage.SENT, invitation.sent_at)


def closure(invitation: Invitation, *, now: datetime, round_: int) -> Closure | None:
    """Why what was opened in some round opens nothing now; None while it does. Reads the application and the party."""
    if invitation.withdrawn_at or invitation.party.removed_at:
        return Closure.WITHDRAWN
    if invitation.round != round_:
        return Closure.REPLACED
    if not invitation.application.is_open:
        return Closure.NOT_OPEN
    return Closure.EXPIRED if now >= invitation.expires_at else None
