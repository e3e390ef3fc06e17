"""Invitations of guests to fill in one party of an application. The modules `parts` and `codes` write them."""

from datetime import datetime
from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy

from formation_portal.applications.fields import new_token
from formation_portal.applications.models import Application, Party


class Invitation(models.Model):
    """The invitation of a guest to answer the questions about a party. A party has at most one.

    Sending it again gives it a new key and raises `round`, which ends the sessions of earlier keys. When the guest
    leaves, `session_epoch` rises: their sessions end, but the link stays. `reference` is in URLs and gives no access.
    Neither key nor code is stored, only their digests.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="invitations")
    party = models.OneToOneField(Party, models.CASCADE, related_name="invitation")
    reference = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    email = models.EmailField()
    language = models.CharField(max_length=12)
    key_digest = models.CharField(max_length=64, unique=True)
    round = models.PositiveIntegerField(default=0)
    session_epoch = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    nudged_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # When the guest asked for another link, since this one had expired.
    wanted_at = models.DateTimeField(null=True, blank=True)
    # The present code, the tries with it, and the number of codes sent since `codes_since`.
    code_digest = models.CharField(max_length=64, blank=True)
    code_sent_at = models.DateTimeField(null=True, blank=True)
    code_tries = models.PositiveSmallIntegerField(default=0)
    codes_since = models.DateTimeField(null=True, blank=True)
    codes_sent = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.reference


class InvitationStage(models.TextChoices):
    """The stage of an invitation, as the application's owner sees it."""

    SENT = "sent", gettext_lazy("Sent")
    OPENED = "opened", gettext_lazy("Opened")
    IN_PROGRESS = "in_progress", gettext_lazy("In progress")
    DONE = "done", gettext_lazy("Finished")
    EXPIRED = "expired", gettext_lazy("Expired")
    WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")

    @property
    def waits(self) -> bool:
        return self in (InvitationStage.SENT, InvitationStage.OPENED, InvitationStage.IN_PROGRESS)


class Closure(StrEnum):
    """The reason why a link opens nothing. UNKNOWN includes links that never existed."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"
    NOT_OPEN = "not_open"


def current_stage(
    invitation: Invitation, *, now: datetime, has_needs: bool = False
) -> tuple[InvitationStage, datetime]:
    """Return the stage at a time, and when it began. With `has_needs`, a finished one is in progress again."""
    if invitation.withdrawn_at:
        return InvitationStage.WITHDRAWN, invitation.withdrawn_at
    if invitation.done_at and not has_needs:
        return InvitationStage.DONE, invitation.done_at
    if now >= invitation.expires_at:
        return InvitationStage.EXPIRED, invitation.expires_at
    if last_work := invitation.done_at or invitation.begun_at:
        return InvitationStage.IN_PROGRESS, last_work
    if invitation.opened_at:
        return InvitationStage.OPENED, invitation.opened_at
    return InvitationStage.SENT, invitation.sent_at


def closure(invitation: Invitation, *, now: datetime, round_: int, epoch: int) -> Closure | None:
    """Return the reason why a session that began in a round and an epoch is over; None while it is open."""
    if invitation.withdrawn_at or invitation.party.removed_at:
        return Closure.WITHDRAWN
    if invitation.round != round_:
        return Closure.REPLACED
    if invitation.session_epoch != epoch:
        return Closure.UNKNOWN
    if not invitation.application.is_open:
        return Closure.NOT_OPEN
    return Closure.EXPIRED if now >= invitation.expires_at else None
